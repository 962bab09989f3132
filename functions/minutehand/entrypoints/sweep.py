"""The sweep: every two minutes, looks for runs that should have begun or ended, for timers that new time zone data move, and for those in a shard that is
not theirs any more."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, Any

from minutehand.entrypoints.bootstrap import clock, time_left, world
from minutehand.entrypoints.clients import settings
from minutehand.entrypoints.sharding import index
from minutehand.entrypoints.telemetry import count, logger, measured
from minutehand.schedule import TZDATA_VERSION
from minutehand.usecases.upkeep.renew import renew
from minutehand.usecases.upkeep.reshard import Resharding
from minutehand.usecases.upkeep.sweep import sweep

if TYPE_CHECKING:
    from minutehand.entrypoints.bootstrap import LambdaContext


@cache
def _resharding() -> Resharding:
    return Resharding(
        index(), over=settings().due_shards, clock=clock, wait=lambda pause: time.sleep(pause.total_seconds())
    )


@measured
def handler(_event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Sweep once; a run that had to be sent again is worth a look, so each is logged."""
    resent = sweep(world(), time_left=time_left(context))
    for key in resent:
        logger.warning("sent again", action="sweep", job=str(key.job), run_id=key.run_id)
    count("RunsSwept", len(resent))
    renewed = renew(world(), time_left=time_left(context))
    if renewed:
        logger.info("timers moved by new time zone data", action="renew", timers=renewed, tzdata=TZDATA_VERSION)
    count("TimersRenewed", renewed)
    moved = _resharding().go_on(time_left(context))
    if moved:
        logger.info("timers moved to other shards", action="reshard", timers=moved, shards=settings().due_shards)
    count("TimersResharded", moved)
    return {"resent": len(resent), "renewed": renewed, "resharded": moved}
