"""Tick function, every minute: claims what is due, enqueues the runs and advances the timers. If much is due, it delegates shards and
buckets to further invocations of itself."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from minutehand.entrypoints.garbage import collection_paused

with collection_paused():
    from collections import deque
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

    from minutehand.adapters.invocation import Successor
    from minutehand.adapters.sharding import BUCKETS
    from minutehand.domain.errors import Unavailable
    from minutehand.entrypoints.bootstrap import ports, time_left
    from minutehand.entrypoints.clients import aws_lambda, settings
    from minutehand.entrypoints.metrics import Metric, count, measured, milliseconds
    from minutehand.entrypoints.sharding import shards_to_read
    from minutehand.entrypoints.telemetry import logger
    from minutehand.usecases.dispatching.tick import Parts, share, tick

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from minutehand.usecases.dispatching.claim import DispatchReport

T = TypeVar("T")
R = TypeVar("R")
AT_A_TIME = 4
"""Number of groups of timers that are dispatched in parallel: while one group waits for DynamoDB, others are planned."""


@measured
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Tick once, or dispatch the shards and buckets that another tick has delegated: `{"shards": [3, 7], "buckets": [1]}`.

    Other keys of the event are ignored.

    Raises:
        ValueError: if the shards or the buckets are not a list of numbers.
        Unavailable: if nothing could be done, so that the `Errors` metric of Lambda rises. The next tick finds the same work.
    """
    handed = {key: event[key] for key in Parts._fields if event.get(key) is not None}
    if handed:
        parts = Parts(**{key: _numbers(key, numbers) for key, numbers in handed.items()})
        dispatched = share(ports(shards_to_read()), parts=parts, time_left=time_left(context), parallel=_threads())
    else:
        dispatched = _tick(context)
    for problem in dispatched.problems:
        logger.warning(problem, action="tick")
    answer: dict[str, Any] = {
        "timers": dispatched.timers,
        "claimed": dispatched.claimed,
        "sent": dispatched.sent,
        "skipped_ranges": dispatched.skipped_ranges,
        "handed_over": dispatched.handed_over,
        "stopped_early": dispatched.stopped_early,
    }
    logger.info("shared" if handed else "ticked", action="tick", **answer)
    count(Metric.RUNS_CLAIMED, dispatched.claimed)
    count(Metric.DISPATCH_LATENESS, milliseconds(dispatched.latest))
    count(Metric.RANGES_SKIPPED, dispatched.skipped_ranges)
    count(Metric.SHARDS_HANDED_OVER, dispatched.handed_over)
    count(Metric.TICK_PROBLEMS, len(dispatched.problems))
    count(Metric.TICKS_STOPPED_EARLY, int(dispatched.stopped_early))
    if dispatched.achieved_nothing:
        raise Unavailable(
            f"nothing could be dispatched; problems: {len(dispatched.problems)}, the first: {dispatched.problems[0]}"
        )
    return answer


def _numbers(key: str, given: Any) -> list[int]:
    if isinstance(given, list) and all(isinstance(number, int) for number in given):
        return given
    raise ValueError(f'"{key}" is {given!r:.100}; give a list of numbers, such as [3, 7], or leave it out')


def _tick(context: LambdaContext) -> DispatchReport:
    read = shards_to_read()
    return tick(
        ports(read),
        parts=Parts(range(read), range(BUCKETS)),
        time_left=time_left(context),
        parallel=_threads(),
        most=settings().tick_fan_out,
        hand_over=Successor(aws_lambda, context.invoked_function_arn),
    )


class Threads:
    """A pool of threads, created on first use and kept.

    It takes an item of the input only when a thread is free, so the input may be endless or slow.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._pool = ThreadPoolExecutor(max_workers=number)

    def __call__(self, do: Callable[[T], R], given: Iterable[T], /) -> Iterator[R]:
        """Yield the result of each item, in order.

        Raises:
            BaseException: an error of `do`, at the turn of its item, or of `given`. Running items finish first: Lambda freezes a function
                after its answer, and they would continue minutes later.
        """
        running: deque[Future[R]] = deque()
        busy: set[Future[R]] = set()
        try:
            for one in given:
                running.append(self._pool.submit(do, one))
                busy.add(running[-1])
                if len(busy) > self._number:
                    # Wait for any of them: a slow item delays the results after it, but occupies only its own thread.
                    busy = wait(busy, return_when=FIRST_COMPLETED).not_done
                while running and running[0].done():
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            wait(running)


@cache
def _threads() -> Threads:
    return Threads(AT_A_TIME)
