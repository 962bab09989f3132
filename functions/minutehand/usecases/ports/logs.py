"""Store of logs: what attempts of commands write while they run, in parts, and the whole when they have ended."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from minutehand.domain.run_key import RunKey


class LogRecord(NamedTuple):
    """What is known of an attempt's log.

    Attributes:
        parts: the highest number of a part that its agent was allowed to upload; 0 for none.
        parts_at: the beginning of the parts' keys; empty before the first.
        place: the key of the whole log; empty before its agent was allowed to upload that.
        followed_at: when somebody was last noted to follow it; None if nobody was.
    """

    parts: int = 0
    parts_at: str = ""
    place: str = ""
    followed_at: datetime | None = None

    def part(self, number: int) -> str:
        """The key of a part."""
        return f"{self.parts_at}log-{number:06}.gz"


class Stretch(NamedTuple):
    """Stored bytes, and the size of the object that they are from."""

    data: bytes
    size: int


class Logs(Protocol):
    """Logs of attempts. Reads are consistent."""

    def get(self, run: RunKey, attempt: int) -> LogRecord | None:
        """The record of a log; None if nobody has uploaded or followed it."""

    def note(self, run: RunKey, attempt: int, record: LogRecord, expires_at: datetime) -> None:
        """Note what was allowed to be uploaded. Who follows stays as stored."""

    def note_follower(self, run: RunKey, attempt: int, now: datetime, expires_at: datetime) -> None:
        """Note that somebody follows; the rest stays as stored."""

    def places(self, run: RunKey, attempt: int, *, whole: timedelta, parts: timedelta) -> LogRecord:
        """A new record: where a log goes, whose whole is kept for at least `whole`, and whose parts for at least `parts`."""

    def upload(self, place: str, length: int, lasts: timedelta) -> str:
        """A URL to which anybody may PUT exactly so many bytes until `lasts` is over. Makes no request."""

    def read(self, place: str, offset: int, most: int) -> Stretch | None:
        """Stored bytes from an offset on, none beyond the end; None if there is no such object (any more)."""
