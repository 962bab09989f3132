"""Contenders that play rounds in turn, so that a slow machine slows all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from statistics import median
from threading import Timer
from typing import IO, cast

from benchmarks import baselines
from benchmarks.dispatch.rounds import Round
from benchmarks.table import ratio

_TIMEOUT = 600.0
"""Seconds for a baseline to be ready, or to prepare and play a round."""


class Kind(Enum):
    """What dispatches."""

    MINUTEHAND = "Minutehand"
    BARE = "bare boto3"
    APSCHEDULER = "APScheduler 3"
    CELERY = "Celery beat"


@dataclass(kw_only=True)
class Contender:
    """A dispatcher with its server and its rounds.

    Attributes:
        failure: why it has no rounds.
    """

    kind: Kind
    server: str
    load: int
    play: Callable[[], Round]
    rounds: list[Round] = field(default_factory=list)
    failure: str = ""

    @property
    def costs(self) -> list[float]:
        """Seconds of processor time per occurrence, by round."""
        return [one.processor / one.sent for one in self.rounds]

    @property
    def rate(self) -> float:
        """The median of occurrences a second."""
        return median(one.sent / one.elapsed for one in self.rounds)

    def relative_to(self, other: Contender) -> float:
        """Its processor time as a multiple of another's."""
        return ratio(self.costs, other.costs)


def play_rounds(contenders: Sequence[Contender], *, rounds: int) -> None:
    """Play rounds in turn, in the opposite order every other time. A contender that fails loses all its rounds."""
    for turn in range(rounds):
        for one in contenders if turn % 2 == 0 else reversed(contenders):
            if one.failure:
                continue
            try:
                done = one.play()
                if not done.sent:
                    raise RuntimeError("it sent nothing in a whole round")  # noqa: TRY301 - handled like every failure
            except Exception as error:  # noqa: BLE001 - one failure does not stop the others
                one.rounds.clear()
                one.failure = f"{type(error).__name__}: {error}"
            else:
                one.rounds.append(done)


@contextmanager
def baseline(module: str, *arguments: str, server: str) -> Iterator[Callable[[], Round]]:
    """A baseline that is ready; call it to play a round.

    Raises:
        AbsentError: when its libraries are not installed.
        RuntimeError: when it fails.
    """
    name = f"benchmarks.dispatch.{module}"
    with baselines.running(name, *arguments, environment={"MINUTEHAND_SERVER": server}, interactive=True) as process:
        requests = cast("IO[str]", process.process.stdin)

        def play() -> Round:
            with suppress(BrokenPipeError):  # it has ended; reading reports how
                requests.write("round\n")
                requests.flush()
            return Round(*json.loads(_line(process)))

        _line(process)
        yield play


def _line(process: baselines.Baseline) -> str:
    """The next line that a baseline writes."""
    watchdog = Timer(_TIMEOUT, process.process.kill)
    watchdog.start()
    try:
        line = cast("IO[str]", process.process.stdout).readline()
    finally:
        watchdog.cancel()
    if not line:
        raise process.failure()
    return line
