"""Statistics of runs: how they ended, how long they took, and how late they began. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from minutehand.domain.run import Run, RunState

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
_BAD = (RunState.FAILED, RunState.TIMED_OUT, RunState.LOST)


class Bucket(Enum):
    """Length of the buckets into which runs are divided by their scheduled instants, in UTC."""

    HOUR = "hour"
    """An hour."""
    DAY = "day"
    """A day."""

    def start_of(self, instant: datetime) -> datetime:
        """The start of the bucket that an instant belongs to."""
        hour = instant.replace(minute=0, second=0, microsecond=0)
        return hour if self is Bucket.HOUR else hour.replace(hour=0)


class Percentiles(NamedTuple):
    """Percentiles by nearest rank: the least of the values that so many percent of them do not exceed. None without values."""

    p50: timedelta | None
    p95: timedelta | None

    @classmethod
    def of(cls, values: Iterable[timedelta]) -> Percentiles:
        """The percentiles of these values."""
        ordered = sorted(values)
        return cls(_nearest_rank(ordered, 50), _nearest_rank(ordered, 95))


class Tally(NamedTuple):
    """What some runs have in common.

    Attributes:
        outcomes: the number of runs in each state that a run has.
        duration: of the newest attempts of runs that succeeded, failed or timed out.
        lateness: of the runs that began, from their earliest start to their first attempt.
    """

    outcomes: Mapping[RunState, int]
    duration: Percentiles
    lateness: Percentiles

    @property
    def runs(self) -> int:
        """The number of runs."""
        return sum(self.outcomes.values())

    @property
    def success_rate(self) -> float | None:
        """The share of successes among the runs that succeeded, failed, timed out or were lost; None if there are none. Cancelled and
        skipped runs do not count."""
        succeeded = self.outcomes.get(RunState.SUCCEEDED, 0)
        ended = succeeded + sum(self.outcomes.get(state, 0) for state in _BAD)
        return succeeded / ended if ended else None

    @classmethod
    def of(cls, runs: Iterable[Run]) -> Tally:
        """The tally of these runs."""
        every = [*runs]
        measured = (RunState.SUCCEEDED, RunState.FAILED, RunState.TIMED_OUT)
        return cls(
            Counter(run.state for run in every),
            Percentiles.of(run.duration for run in every if run.state in measured and run.duration is not None),
            Percentiles.of(run.lateness for run in every if run.lateness is not None),
        )


def by_bucket(runs: Iterable[Run], length: Bucket) -> list[tuple[datetime, Tally]]:
    """The start and the tally of each bucket that has a run, oldest first."""
    groups: defaultdict[datetime, list[Run]] = defaultdict(list)
    for run in runs:
        groups[length.start_of(run.scheduled_for)].append(run)
    return [(start, Tally.of(groups[start])) for start in sorted(groups)]


def _nearest_rank(ordered: Sequence[timedelta], percent: int) -> timedelta | None:
    return ordered[-(-len(ordered) * percent // 100) - 1] if ordered else None
