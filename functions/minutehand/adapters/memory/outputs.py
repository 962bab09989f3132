"""In-memory store of outputs."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from minutehand.adapters.memory.state import MemoryStore
from minutehand.domain.instants import ceiling
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.outputs import Output, size_of


class MemoryOutputs(MemoryStore):
    """In-memory implementation of the port `Outputs` over a `MemoryState`. Its links contain the text's place; nothing answers them."""

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
