"""A job's runs beside those of the old system: what both have, what one has alone, and how far apart they are. Pure."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from minutehand.domain.durations import format_duration
from minutehand.domain.instants import to_text
from minutehand.tools.comparing.clock_changes import ClockChange, clock_changes
from minutehand.tools.comparing.entries import Log, Times
from minutehand.tools.comparing.matching import Matched, match

LEFT_OUT = ("~trigger-", "~backfill-")
"""Runs that no schedule and no parent started, and that the old system therefore cannot have."""
MOST_SKIPS = 10_000
"""Most runs of a job that did not begin, of which the reasons are kept."""


class Runs:
    """The runs of a job here: when each began, and why others did not."""

    def __init__(self) -> None:
        self.begun = array("d")
        self._skipped: dict[float, str] = {}

    def add(self, run: Mapping[str, Any]) -> None:
        """Add a run, as the API shows it."""
        if any(mark in run["run_id"] for mark in LEFT_OUT):
            return
        starts_at = datetime.fromisoformat(run["starts_at"]).timestamp()
        if run["lateness_ms"] is not None:
            self.begun.append(starts_at + run["lateness_ms"] / 1000)
        elif len(self._skipped) < MOST_SKIPS:
            self._skipped[starts_at] = f"{run['state']}: {run['reason']}" if run.get("reason") else run["state"]

    def sort(self) -> None:
        """Put them in order. The API lists the newest first."""
        self.begun = array("d", sorted(self.begun))

    def instead(self, at: float, tolerance: float) -> str | None:
        """What became here of the run that the old system began at an instant; None if there is no such run."""
        near = [(abs(starts - at), why) for starts, why in self._skipped.items() if abs(starts - at) <= tolerance]
        return min(near)[1] if near else None


class Span(NamedTuple):
    """What is compared: from `first` to `last`, with a tolerance."""

    first: datetime
    last: datetime
    tolerance: timedelta


class Compared(NamedTuple):
    """A job, compared.

    Attributes:
        names: what the log calls it.
        matched: how its runs and the log's entries match.
        changes: the clock changes of its time zone.
    """

    job: str
    names: Sequence[str]
    runs: Runs
    there: Times
    matched: Matched
    changes: Sequence[ClockChange]

    @property
    def same(self) -> bool:
        """Whether neither side has a run that the other lacks."""
        return not self.matched.here and not self.matched.there

    def differing(self) -> Sequence[float]:
        """The instants that one side has alone."""
        begun, there = self.runs.begun, self.there.at
        return [*(begun[n] for n in self.matched.here), *(there[n] for n in self.matched.there)]

    def notes(self, tolerance: timedelta) -> Sequence[str]:
        """The clock changes, each with how many of the differences lie beside it; and whether the tolerance is too large for the job."""
        differing = self.differing()
        beside = [(change.text, sum(map(change.is_beside, differing))) for change in self.changes]
        changes = [
            f"{text}: {n} of {len(differing)} differences beside it" if differing else text for text, n in beside
        ]
        period = min(filter(None, map(_period, (self.runs.begun, self.there.at))), default=None)
        if period is None or tolerance < period / 2:
            return changes
        large = f"the tolerance of {format_duration(tolerance)} is not below half of the {format_duration(period)} between its runs"
        return [*changes, f"{large}, so runs may match their neighbours; give a smaller --tolerance"]

    def document(self, log: Log, span: Span, most: int) -> dict[str, Any]:
        """The comparison as JSON, with at most `most` of what each side has alone."""
        matched, tolerance = self.matched, span.tolerance.total_seconds()
        there = [
            {
                "at": _text(self.there.at[n]),
                "place": log.place(self.there.places[n]),
                "here": self.runs.instead(self.there.at[n], tolerance),
            }
            for n in matched.there[:most]
        ]
        return {
            "job": self.job,
            "names": list(self.names),
            "matched": matched.pairs,
            "only_here": {
                "count": len(matched.here),
                "first": [{"at": _text(self.runs.begun[n])} for n in matched.here[:most]],
            },
            "only_there": {"count": len(matched.there), "first": there},
            "difference_ms": {"median": _milliseconds(matched.median), "longest": _milliseconds(matched.longest)},
            "notes": list(self.notes(span.tolerance)),
        }


def compared(job: str, runs: Runs, named: Sequence[tuple[str, Times]], span: Span, timezone: str) -> Compared:
    """Compare the runs of a job with the entries of the log's names that mean it."""
    there = _merged([times for _, times in named])
    runs.sort()
    first, last = span.first.timestamp(), span.last.timestamp()
    matched = match(runs.begun, there.at, span.tolerance.total_seconds(), first, last)
    changes = [*clock_changes(timezone, span.first, span.last)]
    return Compared(job, [name for name, _ in named], runs, there, matched, changes)


def _merged(times: Sequence[Times]) -> Times:
    """The entries of several names of one job."""
    if len(times) == 1:
        return times[0]
    found = Times()
    for each in times:
        for at, place in zip(each.at, each.places, strict=True):
            found.add(at, place)
    found.sort()
    return found


def count_within(times: Times, span: Span) -> int:
    """How many entries lie in a span."""
    return bisect_left(times.at, span.last.timestamp() + 1e-6) - bisect_left(times.at, span.first.timestamp())


def _period(begun: Sequence[float]) -> timedelta | None:
    """The usual time between neighbours, in whole seconds; None for fewer than two."""
    gaps = [later - earlier for earlier, later in pairwise(begun)]
    return timedelta(seconds=max(1, round(median(gaps)))) if gaps else None


def _text(at: float) -> str:
    whole = datetime.fromtimestamp(at, UTC)
    return to_text(whole.replace(microsecond=whole.microsecond // 1000 * 1000))


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)
