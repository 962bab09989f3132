"""A run whose target has accepted the work and answers later."""

from __future__ import annotations

from typing import Any

from minutehand.domain.policies import Backoff, Retry
from minutehand.domain.run import Result, Run, RunError, RunState
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.completion.answers import Speaker
from minutehand.usecases.ports.target import Outcome
from tests.unit.domain.examples import MINUTE, SECOND, job
from tests.unit.usecases.stage import Stage

WAITS = Outcome(RunState.WAITING, Result("http", 202, "taken on"))
FAILED = Outcome(RunState.FAILED, None, RunError("OutOfPaper", "tray 2"))
BEATING = HttpTarget(method="GET", url="https://shop.test/", heartbeat=30 * SECOND)
RETRY = Retry(3, Backoff(initial=10 * SECOND, factor=1, jitter=0))


def due(**fields: Any) -> Stage:
    stage = Stage("08:59")
    stage.save(job("0 9 * * *", **{"timeout": 10 * MINUTE} | fields))
    stage.tick()
    return stage.at("09:00")


def waiting(**fields: Any) -> Stage:
    """The target of the 09:00 run has accepted the work."""
    stage = due(**fields)
    stage.work(lambda _: WAITS)
    return stage


def there(stage: Stage) -> Run:
    run = stage.run("09:00")
    assert run is not None
    return run


def speaker(stage: Stage, attempt: int = 1) -> Speaker:
    return Speaker(there(stage).key, attempt, f"token-{attempt}")
