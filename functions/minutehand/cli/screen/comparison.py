"""The comparison of runs with another scheduler's log, as a table with its differences, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import in_utc, milliseconds, rfc3339
from minutehand.cli.screen.words import counted
from minutehand.tools.comparing.comparison import Compared, Span, count_within
from minutehand.tools.comparing.entries import Log, Times, Unreadable

MOST_NAMES = 20
"""Most names that mean no job, and that are shown."""


class Findings(NamedTuple):
    """All that a comparison found.

    Attributes:
        unknown: names of the log that mean no job, with their entries and the reason.
        ignored: how many entries the mapping ignores.
    """

    span: Span
    log: Log
    jobs: Sequence[Compared]
    unknown: Sequence[tuple[str, Times, str]]
    ignored: int
    unreadable: Unreadable

    @property
    def same(self) -> bool:
        """Whether both did the same, as far as everything could be read and compared."""
        return all(job.same for job in self.jobs) and not self.unknown and not self.unreadable.count


def show_comparison(screen: Screen, found: Findings, most: int) -> None:
    """Print it. `most`: differences of a job and a side."""
    documents = [job.document(found.log, found.span, most) for job in found.jobs]
    if screen.as_json:
        screen.data(_data(found, documents))
        return
    first, last = (f"{each:%Y-%m-%d %H:%M:%S}" for each in (found.span.first, found.span.last))
    screen.line(f"from {first} to {last} UTC")
    if documents:
        columns = ["job", "matched", "only here", "only there", "median", "longest"]
        screen.table(columns, [_row(each) for each in documents])
    for each in documents:
        _print_differences(screen, each, most)
    for name, times, why in found.unknown[:MOST_NAMES]:
        times_text = counted(count_within(times, found.span), "time")
        screen.line(
            f"unknown name {name!r} ({times_text}, {found.log.place(times.places[0])}): {why}; --map '{name}=JOB'"
        )
    _print_counts(screen, found)


def _row(each: dict[str, Any]) -> list[str]:
    differences = [each["difference_ms"][name] for name in ("median", "longest")]
    return [
        each["job"],
        f"{each['matched']:,}",
        f"{each['only_here']['count']:,}",
        f"{each['only_there']['count']:,}",
        *("-" if value is None else _signed(value) for value in differences),
    ]


def _signed(value: int) -> str:
    """A difference: + if the run began later here."""
    return f"{'-' if value < 0 else '+'}{milliseconds(abs(value))}"


def _print_differences(screen: Screen, each: dict[str, Any], most: int) -> None:
    for name, where in (("only_here", "only here"), ("only_there", "only there")):
        side = each[name]
        for one in side["first"]:
            place = f" ({one['place']})" if "place" in one else ""
            here = f"; here {one['here']}" if one.get("here") else ""
            screen.line(f"{where}: {each['job']} {in_utc(one['at'])}{place}{here}")
        if most and side["count"] > most:
            screen.line(f"{where}: {each['job']} and {side['count'] - most:,} more")
    for note in each["notes"]:
        screen.line(f"{each['job']}: {note}")


def _print_counts(screen: Screen, found: Findings) -> None:
    if len(found.unknown) > MOST_NAMES:
        screen.line(f"and {counted(len(found.unknown) - MOST_NAMES, 'unknown name')} more")
    for place, unread in found.unreadable.first:
        screen.note(f"unreadable: {place}: {unread.message}{f'; {unread.hint}' if unread.hint else ''}")
    if found.unreadable.count > len(found.unreadable.first):
        screen.note(f"unreadable: {found.unreadable.count - len(found.unreadable.first):,} lines more")
    if found.ignored:
        screen.note(f"ignored: {counted(found.ignored, 'run')} of names mapped to -")
    differing = sum(not job.same for job in found.jobs)
    jobs = counted(len(found.jobs), "job")
    screen.line(f"{jobs} compared: the same" if found.same else f"{jobs} compared: {differing} differ")


def _data(found: Findings, documents: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "from": rfc3339(found.span.first),
        "to": rfc3339(found.span.last),
        "tolerance_ms": round(found.span.tolerance.total_seconds() * 1000),
        "same": found.same,
        "jobs": list(documents),
        "unknown_names": [
            {
                "name": name,
                "count": count_within(times, found.span),
                "place": found.log.place(times.places[0]),
                "why": why,
            }
            for name, times, why in found.unknown
        ],
        "ignored": found.ignored,
        "passed_over": found.log.passed_over,
        "unreadable": {
            "count": found.unreadable.count,
            "first": [
                {"place": place, "message": unread.message, "hint": unread.hint or None}
                for place, unread in found.unreadable.first
            ],
        },
    }
