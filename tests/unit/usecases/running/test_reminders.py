"""Deadlines, rechecks and unreadable timers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import BrokenTimer, Deadline, Recheck
from tests.unit.domain.examples import KEY, SECOND, at, run, timer
from tests.unit.usecases.stage import Stage

OTHER = JobKey(namespace="shop", name="stock")


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def deadline(stage: Stage, next_at: str = "09:00", **fields: object) -> Deadline:
    """A triggered run and its deadline, both stored."""
    asked_for = run(key=RunKey.triggered(KEY, at("08:59:30"), "k"), **fields)
    stage.state.runs[asked_for.key] = asked_for
    stage.state.deadlines[asked_for.key] = kept = Deadline(run=asked_for.key, next_at=at(next_at))
    return kept


def recheck(stage: Stage, next_at: str = "09:00") -> Recheck:
    kept = Recheck(job=KEY, after=at("08:50"), until=at("08:55"), next_at=at(next_at))
    stage.state.rechecks[kept.job, kept.after, kept.until] = kept
    return kept


def test_a_deadline_sends_its_queued_run_and_is_removed(stage: Stage) -> None:
    dispatched = stage.dispatch(deadline(stage))
    assert stage.sent() == ["08:59:30"]
    assert (dispatched.sent, stage.state.deadlines) == (1, {})


@pytest.mark.parametrize("state", [state for state in RunState if state is not RunState.QUEUED])
def test_a_deadline_sends_its_run_in_any_state(stage: Stage, state: RunState) -> None:
    stage.dispatch(deadline(stage, state=state))
    assert (stage.sent(), stage.state.deadlines) == (["08:59:30"], {}), "what follows from an end may be still to do"


def test_a_deadline_further_ahead_than_a_message_can_be_delayed_is_postponed(stage: Stage) -> None:
    kept = deadline(stage, state=RunState.WAITING, lease_until=at("10:00"))
    stage.dispatch(kept)
    assert stage.sent() == []
    assert stage.state.deadlines[kept.run].next_at == at("09:58")


def test_a_deadline_without_a_run_is_removed(stage: Stage) -> None:
    kept = deadline(stage)
    stage.state.runs.clear()
    stage.dispatch(kept)
    assert (stage.sent(), stage.state.deadlines) == ([], {})


def test_a_recheck_sends_the_queued_runs_of_its_range(stage: Stage) -> None:
    for text in ("08:50", "08:50:01", "08:54", "08:55", "08:55:01"):
        stage.state.runs[run(text).key] = run(text)
    stage.state.runs[run("08:54").key] = run("08:54", state=RunState.SUCCEEDED)
    stage.dispatch(recheck(stage))
    assert stage.sent() == ["08:50:01", "08:55:00"], "(after, until], and queued"
    assert stage.state.rechecks == {}


@pytest.mark.parametrize("kind", [deadline, recheck])
def test_a_reminder_is_not_acted_on_before_it_is_due(stage: Stage, kind: object) -> None:
    reminder = kind(stage, "09:00:01")
    stage.dispatch(reminder)
    assert (stage.sent(), stage.runs.calls.total()) == ([], 0)
    assert stage.state.deadlines or stage.state.rechecks


@pytest.mark.parametrize("kind", [deadline, recheck])
@pytest.mark.parametrize("way", ["refused", "no answer"])
def test_a_reminder_stays_until_everything_is_sent(stage: Stage, kind: object, way: str) -> None:
    stage.state.runs[run("08:52").key] = run("08:52")
    reminder = kind(stage)
    if way == "refused":
        stage.picky.refuses = lambda message: True
    else:
        stage.outbox.fails("send")
    stage.dispatch(reminder)
    assert stage.state.deadlines or stage.state.rechecks


def test_a_reminder_that_cannot_be_settled_delays_no_timer(stage: Stage) -> None:
    stage.timers.fails("settle")
    dispatched = stage.dispatch(deadline(stage), stage.put(timer("09:00", "0 9 * * *")))
    assert stage.sent() == ["08:59:30", "09:00:00"]
    assert len(dispatched.problems) == 1


def unreadable(stage: Stage, next_at: str = "09:00") -> BrokenTimer:
    broken = BrokenTimer(job=KEY, revision=3, next_at=at(next_at), problem="no schedule")
    stage.state.timers[KEY] = broken
    return broken


def test_a_broken_timer_is_recorded_and_pushed_forward(stage: Stage) -> None:
    dispatched = stage.dispatch(unreadable(stage))
    assert stage.next_at() == at("09:10")
    [skipped] = stage.state.skipped
    assert (skipped.first, skipped.until) == (at("09:00"), at("09:10"))
    assert str(skipped.policy) == "timer set aside: no schedule"
    assert dispatched.problems == ["shop/report: timer set aside until 2026-11-20 09:10:00+00:00: no schedule"]


def test_the_ranges_of_a_timer_that_stays_broken_join_without_a_gap(stage: Stage) -> None:
    unreadable(stage)
    for clock in ("09:00", "09:08", "09:16"):
        stage.at(clock).dispatch(stage.timers.get(KEY))
    ranges = [(skipped.first, skipped.until) for skipped in stage.state.skipped]
    assert ranges == [(at("09:00"), at("09:10")), (at("09:10"), at("09:18")), (at("09:18"), at("09:26"))]


def test_a_timer_with_an_undecodable_schedule_is_pushed_forward(stage: Stage) -> None:
    damaged = stage.put(replace(timer("09:00"), rule="damaged"))
    dispatched = stage.dispatch(damaged)
    assert stage.next_at() == at("09:10")
    assert stage.state.skipped[0].policy.detail.startswith("timer set aside: ScheduleError(")
    assert "cannot be used" in dispatched.problems[0]


def test_dispatching_a_timer_without_a_next_instant_does_nothing(stage: Stage) -> None:
    finished = stage.put(replace(timer(None), job=OTHER))
    dispatched = stage.dispatch(finished, stage.put(timer("09:00", "0 9 * * *")))
    assert (stage.claimed(), stage.state.skipped, stage.state.timers[OTHER]) == (["09:00:00"], [], finished)
    assert "nothing to plan" in dispatched.problems[0]


def test_a_long_problem_is_cut_in_the_record(stage: Stage) -> None:
    stage.dispatch(replace(unreadable(stage), problem="x" * 5000))
    assert len(stage.state.skipped[0].policy.detail) == 500


@pytest.mark.parametrize("poison", ["broken", "damaged schedule", "broken, and the store does not answer"])
def test_a_poisonous_timer_delays_no_other(stage: Stage, poison: str) -> None:
    if poison.startswith("broken"):
        bad: object = unreadable(stage)
    else:
        bad = stage.put(replace(timer("09:00"), rule="damaged"))
    if poison.endswith("answer"):
        stage.timers.fails("skip")
    good = stage.put(timer("09:00", "0 9 * * *", job=OTHER))
    stage.dispatch(bad, good)
    assert stage.sent() == ["09:00:00"]
    assert stage.next_at(OTHER) == at("09:00") + 86_400 * SECOND
