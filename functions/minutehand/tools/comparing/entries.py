"""Entries of another scheduler's log: what ran, and when; lines that cannot be read; and all of them by name, in little memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

MOST = 2_000_000
"""Most entries of logs that are compared at once: 16 bytes each."""
MOST_NAMES = 10_000
LONGEST_NAME = 4_000
MOST_UNREAD = 20
"""Most unreadable lines that are kept; the others are counted."""


class Entry(NamedTuple):
    """One run of the old system.

    Attributes:
        at: when it ran, in UTC.
        name: what it calls the job; of a crontab, the command.
        line: the number of its line, or of its item in a document.
    """

    at: datetime
    name: str
    line: int


class Unread(NamedTuple):
    """A line, or an item of a document, that should tell of a run and cannot be read."""

    line: int
    message: str
    hint: str = ""


@dataclass(kw_only=True)
class Unreadable:
    """The lines that should tell of a run and cannot be read: how many, and the first of them, each with its place."""

    count: int = 0
    first: list[tuple[str, Unread]] = field(default_factory=list)

    def add(self, file: str, found: Unread) -> None:
        """Count a line, and keep it if it is among the first."""
        self.count += 1
        if len(self.first) < MOST_UNREAD:
            self.first.append((f"{file}:{found.line}", found))


class TooMany(Exception):
    """The logs have more entries, or more names, than can be compared at once."""


class Times:
    """The instants at which something ran, each with the place of its entry, in order of time once `sorted` was called."""

    def __init__(self) -> None:
        self.at, self.places = array("d"), array("q")

    def __len__(self) -> int:
        return len(self.at)

    def add(self, at: float, place: int) -> None:
        """Add an instant, in seconds since 1970."""
        self.at.append(at)
        self.places.append(place)

    def sort(self) -> None:
        """Put the instants in order. Most logs are in order already."""
        if any(later < earlier for earlier, later in zip(self.at, self.at[1:], strict=False)):
            order = sorted(range(len(self.at)), key=self.at.__getitem__)
            self.at = array("d", (self.at[n] for n in order))
            self.places = array("q", (self.places[n] for n in order))


class Log:
    """The entries of one or more logs, by name.

    Attributes:
        passed_over: how many lines tell of something else.
    """

    def __init__(self, first: datetime | None, last: datetime | None) -> None:
        """Args:
        first, last: entries before or after these are left out.
        """
        self._first = first.timestamp() if first else float("-inf")
        self._last = last.timestamp() if last else float("inf")
        self._files: list[str] = []
        self._times: dict[str, Times] = {}
        self._count = 0
        self.passed_over = 0

    def open(self, file: str) -> None:
        """Say of which file the entries that follow are."""
        self._files.append(file)

    def add(self, entry: Entry) -> None:
        """Add an entry of the file that was opened last.

        Raises:
            TooMany: for more entries than can be compared at once.
        """
        at = entry.at.timestamp()
        if not self._first <= at <= self._last:
            return
        times = self._times.get(entry.name)
        if times is None:
            if len(self._times) >= MOST_NAMES:
                raise TooMany(
                    f"the log has more than {MOST_NAMES:,} names; the time or the name may be read from the wrong field"
                )
            times = self._times[entry.name] = Times()
        self._count += 1
        if self._count > MOST:
            raise TooMany(f"the log has more than {MOST:,} entries; compare a shorter time with --from and --to")
        times.add(at, (len(self._files) - 1) << 40 | entry.line)

    def names(self) -> Iterator[tuple[str, Times]]:
        """Each name with its instants, in order."""
        for name in sorted(self._times):
            times = self._times[name]
            times.sort()
            yield name, times

    def place(self, place: int) -> str:
        """A place as file and line: `cron.log:118`."""
        return f"{self._files[place >> 40]}:{place & (1 << 40) - 1}"

    @property
    def span(self) -> tuple[datetime, datetime] | None:
        """The first and the last instant of all entries; None if there are none."""
        if not self._count:
            return None
        first = min(min(times.at) for times in self._times.values())
        last = max(max(times.at) for times in self._times.values())
        return datetime.fromtimestamp(first, UTC), datetime.fromtimestamp(last, UTC)
