"""A look-ahead of 15 minutes, which is longer than messages are sent ahead otherwise."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.run import RunState
from minutehand.usecases.dispatching.send import LONGEST_WAIT
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at
from tests.unit.usecases.stage import Stage


@pytest.mark.parametrize("look_ahead", [LONGEST_WAIT, LONGEST_WAIT + SECOND, LONGEST_WAIT + MINUTE, 15 * MINUTE])
@pytest.mark.parametrize("apart", [20 * SECOND, MINUTE])
@pytest.mark.parametrize("max_runs", [None, 3])
def test_a_run_claimed_long_before_it_is_due_starts_on_time(
    look_ahead: timedelta, apart: timedelta, max_runs: int | None
) -> None:
    stage = Stage("08:40:07")
    stage.ports = stage.ports._replace(look_ahead=look_ahead)
    stage.save(schedule="0 9 * * *", max_runs=max_runs)
    while stage.now < at("09:00"):
        stage.tick()
        stage.now += apart
    stage.work()
    run = stage.run("09:00", KEY)
    assert run is not None
    assert (run.state, stage.state.deadlines) == (RunState.SUCCEEDED, {})


def test_a_start_beyond_a_long_look_ahead_is_on_time_too() -> None:
    stage = Stage("08:40:07")
    stage.ports = stage.ports._replace(look_ahead=15 * MINUTE)
    stage.save(schedule="0 9 * * *", jitter=60 * MINUTE)
    while stage.now < at("10:00"):
        stage.tick()
        stage.now += 20 * SECOND
    run = stage.run("09:00", KEY)
    assert run is not None
    assert run.start_delay > 15 * MINUTE
    stage.work()
    assert stage.called == [(run.key, 1)]


def test_a_message_that_is_sent_as_soon_as_it_may_be_leaves_no_deadline() -> None:
    stage = Stage("08:45")
    stage.ports = stage.ports._replace(look_ahead=15 * MINUTE)
    stage.save(schedule="0 9 * * *")
    stage.tick()
    assert stage.sent() == ["09:00:00"]
    assert stage.timers.calls["remind"] == 0
