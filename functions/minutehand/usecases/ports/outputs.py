"""Store of outputs: results and errors of attempts that are longer than a run's own record holds."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from minutehand.domain.run import Result, RunError
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.logs import Logs


class Output(NamedTuple):
    """Result and error of an attempt. Of a text that is too long, only its end.

    Attributes:
        size: bytes of the result's whole text in UTF-8.
        place: where the whole text is, for `Outputs.read` and `Outputs.link`; empty if `result` has all of it, or it was not
            stored.
    """

    result: Result | None
    error: RunError | None
    expires_at: datetime
    size: int
    place: str = ""

    @property
    def truncated(self) -> bool:
        """Whether the result holds only the end of its text."""
        return self.size > size_of(self.result)


class Outputs(Protocol):
    """Outputs of attempts, each written once and never changed. Reads are consistent."""

    @property
    def logs(self) -> Logs:
        """The logs of attempts, which `forget` removes, too."""

    def keep(self, run: RunKey, attempt: int, output: Output) -> None:
        """Store an output beside its run; storing another for the same attempt changes nothing."""

    def get(self, run: RunKey, attempt: int) -> Output | None:
        """Read what `keep` stored."""

    def store(self, run: RunKey, attempt: int, text: str, lasts: timedelta) -> str:
        """Store an answer's text for at least `lasts`; returns its place. A repeated call changes nothing."""

    def read(self, place: str) -> str | None:
        """Read back the whole text that `store` saved under this key; None when it has expired."""

    def link(self, place: str, lasts: timedelta) -> str:
        """A URL from which anybody may fetch the text at this place until `lasts` is over. Does not check that the text exists."""

    def forget(self, runs: Collection[RunKey]) -> None:
        """Remove all outputs of these runs, which are of one job; no error where there are none."""


def size_of(result: Result | None) -> int:
    """Bytes of a result's text in UTF-8; 0 for no result."""
    return len(result.body.encode()) if result else 0


def whole(result: Result | None, error: RunError | None, expires_at: datetime) -> Output:
    """The output of an attempt with its whole result and error."""
    return Output(result=result, error=error, expires_at=expires_at, size=size_of(result))
