"""Outputs: what an attempt left beyond the few bytes that its run's own record holds."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from minutehand.domain.run import Result, RunError, RunKey


class Output(NamedTuple):
    """An attempt's result and error at full length or, where the result's text is too long, with the end of that.

    Attributes:
        size: of the result's whole text, in bytes of UTF-8.
        place: where the whole text is, for `Outputs.read` and `Outputs.link`; empty where it is here, or was not kept.
    """

    result: Result | None
    error: RunError | None
    expires_at: datetime
    size: int
    place: str = ""

    @property
    def truncated(self) -> bool:
        """Whether the result holds no more than the end of the text."""
        return self.size > size_of(self.result)


class Outputs(Protocol):
    """What attempts left, each written once and never changed. Reads are consistent."""

    def keep(self, run: RunKey, attempt: int, output: Output) -> None:
        """Keep an output beside its run; keeping another for the same attempt changes nothing."""

    def get(self, run: RunKey, attempt: int) -> Output | None:
        """What `keep` kept."""

    def store(self, run: RunKey, attempt: int, text: str, lasts: timedelta) -> str:
        """Store a text whole, at least for this long, and answer its place. Storing another for the same attempt, for as long,
        changes nothing."""

    def read(self, place: str) -> str | None:
        """The whole text; None when it is gone."""

    def link(self, place: str, lasts: timedelta) -> str:
        """A URL from which anybody may fetch the text for this long. It is not looked whether it is there."""

    def forget(self, runs: Collection[RunKey]) -> None:
        """Remove all that attempts of these runs of one job have left; no error where there is nothing."""


def size_of(result: Result | None) -> int:
    """Bytes of a result's text in UTF-8."""
    return len(result.body.encode()) if result else 0


def whole(result: Result | None, error: RunError | None, expires_at: datetime) -> Output:
    """An output at full length."""
    return Output(result=result, error=error, expires_at=expires_at, size=size_of(result))
