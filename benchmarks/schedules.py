"""The schedule library: what comes next, what comes within a span, and what it takes to compile, to keep and to refuse."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

from cronsim import CronSim

from benchmarks import comparing, timers
from benchmarks.charts.chart import Chart
from benchmarks.expressions import HOSTILE, LATE, STEPPED, USUAL, ZONES
from benchmarks.rounds import ROUNDS, Contender, asking, durations
from benchmarks.table import Cell, Table, within
from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.clocktime import clock_times
from minutehand.schedule.crontab import crontab_timing

OCCURRENCES = 10_000
STEPPING_ROUNDS = 5
STEPPING_LEAST = 4.0
"""How many times the rate of cronsim `between` has at least."""
COMPILING_MOST = 1.0
REFUSING_MOST = 5.0
"""Milliseconds."""
_CHART = Chart(
    name="spans",
    kind="bars",
    over=("schedule", "zone"),
    values=("ours: µs per occurrence", "cronsim: µs per occurrence"),
    x="schedule, time zone",
    y="processor time per occurrence, µs",
)
_START = datetime(2026, 1, 1, tzinfo=UTC)
_HORIZON = timedelta(days=14_600)


def tables() -> list[Table]:
    """All of it."""
    return [comparing.table(), _stepping(), _compiling(), timers.table(), _refusing()]


def _stepping() -> Table:
    rows: list[tuple[Cell, ...]] = []
    holds, notes = True, []
    for zone in ZONES:
        for one in STEPPED:
            ours, theirs = steppers(one.text, zone)
            answers, others = (list(by.ask(by.prepare()[0])) for by in (ours, theirs))  # type: ignore[call-overload]  # both give lists
            remark = comparing.difference(
                [_START, *answers][: len(others)], answers, [at.astimezone(UTC) for at in others]
            )
            if remark:
                notes.append(f"cronsim answers `{one.text}` in {zone} otherwise {remark}.")
            taken = durations({"ours": ours, "theirs": theirs}, rounds=STEPPING_ROUNDS)
            ratio = taken["theirs"] / taken["ours"]
            holds &= ratio >= STEPPING_LEAST
            rows.append(
                (f"`{one.text}`", zone, taken["ours"] / OCCURRENCES * 1e6, taken["theirs"] / OCCURRENCES * 1e6, ratio)
            )
    return Table(
        title="What comes within a span",
        goal=f"≥ {STEPPING_LEAST:.0f} times the rate of cronsim, for each schedule",
        holds=holds,
        columns=("schedule", "zone", "ours: µs per occurrence", "cronsim: µs per occurrence", "cronsim / ours"),
        chart=_CHART,
        rows=tuple(rows),
        notes=(
            (
                f"`between` with a limit of {OCCURRENCES:,}, from the start of 2026, beside as many steps of one CronSim that was made before. Medians of "
                f"{STEPPING_ROUNDS} rounds of processor time, in turn."
            ),
            *notes,
        ),
    )


def steppers(text: str, zone: str, *, occurrences: int = OCCURRENCES) -> tuple[Contender, Contender]:
    """`between` and a CronSim's steps: each answers its one question with a list of instants."""
    schedule = Schedule.parse(text, timezone=zone)
    local = _START if zone == "UTC" else _START.astimezone(ZoneInfo(zone))
    ours = Contender(
        prepare=lambda: [_START], ask=lambda start: schedule.between(start, start + _HORIZON, limit=occurrences)
    )
    return ours, Contender(prepare=lambda: [CronSim(text, local)], ask=lambda made: list(islice(made, occurrences)))


_IN_NEW_ZONES = """
import json, sys
from time import process_time
from minutehand.schedule import Schedule
Schedule.parse("0 9 * * *")
def took(zone):
    began = process_time()
    Schedule.parse("0 9 * * *", timezone=zone)
    return process_time() - began
print(json.dumps([took(zone) - took(zone) for zone in sys.argv[1:]]))
"""


def _compiling() -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in USUAL:
        taken = durations(
            {
                "first": Contender(prepare=partial(_forgotten, one.text), ask=_compiled),
                "again": asking(one.text, _compiled),
            }
        )
        rows.append((f"`{one.text}`", one.meaning, taken["first"] * 1e3, taken["again"] * 1e3))
    worst = max(first for *_, first, _ in rows if isinstance(first, float))
    new = _run(_IN_NEW_ZONES, timers.ZONES)
    return Table(
        title="Compiling a text",
        goal=f"≤ {COMPILING_MOST:.0f} ms for the first time, for each schedule",
        holds=within(worst, COMPILING_MOST),
        columns=("schedule", "meaning", "first time, ms", "again, ms"),
        rows=tuple(rows),
        notes=(
            f"`Schedule.parse` in {ZONES[-1]}, medians of {ROUNDS} rounds of processor time. At the first time no table of times has been made before.",
            (
                f"The first schedule in a zone reads the zone's data besides, once in a process: {median(new) * 1e3:.1f} ms in the middle one of "
                f"{len(timers.ZONES)} zones, {max(new) * 1e3:.1f} ms in the slowest. A job that is saved and a function that starts pay that."
            ),
        ),
    )


def _compiled(text: str) -> Schedule:
    return Schedule.parse(text, timezone=ZONES[-1])


def _forgotten(text: str) -> list[str]:
    """The text, once nothing is left that compiling it, or another with the same times, has made before."""
    crontab_timing.cache_clear()
    clock_times.cache_clear()
    return [text]


def _run(program: str, arguments: Sequence[str]) -> list[float]:
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)  # noqa: S603 - this interpreter
    return list(json.loads(done.stdout))


def _refusing() -> Table:
    contenders = {what: asking(text, refusal) for what, text in HOSTILE.items()}
    refusals = {what: refusal(text) for what, text in HOSTILE.items()}
    taken = durations(contenders)
    worst = max(taken.values()) * 1e3
    late = durations({"late": asking(LATE, refusal)})["late"] * 1e3
    return Table(
        title="Refusing a hostile text",
        goal=f"each is refused, in less than {REFUSING_MOST:.0f} ms",
        holds=worst < REFUSING_MOST and all(refusals.values()),
        columns=("text", "refused for", "ms"),
        rows=tuple((what, shortened(refusals[what] or "**not refused**"), took * 1e3) for what, took in taken.items()),
        notes=(
            f"Medians of {ROUNDS} rounds of processor time. Each has been refused once before, which loads what the message needs.",
            f"Of {len(LATE)} texts joined, the most there may be, with the last one wrong, the others are compiled first: {late:.1f} ms.",
        ),
    )


def refusal(text: Any) -> str | None:
    """The message that a text is refused with; None when it is not."""
    try:
        Schedule.parse(text)
    except ScheduleError as refused:
        return refused.message
    return None


def shortened(text: str, most: int = 60) -> str:
    """A text that fits into a table's column."""
    text = text.replace("|", "¦")
    return text if len(text) <= most else f"{text[: most - 1]}…"
