"""Store of the sweep: how far it has looked, and the lists of runs that it looks at again. See `ports` for what every store promises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from minutehand.domain.run_key import RunKey

MOST_IN_A_LIST = 500
"""Most runs of one watchlist, so that a sweep that is short of time finishes some lists."""


class Span(NamedTuple):
    """The instants from `start` on and before `end`, whole seconds."""

    start: datetime
    end: datetime


class SweepProgress(NamedTuple):
    """How far sweeps have looked: an item that all sweeps share.

    Attributes:
        until: the runs scheduled before this instant have been looked at, except those of `left`.
        left: spans that sweeps had no time for, latest first.
        version: number of this item's changes.
    """

    until: datetime
    left: tuple[Span, ...] = ()
    version: int = 0


class Watchlist(NamedTuple):
    """Active runs that a sweep looks at again.

    Attributes:
        look_at: the first sweep after this instant looks at them.
        resends: how often in a row sweeps have sent these runs again.
    """

    look_at: datetime
    runs: tuple[RunKey, ...]
    resends: int = 0


class Sweeps(Protocol):
    """The sweep's progress, and its watchlists."""

    def progress(self) -> SweepProgress | None:
        """Read the progress; None before the first sweep."""

    def record(self, progress: SweepProgress) -> bool:
        """Replace the progress if the stored one has the preceding version, 0 if there is none; otherwise write nothing and return
        False."""

    def watch(self, watchlist: Watchlist) -> None:
        """Store a watchlist; storing it again changes nothing."""

    def due(self, now: datetime) -> Iterator[Sequence[Watchlist]]:
        """Pages of the watchlists with `look_at <= now`, latest first. May be stale."""

    def drop(self, watchlist: Watchlist) -> None:
        """Remove a watchlist; no error when it does not exist."""
