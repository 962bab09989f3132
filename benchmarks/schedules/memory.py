"""Memory of 100,000 compiled schedules, measured in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from random import Random
from typing import NamedTuple

from benchmarks.table import Table
from minutehand.schedule import Schedule

MOST = 60.0
"""Megabytes of all of them."""
TIMERS = 100_000
TEXTS = 10_000
"""Texts that are drawn, some of them equal, as in practice."""
_UTC_SHARE = 0.4
ZONES = (
    "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Toronto",
    "America/Mexico_City", "America/Bogota", "America/Lima", "America/Sao_Paulo", "America/Santiago",
    "America/Argentina/Buenos_Aires", "America/St_Johns", "Europe/London", "Europe/Dublin", "Europe/Lisbon",
    "Europe/Paris", "Europe/Berlin", "Europe/Madrid", "Europe/Rome", "Europe/Amsterdam", "Europe/Stockholm",
    "Europe/Warsaw", "Europe/Athens", "Europe/Helsinki", "Europe/Istanbul", "Africa/Cairo", "Africa/Casablanca",
    "Africa/Lagos", "Africa/Nairobi", "Africa/Johannesburg", "Asia/Jerusalem", "Asia/Dubai", "Asia/Karachi",
    "Asia/Kolkata", "Asia/Dhaka", "Asia/Bangkok", "Asia/Singapore", "Asia/Shanghai", "Asia/Tokyo", "Asia/Seoul",
    "Australia/Perth", "Australia/Sydney", "Australia/Lord_Howe", "Pacific/Auckland",
)  # fmt: skip
# Each program reads the stored schedules and prints by how many bytes decoding them grew it.
_TRACED = """
import gc, sys, tracemalloc
from minutehand.schedule import Schedule
stored = sys.stdin.read().split("\\n")
tracemalloc.start()
held = [Schedule.decode(one) for one in stored]
gc.collect()
print(tracemalloc.get_traced_memory()[0])
"""
_RESIDENT = """
import gc, os, sys
from minutehand.schedule import Schedule
def resident():
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
stored = sys.stdin.read().split("\\n")
before = resident()
held = [Schedule.decode(one) for one in stored]
print(resident() - before)
"""


class Sample(NamedTuple):
    """Schedules in their stored form, and the numbers of different texts, zones and pairs of both."""

    stored: list[str]
    texts: int
    zones: int
    pairs: int


def _sample() -> Sample:
    dice = Random(1)  # noqa: S311 - a reproducible sample
    drawn = [_text(dice) for _ in range(TEXTS)]
    compiled = {text: Schedule.parse(text) for text in dict.fromkeys(drawn)}
    pairs = [(dice.choice(drawn), dice.choice(ZONES) if dice.random() >= _UTC_SHARE else "UTC") for _ in range(TIMERS)]
    stored = {(text, zone): _in_zone(compiled[text], zone).encode() for text, zone in dict.fromkeys(pairs)}
    found = [{pair[n] for pair in stored} for n in (0, 1)]
    return Sample([stored[pair] for pair in pairs], texts=len(found[0]), zones=len(found[1]), pairs=len(stored))


def table() -> Table:
    """The memory of decoded schedules."""
    sample = _sample()
    traced = _measured(_TRACED, sample.stored)
    resident = _measured(_RESIDENT, sample.stored) if sys.platform == "linux" else None
    return Table(
        title="Memory of 100,000 compiled schedules",
        goal=f"≤ {MOST:.0f} MB, traced and resident",
        holds=all(size <= MOST for size in (traced, resident) if size is not None),
        columns=("schedules", "texts", "zones", "texts in zones", "traced MB", "resident MB", "bytes for each"),
        rows=(
            (
                len(sample.stored),
                sample.texts,
                sample.zones,
                sample.pairs,
                traced,
                resident,
                round(traced * 1e6 / len(sample.stored)),
            ),
        ),
        notes=(
            (
                "What decoding stored schedules adds to a process without a parser, like the tick, tables of zones and times included. "
                "Traced: by `tracemalloc`. Resident: the growth of a second process."
            ),
            (
                f"A random sample of daily, weekday, hourly, weekly and monthly times, lists, steps, seconds, last days and fixed rates: {TEXTS:,} texts. "
                f"Each timer has one of them and a zone: UTC for {_UTC_SHARE:.0%}, one of {len(ZONES)} others for the rest."
            ),
        ),
    )


def _in_zone(schedule: Schedule, zone: str) -> Schedule:
    """The same schedule in another zone; no text of the sample compiles differently there."""
    parts = tuple(replace(part, timezone=zone) for part in schedule.parts)
    return Schedule(schedule.text, zone, schedule.dialect, parts)


def _measured(program: str, stored: list[str]) -> float:
    """The growth of a program, in megabytes."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input="\n".join(stored), capture_output=True, text=True, check=False)  # noqa: S603 - this interpreter
    if done.returncode:
        raise RuntimeError(f"the measured process failed: {done.stderr.strip().splitlines()[-1]}")
    return int(done.stdout) / 1e6


def _text(dice: Random) -> str:
    minute, hour, day = dice.randrange(60), dice.randrange(24), dice.randrange(1, 29)
    later = (hour + dice.randrange(1, 24)) % 24
    return dice.choices(
        (
            f"{minute} {hour} * * *",
            f"{minute} {hour} * * MON-FRI",
            f"{minute} * * * *",
            f"*/{dice.choice((1, 2, 5, 10, 15, 20, 30))} * * * *",
            f"{minute} {hour} * * {dice.randrange(7)}",
            f"{minute} {hour} {day} * *",
            f"{minute} {hour},{later} * * *",
            f"{minute} {min(hour, later)}-{max(hour, later)} * * MON-FRI",
            f"{dice.randrange(60)} {minute} {hour} * * *",
            f"{minute} {hour} L * *",
            f"{minute} {hour} * * MON#{dice.randrange(1, 5)}",
            f"@every {dice.randrange(1, 600)}m",
        ),
        weights=(28, 12, 12, 10, 8, 8, 6, 4, 4, 2, 2, 4),
    )[0]
