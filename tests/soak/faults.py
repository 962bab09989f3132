"""Faults: a timetable drawn from the seed, and what each does to the stack."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from botocore.exceptions import BotoCoreError, ClientError

from tests.soak.evidence import Fault
from tests.soak.stack import SoakStack

WORKER, TICK = "HttpWorkerFunction", "TickFunction"
DISPATCHERS = (TICK, "SweepFunction")


@dataclass(frozen=True)
class Planned:
    """A fault to come: its kind, its start and length in seconds from the beginning, and a number in [0, 1) for the choices that it has."""

    kind: str
    at: float
    seconds: float
    draw: float


def timetable(seed: int, seconds: float) -> tuple[Planned, ...]:
    """The faults of a soak of this length, in three lanes that run at once: kills of workers, kills of ticks, and everything else.

    The third lane goes through its kinds in an order of its own, again and again, so that a short soak has each at least once.
    """
    dice = random.Random(f"faults {seed}")
    short = seconds < 600
    found = _lane(dice, ["worker killed"], seconds, gap=(8, 20) if short else (10, 45), length=(0, 0))
    found += _lane(dice, ["tick killed"], seconds, gap=(25, 50) if short else (40, 120), length=(0, 0))
    kinds = [kind for kind in ACTIONS if not kind.endswith("killed")]
    found += _lane(dice, kinds, seconds, gap=(4, 9) if short else (20, 70), length=(8, 16) if short else (20, 100))
    return tuple(sorted(found, key=lambda planned: planned.at))


def _lane(
    dice: random.Random, kinds: list[str], seconds: float, *, gap: tuple[float, float], length: tuple[float, float]
) -> list[Planned]:
    found: list[Planned] = []
    bag: list[str] = []
    at = dice.uniform(*gap)
    while True:
        if not bag:
            bag = dice.sample(kinds, len(kinds))
        kind = bag.pop()
        longest = LONGEST.get(kind, length[1])
        lasts = min(dice.uniform(*length), longest)
        if at + lasts > seconds:
            return found
        found.append(Planned(kind, at, lasts, dice.random()))
        at += lasts + dice.uniform(*gap)


def act(stack: SoakStack, planned: Planned, wait: Callable[[float], object]) -> Fault:
    """Do it, and say what was done. wait: sleeps, but ends early when the soak is stopped."""
    start, count, problem = datetime.now(UTC), 0, ""
    try:
        count = ACTIONS[planned.kind](stack, planned, wait)
    except (BotoCoreError, ClientError) as error:
        problem = str(error)
    return Fault(kind=planned.kind, start=start, end=datetime.now(UTC), count=count, problem=problem)


Wait = Callable[[float], object]


def _kill_worker(stack: SoakStack, planned: Planned, wait: Wait) -> int:
    """Kill one worker process, or, one time in four, all of them."""
    pids = stack.processes(WORKER)
    if planned.draw > 0.25 and pids:
        pids = [pids[int(planned.draw * 1e6) % len(pids)]]
    return stack.kill(pids)


def _kill_tick(stack: SoakStack, planned: Planned, wait: Wait) -> int:
    """Start one more tick and kill the ticks that are under way within its first half second."""
    stack.tick()
    time.sleep(planned.draw / 2)
    return stack.kill(stack.processes(TICK))


def _workers_without_tables(stack: SoakStack, planned: Planned, wait: Wait) -> int:
    return _without_tables(stack, (WORKER,), planned.seconds, wait)


def _ticks_without_tables(stack: SoakStack, planned: Planned, wait: Wait) -> int:
    return _without_tables(stack, DISPATCHERS, planned.seconds, wait)


def _without_tables(stack: SoakStack, functions: tuple[str, ...], seconds: float, wait: Wait) -> int:
    for output in functions:
        stack.deny_tables(output)
    try:
        wait(seconds)
    finally:
        for output in functions:
            stack.allow_tables(output)
    return 1


def _halt_workers(stack: SoakStack, planned: Planned, wait: Wait) -> int:
    return _halted(stack, stack.processes(WORKER), planned.seconds, wait)


def _halt_ticks(stack: SoakStack, planned: Planned, wait: Wait) -> int:
    return _halted(stack, stack.processes(TICK), planned.seconds, wait)


def _halt_emulator(stack: SoakStack, planned: Planned, wait: Wait) -> int:
    return _halted(stack, stack.emulator(), planned.seconds, wait)


def _halted(stack: SoakStack, pids: list[int], seconds: float, wait: Wait) -> int:
    try:
        count = stack.halt(pids)
        wait(seconds)
    finally:
        stack.go_on(pids)
    return count


def _purge(stack: SoakStack, planned: Planned, wait: Wait) -> int:
    return stack.purge()


def _double(stack: SoakStack, planned: Planned, wait: Wait) -> int:
    return stack.double(seconds=min(planned.seconds, 10))


ACTIONS: dict[str, Callable[[SoakStack, Planned, Wait], int]] = {
    "worker killed": _kill_worker,
    "tick killed": _kill_tick,
    "workers cannot read tables": _workers_without_tables,
    "ticks cannot read tables": _ticks_without_tables,
    "workers halted": _halt_workers,
    "ticks halted": _halt_ticks,
    "emulator halted": _halt_emulator,
    "purged": _purge,
    "doubled": _double,
}
LONGEST = {"emulator halted": 30.0, "doubled": 10.0, "purged": 0.0}
"""Seconds at most: the API must answer people again, and a purge takes no time."""
