"""The tick: EventBridge calls it every minute; it claims, enqueues and advances what is due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minutehand.entrypoints.bootstrap import settings, time_left, world
from minutehand.entrypoints.telemetry import count, logger, measured
from minutehand.usecases.tick import tick

if TYPE_CHECKING:
    from minutehand.entrypoints.bootstrap import LambdaContext


@measured
def handler(_event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Tick once. The event is not read: what is due stands in the index, and the clock says the time."""
    tally = tick(world(), shards=settings().due_shards, time_left=time_left(context))
    for problem in tally.problems:
        logger.warning(problem, action="tick")
    answer: dict[str, Any] = {
        "timers": tally.timers,
        "claimed": tally.claimed,
        "sent": tally.sent,
        "skipped_ranges": tally.skipped_ranges,
        "stopped_early": tally.stopped_early,
    }
    logger.info("ticked", action="tick", **answer)
    count("Ticks")
    count("RunsClaimed", tally.claimed)
    count("TickProblems", len(tally.problems))
    count("TicksStoppedEarly", int(tally.stopped_early))
    return answer
