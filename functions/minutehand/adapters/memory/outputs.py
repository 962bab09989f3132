"""In-memory store of outputs."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from minutehand.adapters.memory.state import MemoryStore
from minutehand.domain.instants import ceiling
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.logs import LogRecord, Stretch
from minutehand.usecases.ports.outputs import Output, size_of


class MemoryOutputs(MemoryStore):
    """In-memory implementation of the port `Outputs` over a `MemoryState`. Its links contain the text's place; nothing answers them."""

    @property
    def logs(self) -> MemoryLogs:
        """The logs of attempts."""
        return MemoryLogs(self._state)

    def keep(self, run: RunKey, attempt: int, output: Output) -> None:
        with self._state.lock:
            self._state.uses(write=1 + size_of(output.result) // 1024)
            self._state.outputs.setdefault((run, attempt), output._replace(expires_at=ceiling(output.expires_at)))

    def get(self, run: RunKey, attempt: int) -> Output | None:
        with self._state.lock:
            return self._state.outputs.get((run, attempt))

    def store(self, run: RunKey, attempt: int, text: str, lasts: timedelta) -> str:  # noqa: ARG002 - nothing expires here
        place = f"{run.job}/{run.run_id}/{attempt}"
        with self._state.lock:
            self._state.texts.setdefault(place, text)
        return place

    def read(self, place: str) -> str | None:
        with self._state.lock:
            return self._state.texts.get(place)

    def link(self, place: str, lasts: timedelta) -> str:
        return f"https://texts.invalid/{place}?seconds={lasts.total_seconds():.0f}"

    def forget(self, runs: Collection[RunKey]) -> None:
        with self._state.lock:
            for run, attempt in [key for key in self._state.outputs if key[0] in runs]:
                output = self._state.outputs.pop((run, attempt))
                self._state.texts.pop(output.place, None)
            for key in [key for key in self._state.logs if key[0] in runs]:
                log = self._state.logs.pop(key)
                for place in (log.place, *(log.part(each) for each in range(1, log.parts + 1))):
                    self._state.objects.pop(place, None)


class MemoryLogs(MemoryStore):
    """In-memory implementation of the port `Logs`. Nothing answers its URLs: what is uploaded is put into `MemoryState.objects`."""

    def get(self, run: RunKey, attempt: int) -> LogRecord | None:
        with self._state.lock:
            return self._state.logs.get((run, attempt))

    def note(self, run: RunKey, attempt: int, record: LogRecord, expires_at: datetime) -> None:  # noqa: ARG002 - nothing expires here
        with self._state.lock:
            followed = self._state.logs.get((run, attempt), LogRecord()).followed_at
            self._state.logs[run, attempt] = record._replace(followed_at=followed)

    def note_follower(self, run: RunKey, attempt: int, now: datetime, expires_at: datetime) -> None:  # noqa: ARG002 - as above
        with self._state.lock:
            stored = self._state.logs.get((run, attempt), LogRecord())
            self._state.logs[run, attempt] = stored._replace(followed_at=now)

    def places(self, run: RunKey, attempt: int, *, whole: timedelta, parts: timedelta) -> LogRecord:  # noqa: ARG002 - as above
        beginning = f"{run.job}/{run.run_id}/{attempt}"
        return LogRecord(parts_at=f"{beginning}/", place=f"{beginning}.log.gz")

    def upload(self, place: str, length: int, lasts: timedelta) -> str:
        return f"https://texts.invalid/{place}?length={length}&seconds={lasts.total_seconds():.0f}"

    def read(self, place: str, offset: int, most: int) -> Stretch | None:
        with self._state.lock:
            found = self._state.objects.get(place)
        return None if found is None else Stretch(found[offset : offset + most], max(len(found), offset))
