"""Timers that cannot be read: which are set aside, and since when."""

from __future__ import annotations

from datetime import UTC, datetime

from minutehand.domain.timer import BrokenTimer
from tests.unit.domain.examples import KEY, timer
from tests.unit.usecases.stage import Stage


def test_a_broken_reminder_is_reported_and_leaves_its_jobs_timer_alone() -> None:
    stage = Stage()
    own = stage.put(timer("09:00", "0 9 * * *"))
    report = stage.dispatch(BrokenTimer(job=KEY, revision=1, next_at=own.next_at, problem="no until", own=False))
    assert (stage.state.timers[KEY], stage.state.skipped) == (own, [])
    assert report.problems == ["shop/report: no until"]


def test_a_timer_whose_instant_cannot_be_read_is_set_aside_from_an_unknown_time_on() -> None:
    stage = Stage()
    stage.state.timers[KEY] = BrokenTimer(job=KEY, revision=None, next_at=None, problem="soon is no instant")
    stage.dispatch(stage.state.timers[KEY])
    [skipped] = stage.state.skipped
    assert skipped.first == datetime(1970, 1, 1, tzinfo=UTC)
    assert stage.next_at() == skipped.until
