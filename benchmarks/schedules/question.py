"""The question `schedules`: next occurrences, ranges of occurrences, compiling, memory, and refusing."""

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

from benchmarks.schedules import memory, next_occurrence
from benchmarks.schedules.expressions import INVALID, LAST_INVALID, STEPPED, USUAL, ZONES
from benchmarks.table import Cell, Table, within
from benchmarks.timing import ROUNDS, Contender, asking, durations
from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.clocktime import clock_times
from minutehand.schedule.crontab import crontab_timing

OCCURRENCES = 10_000
RANGE_ROUNDS = 5
RANGE_LEAST = 4.0
COMPILING_MOST = 1.0
REFUSING_MOST = 5.0
"""Milliseconds."""
_START = datetime(2026, 1, 1, tzinfo=UTC)
_HORIZON = timedelta(days=14_600)


def tables() -> list[Table]:
    """All tables of the question."""
    return [next_occurrence.table(), _ranges(), _compiling(), memory.table(), _refusing()]


def _ranges() -> Table:
    rows: list[tuple[Cell, ...]] = []
    holds, notes = True, []
    for zone in ZONES:
        for text, _ in STEPPED:
            ours, theirs = _ranging(text, zone)
            answers, others = (list(by.ask(by.prepare()[0])) for by in (ours, theirs))  # type: ignore[call-overload]  # both return lists
            instants = [_START, *answers][: len(others)]
            remark = next_occurrence.difference(instants, answers, [at.astimezone(UTC) for at in others])
            if remark:
                notes.append(f"cronsim differs for `{text}` in {zone}: {remark}.")
            taken = durations({"ours": ours, "theirs": theirs}, rounds=RANGE_ROUNDS)
            ratio = taken["theirs"] / taken["ours"]
            holds &= ratio >= RANGE_LEAST
            each = (taken[name] / OCCURRENCES * 1e6 for name in ("ours", "theirs"))
            rows.append((f"`{text}`", zone, *each, ratio))
    return Table(
        title="Occurrences in a range",
        goal=f"≥ {RANGE_LEAST:.0f} times the rate of cronsim, for each schedule",
        holds=holds,
        columns=("schedule", "zone", "ours: µs per occurrence", "cronsim: µs per occurrence", "cronsim / ours"),
        rows=tuple(rows),
        notes=(
            (
                f"The first {OCCURRENCES:,} occurrences of 2026, by `between` with a limit and by steps of one existing CronSim. Medians of "
                f"{RANGE_ROUNDS} rounds of processor time, in turn."
            ),
            *notes,
        ),
    )


def _ranging(text: str, zone: str) -> tuple[Contender, Contender]:
    """The first occurrences by `between` and by a CronSim, as lists."""
    schedule = Schedule.parse(text, timezone=zone)
    local = _START if zone == "UTC" else _START.astimezone(ZoneInfo(zone))
    ours = Contender(
        prepare=lambda: [_START], ask=lambda start: schedule.between(start, start + _HORIZON, limit=OCCURRENCES)
    )
    return ours, Contender(prepare=lambda: [CronSim(text, local)], ask=lambda made: list(islice(made, OCCURRENCES)))


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
    for text, meaning in USUAL:
        first = Contender(prepare=partial(_uncached, text), ask=_compile)
        taken = durations({"first": first, "again": asking(text, _compile)})
        rows.append((f"`{text}`", meaning, taken["first"] * 1e3, taken["again"] * 1e3))
    worst = max(first for *_, first, _ in rows if isinstance(first, float))
    new = _run(_IN_NEW_ZONES, memory.ZONES)
    return Table(
        title="Compiling a schedule",
        goal=f"≤ {COMPILING_MOST:.0f} ms for the first time, for each schedule",
        holds=within(worst, COMPILING_MOST),
        columns=("schedule", "meaning", "first time, ms", "again, ms"),
        rows=tuple(rows),
        notes=(
            f"`Schedule.parse` in {ZONES[-1]}, medians of {ROUNDS} rounds of processor time. The first time, no table of times is cached.",
            (
                f"The first schedule in a zone also reads the zone's data, once a process: {median(new) * 1e3:.1f} ms in the median of "
                f"{len(memory.ZONES)} zones, {max(new) * 1e3:.1f} ms in the slowest. Saving a job and starting a function cost that."
            ),
        ),
    )


def _compile(text: str) -> Schedule:
    return Schedule.parse(text, timezone=ZONES[-1])


def _uncached(text: str) -> list[str]:
    """The text, with all caches of compiling cleared."""
    crontab_timing.cache_clear()
    clock_times.cache_clear()
    return [text]


def _run(program: str, arguments: Sequence[str]) -> list[float]:
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)  # noqa: S603 - this interpreter
    return list(json.loads(done.stdout))


def _refusing() -> Table:
    refusals = {what: _refusal(text) for what, text in INVALID.items()}
    taken = durations({what: asking(text, _refusal) for what, text in INVALID.items()})
    last = durations({"last": asking(LAST_INVALID, _refusal)})["last"] * 1e3
    return Table(
        title="Refusing invalid texts",
        goal=f"each is refused, in less than {REFUSING_MOST:.0f} ms",
        holds=max(taken.values()) * 1e3 < REFUSING_MOST and all(refusals.values()),
        columns=("text", "message", "ms"),
        rows=tuple((what, _shortened(refusals[what] or "**not refused**"), took * 1e3) for what, took in taken.items()),
        notes=(
            f"Medians of {ROUNDS} rounds of processor time. Each text was refused once before, which loads what its message needs.",
            f"{len(LAST_INVALID)} joined texts, the most allowed, with the last one wrong: {last:.1f} ms, because the others are compiled first.",
        ),
    )


def _refusal(text: Any) -> str | None:
    """The message that refuses a text; None for a valid one."""
    try:
        Schedule.parse(text)
    except ScheduleError as error:
        return error.message
    return None


def _shortened(text: str, most: int = 60) -> str:
    """A text for a table's cell."""
    text = text.replace("|", "¦")
    return text if len(text) <= most else f"{text[: most - 1]}…"
