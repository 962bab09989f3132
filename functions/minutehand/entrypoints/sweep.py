"""Sweep function, every minute: sends overdue runs again, starts drains if there are dead letters, moves timers to their shards and
out of buckets, and renews timers for new time zone data."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, Any

from minutehand.adapters.dynamodb.buckets import DynamoBuckets
from minutehand.adapters.invocation import Start
from minutehand.adapters.sharding import BUCKETS
from minutehand.domain.errors import Unavailable, Unreadable, unanswered
from minutehand.entrypoints.bootstrap import dead_letters, ports, time_left
from minutehand.entrypoints.clients import aws_lambda, clock, dynamodb, settings
from minutehand.entrypoints.metrics import Metric, count, measured
from minutehand.entrypoints.sharding import index
from minutehand.entrypoints.telemetry import logger
from minutehand.schedule import TZDATA_VERSION
from minutehand.usecases.upkeep.buckets import unpack_strays
from minutehand.usecases.upkeep.renew import renew
from minutehand.usecases.upkeep.reshard import Resharding
from minutehand.usecases.upkeep.rests import Rests
from minutehand.usecases.upkeep.sweep import sweep

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from minutehand.domain.run_key import RunKey

TimeLeft = Callable[[], timedelta]

SENDING, UNPACKING, RENEWING = timedelta(seconds=50), timedelta(seconds=20), timedelta(seconds=45)
"""Time limits of these steps; moving has its own. Sending comes first and takes under a minute, so that no two sweeps send at the same
time. Two sweeps may move, unpack or renew at the same time, which is safe: each move of a timer is conditional on what was read."""

LETTERS_OF_ONE = 500
"""Dead letters for each drain that a sweep starts: about as many as one drains in its minute, at a tenth of a second each."""
MOST_DRAINS = 4
"""Most drains that a sweep starts: together they drain 2,000 dead letters a minute. With the sweep itself, they are as many executions as a
small account leaves to all but workers (infra/deploy/concurrency.py)."""


@cache
def _resharding() -> Resharding:
    return Resharding(
        index(), over=settings().due_shards, clock=clock, wait=lambda pause: time.sleep(pause.total_seconds())
    )


@cache
def _buckets() -> DynamoBuckets:
    return DynamoBuckets(dynamodb(), settings().jobs_table, shards=settings().due_shards)


@cache
def _rests() -> Rests:
    return Rests(clock)


@measured
def handler(_event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Send overdue runs again, have dead letters drained, move timers to their shards, unpack timers, and renew timers, each once within
    its time limit.

    An error of one step does not stop the others. Moving and renewing rest for some minutes when they find nothing to do.

    Raises:
        Unavailable: the first error, after all steps.
    """
    answer: dict[str, Any] = {}
    errors: list[Unavailable] = []
    left = time_left(context)
    steps = (
        ("resent", _sweep),
        ("dead_letters", _drain),
        ("resharded", _reshard),
        ("unpacked", _unpack),
        ("renewed", _renew),
    )
    for name, do in steps:
        try:
            answer[name] = do(left)
        except Unavailable as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return answer


def limited(left: TimeLeft, limit: timedelta) -> TimeLeft:
    """What is left of this time from now on, or of `limit` if that is less."""
    begun = left()
    return lambda: min(left(), limit - (begun - left()))


def _reshard(left: TimeLeft) -> int:
    moved = _rests().unless_resting("reshard", lambda: _resharding().go_on(left))
    if moved:
        logger.info("timers moved to other shards", action="reshard", timers=moved, shards=settings().due_shards)
    count(Metric.TIMERS_RESHARDED, moved)
    return moved


def _sweep(left: TimeLeft) -> int:
    refused: list[Unavailable] = []

    def failed(key: RunKey, trouble: Unavailable) -> None:
        logger.warning("run not sent again", action="sweep", job=str(key.job), run_id=key.run_id, problem=str(trouble))
        if unanswered(trouble):
            refused.append(trouble)

    def unreadable(trouble: Unreadable) -> None:
        logger.error("entry of runs not read", action="sweep", problem=str(trouble))

    resent = sweep(ports(), time_left=limited(left, SENDING), failed=failed, unreadable=unreadable)
    for key in resent:
        logger.warning("run sent again", action="sweep", job=str(key.job), run_id=key.run_id)
    count(Metric.RUNS_SWEPT, len(resent))
    if refused and not resent:
        raise Unavailable(f"no run could be sent again; problems: {len(refused)}, the first: {refused[0]}")
    return len(resent)


def _drain(_left: TimeLeft) -> int:
    """Start drains if there are dead letters: one call a minute costs less than a mapping, which would poll the queue all the time.

    Raises:
        Unavailable: if a drain cannot be started, or, after the start, if a queue cannot be counted.
    """
    waiting = 0
    uncounted: list[Unavailable] = []
    for queue in dead_letters():
        try:
            waiting += queue.waiting()
        except Unavailable as error:
            uncounted.append(error)
    start = Start(aws_lambda, settings().drain_function)
    for _ in range(min(MOST_DRAINS, ceil(waiting / LETTERS_OF_ONE))):
        start()
    if uncounted:
        raise uncounted[0]
    return waiting


def _unpack(left: TimeLeft) -> int:
    unpacked = unpack_strays(_buckets(), buckets=BUCKETS, now=clock(), time_left=limited(left, UNPACKING))
    if unpacked:
        logger.info("timers moved from a bucket to the due index", action="unpack", timers=unpacked)
    return unpacked


def _renew(left: TimeLeft) -> int:
    within = limited(left, RENEWING)
    renewed = _rests().unless_resting("renew", lambda: renew(ports(), time_left=within))
    if renewed:
        logger.info("timers moved by new time zone data", action="renew", timers=renewed, tzdata=TZDATA_VERSION)
    count(Metric.TIMERS_RENEWED, renewed)
    return renewed
