"""A job whose runs fail and are retried."""

from __future__ import annotations

from datetime import timedelta

from minutehand.domain.policies import Backoff, Retry
from minutehand.domain.run import Result, Run, RunError, RunState
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import SECOND, job
from tests.unit.usecases.stage import Stage

HOUR = timedelta(hours=1)
EVEN = Backoff(initial=10 * SECOND, factor=2, max=HOUR, jitter=0)
BUSY = RunError("HttpStatus", "HTTP 503")
FAILED = Outcome(RunState.FAILED, Result("http", 503, "busy"), BUSY)
LATE = Outcome(RunState.TIMED_OUT, None, RunError("TimedOut", "no answer within 60 s"))


def fails(_call: Call) -> Outcome:
    return FAILED


def three(**backoff: object) -> Retry:
    """Three attempts, with waits without jitter."""
    return Retry(3, EVEN._replace(**backoff))


def due(retry: Retry | None = None, **fields: object) -> Stage:
    """A stage at 09:00, when the one run of the day starts."""
    stage = Stage("08:59")
    stage.save(job("0 9 * * *", retry=retry or three(), **fields))
    stage.tick()
    return stage.at("09:00")


def stored(stage: Stage) -> Run:
    """The 09:00 run as stored."""
    run = stage.run("09:00")
    assert run is not None
    return run


def on_their_way(stage: Stage) -> list[tuple[int, str]]:
    """The attempt and the clock time of each message that is sent."""
    return [(message.attempt, f"{message.not_before:%H:%M:%S}") for message in stage.state.messages]
