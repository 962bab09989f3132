"""The sweep: every two minutes, looks for runs that should have begun or ended, and for timers that new time zone data move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minutehand.entrypoints.bootstrap import time_left, world
from minutehand.entrypoints.telemetry import count, logger, measured
from minutehand.schedule import TZDATA_VERSION
from minutehand.usecases.renew import renew
from minutehand.usecases.sweep import sweep

if TYPE_CHECKING:
    from minutehand.entrypoints.bootstrap import LambdaContext


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
    return {"resent": len(resent), "renewed": renewed}
