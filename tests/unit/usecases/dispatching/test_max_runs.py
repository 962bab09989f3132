"""`max_runs` is counted exactly, whatever fails during dispatch."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.outcome import Outcome
from minutehand.domain.policies import CatchUp
from minutehand.domain.run import RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.definitions import manage
from minutehand.usecases.dispatching.tick import RESERVE, tick
from minutehand.usecases.operations.trigger import trigger
from tests.unit.domain.examples import KEY, SECOND, at, job
from tests.unit.usecases.stage import PARTS, Stage


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00:30")


def left(stage: Stage) -> int | None:
    return stage.state.timers[KEY].runs_left


def ran_until(stage: Stage, end: str, step: timedelta = timedelta(minutes=1)) -> list[str]:
    """Tick each minute and let workers do what was sent; the clock times of what has been called since the beginning."""
    while stage.now < at(end):
        stage.tick()
        stage.work()
        stage.now += step
    return sorted({f"{key.scheduled_for:%H:%M:%S}" for key, _ in stage.called if key.named_by_schedule})


def minutes(first: int, last: int) -> list[str]:
    return [f"09:{minute:02}:00" for minute in range(first, last + 1)]


def test_so_many_run_and_no_more(stage: Stage) -> None:
    stage.save(max_runs=4)
    assert ran_until(stage, "09:20") == minutes(1, 4)
    assert (stage.next_at(), left(stage)) == (None, 0)


def test_a_limit_that_the_look_ahead_passes_ends_within_it(stage: Stage) -> None:
    stage.save(max_runs=1)
    assert stage.claimed() == ["09:01:00"]
    assert stage.next_at() is None


@pytest.mark.parametrize("crash", ["claim", "send", "advance"])
@pytest.mark.parametrize("after_effect", [False, True])
def test_a_tick_that_dies_at_any_call_counts_nothing_twice(stage: Stage, crash: str, after_effect: bool) -> None:
    stage.save(max_runs=7)
    port = {"claim": stage.runs, "send": stage.outbox, "advance": stage.timers}[crash]
    port.fails(crash, times=2, after_effect=after_effect)
    assert ran_until(stage, "09:20") == minutes(1, 7)
    assert left(stage) == 0


def test_two_ticks_at_once_count_each_occurrence_once(stage: Stage) -> None:
    stage.save(max_runs=7)
    for clock in ("09:01:30", "09:02:30"):
        stage.at(clock)
        stage.timers.before("advance", stage.tick)
        stage.tick()
    assert left(stage) == 7 - 4
    assert ran_until(stage, "09:20") == minutes(1, 7)


def test_a_stale_read_of_the_index_counts_nothing(stage: Stage) -> None:
    stage.save(max_runs=7)
    stale = stage.state.timers[KEY]
    stage.at("09:02").tick()
    stage.dispatch(stale)
    assert left(stage) == 7 - 4


def test_a_trigger_does_not_count(stage: Stage) -> None:
    stage.save(max_runs=3)
    trigger(stage.ports, KEY, idempotency_key="by hand", who=Actor("ada"))
    assert ran_until(stage, "09:20") == minutes(1, 3)


@pytest.mark.parametrize("apart", [0, 5])
def test_a_pause_and_a_resume_within_the_look_ahead_count_nothing_twice(stage: Stage, apart: int) -> None:
    stage.save(max_runs=5)
    manage.pause(stage.ports, KEY, who=Actor("bob"))
    stage.now += apart * SECOND
    manage.resume(stage.ports, KEY, who=Actor("bob"))
    assert left(stage) == 3
    assert ran_until(stage, "09:20") == minutes(1, 5)


def test_runs_stopped_by_a_pause_are_given_back_once(stage: Stage) -> None:
    stage.save(max_runs=5)
    manage.pause(stage.ports, KEY, who=Actor("bob"))
    stage.at("09:05:30").work()
    manage.resume(stage.ports, KEY, who=Actor("bob"))
    assert ran_until(stage, "09:20") == minutes(6, 10)


def test_a_finished_job_that_is_paused_and_resumed_stays_finished(stage: Stage) -> None:
    stage.save(max_runs=1)
    ran_until(stage, "09:05")
    manage.pause(stage.ports, KEY, who=Actor("bob"))
    manage.resume(stage.ports, KEY, who=Actor("bob"))
    assert (stage.next_at(), left(stage)) == (None, 0)


def test_an_edit_gives_back_superseded_runs_once(stage: Stage) -> None:
    stage.save(max_runs=5)
    for minute in (30, 31, 32):
        stage.save(max_runs=5, schedule=f"{minute}-59 9 * * *")
        assert left(stage) == 5
    assert ran_until(stage, "09:50") == minutes(32, 36)


def test_an_edit_that_names_some_of_them_again_counts_these_once(stage: Stage) -> None:
    stage.save(max_runs=5)
    stage.save(max_runs=5, schedule="*/2 * * * *")
    assert left(stage) == 4
    stage.save(max_runs=5)
    assert left(stage) == 3
    assert ran_until(stage, "09:20") == minutes(1, 5)


def test_another_description_counts_nothing(stage: Stage) -> None:
    stage.save(max_runs=5)
    stage.save(max_runs=5, description="another")
    assert left(stage) == 3
    assert ran_until(stage, "09:20") == minutes(1, 5)


def test_a_raised_limit_lets_a_finished_job_continue(stage: Stage) -> None:
    stage.save(max_runs=2)
    ran_until(stage, "09:10")
    stage.save(max_runs=5)
    assert stage.next_at() == at("09:13")
    assert ran_until(stage, "09:30") == [*minutes(1, 2), *minutes(11, 13)]
    assert left(stage) == 0


def test_a_limit_that_is_raised_before_its_last_run_has_begun_counts_that_once(stage: Stage) -> None:
    stage.save(max_runs=2)
    assert stage.next_at() is None
    stage.save(max_runs=5)
    assert left(stage) == 3
    assert ran_until(stage, "09:20") == minutes(1, 5)


def test_a_finished_job_continues_when_its_limit_is_removed(stage: Stage) -> None:
    stage.save(max_runs=2)
    ran_until(stage, "09:10")
    stage.save()
    assert (stage.next_at(), left(stage)) == (at("09:13"), None)


def test_a_limit_that_was_lowered_below_what_has_run_and_raised_again_forgets_nothing(stage: Stage) -> None:
    stage.save(max_runs=6)
    ran_until(stage, "09:03:30")
    stage.save(max_runs=2)
    assert stage.next_at() is None
    had = len(ran_until(stage, "09:10"))
    stage.save(max_runs=6)
    assert len(ran_until(stage, "09:30")) == 6 > had > 2


def test_a_job_resumed_after_a_clock_change_misses_nothing(stage: Stage) -> None:
    stage.now = at("06:30") - timedelta(days=60)  # summer in Paris
    nine_and_ten = {"schedule": "0 9,10 * * *", "timezone": "Europe/Paris"}
    stage.save(max_runs=2, **nine_and_ten)
    stage.now = at("07:59") - timedelta(days=60)
    stage.tick()
    assert left(stage) == 0
    stage.now = at("07:30")
    stage.save(max_runs=4, **nine_and_ten)
    assert stage.next_at() == at("08:00")
    stage.at("07:59").tick()
    stage.at("08:59").tick()
    assert stage.claimed()[-2:] == ["08:00:00", "09:00:00"]


def test_a_job_that_is_deleted_and_created_again_starts_over(stage: Stage) -> None:
    stage.save(max_runs=3)
    ran_until(stage, "09:10")
    manage.delete(stage.ports, KEY, who=Actor("bob"))
    stage.save(max_runs=3)
    assert len(ran_until(stage, "09:30")) == 6


def test_a_limit_that_ends_a_job_leaves_no_claimed_run_behind(stage: Stage) -> None:
    """A tick claims and dies; then the limit is lowered so far that the timer never comes back to the last run."""
    stage.save(max_runs=5)
    stage.at("09:01:30")
    stage.outbox.fails("send", times=2)
    stage.tick()
    assert stage.claimed() == minutes(1, 3)
    stage.save(max_runs=2)
    ran_until(stage, "09:10")
    states = [run.state for _, run in sorted(stage.state.runs.items())]
    assert states == [RunState.SUCCEEDED, RunState.SUCCEEDED, RunState.SKIPPED]


def test_a_run_claimed_before_an_outage_counts_though_it_is_passed_over(stage: Stage) -> None:
    stage.save(max_runs=4, catch_up=CatchUp.SKIP)
    stage.work()
    stage.at("09:01:30")
    stage.timers.fails("advance")
    stage.tick()  # claims and sends 09:03, and does not come to say so
    stage.at("09:03:30").work()
    stage.at("09:20")
    assert len(ran_until(stage, "09:40")) == 4


def test_a_one_shot_with_a_limit_runs_once_and_finishes(stage: Stage) -> None:
    once = {"schedule": "at(2026-11-20T09:05:00)", "max_runs": 1}
    stage.save(**once)
    assert ran_until(stage, "09:20") == ["09:05:00"]
    stage.save(**once, description="another")
    assert stage.next_at() is None
    assert ran_until(stage, "09:30") == ["09:05:00"]


def test_an_edit_to_a_denser_schedule_at_the_last_run_passes_no_limit(stage: Stage) -> None:
    stage.save(max_runs=2)
    stage.now = at("08:59:10")
    stage.work()
    stage.save(schedule="*/15 * * * * *", max_runs=2)
    while stage.now < at("09:05"):
        stage.tick()
        stage.work()
        stage.now += 5 * SECOND
    assert len(stage.called) == 2


def test_an_edit_by_a_slow_clock_gives_back_nothing_that_has_begun(stage: Stage) -> None:
    stage.save(max_runs=2)
    stage.at("09:01:01").work()
    stage.at("09:00:58").save(schedule="*/15 * * * * *", max_runs=2)
    assert len(ran_until(stage, "09:05", 5 * SECOND)) == 2


@pytest.mark.parametrize("limit", [1, 3])
def test_a_run_given_back_and_cancelled_counts_no_more_however_often_it_is_named_again(
    stage: Stage, limit: int
) -> None:
    """An edit gives an occurrence back; it is cancelled before it begins; two edits later the schedule still names it."""
    stage.save(max_runs=limit)
    stage.save(schedule="7 */2 * * * *", max_runs=limit)
    cancel(stage.ports, RunKey.scheduled(KEY, at("09:01")), who=Actor("bob"))
    stage.save(max_runs=limit)
    stage.save(max_runs=limit, jitter=5 * SECOND)
    assert len(ran_until(stage, "09:20")) == limit
    assert left(stage) == 0


def test_a_resume_by_a_slow_clock_gives_back_nothing_twice(stage: Stage) -> None:
    stage.save(max_runs=3)
    manage.pause(stage.ports, KEY, who=Actor("bob"))
    assert left(stage) == 3
    stage.at("09:01:01").work()
    assert stage.run("09:01").state is RunState.SKIPPED
    stage.at("09:00:58").save(schedule="7 * * * * *", max_runs=3)
    assert stage.state.timers[KEY].runs_left + len([r for r in stage.state.runs.values() if r.revision == 3]) == 3


def test_a_run_that_an_edit_takes_over_while_its_worker_starts_it_is_judged_by_that_edit(stage: Stage) -> None:
    stage.save(max_runs=5)
    stage.at("09:01:01")

    def slow_edit() -> None:
        """By a process that looked at its clock before the run was due."""
        stage.at("09:00:50")
        stage.save(job("*/20 * * * * *", max_runs=5))
        stage.at("09:01:01")

    stage.runs.before("move", slow_edit)
    [handled] = stage.execute([message for message in stage.receive() if message.run.scheduled_for == at("09:01")])
    run = stage.run("09:01")
    assert run is not None
    assert (run.state, run.revision, handled.deletable) == (RunState.SUCCEEDED, 2, True)


def test_counting_takes_no_longer_than_a_tick_has(stage: Stage) -> None:
    """Each occurrence takes a transaction of its own; of a job that is due each second there are as many as the look-ahead has seconds."""
    stage.save(schedule="* * * * * *", max_runs=1000)
    stage.at("09:01:30")
    stage.state.messages.clear()
    before = len(stage.state.runs)
    dispatched = tick(
        stage.ports,
        parts=PARTS,
        time_left=lambda: RESERVE + (10 - len(stage.state.messages)) * SECOND,
    )
    assert len(stage.state.messages) == 11
    assert (len(stage.state.runs) - before, dispatched.stopped_early) == (11, True)
    assert stage.tick().claimed == 49, "the next one goes on"
    assert len({message.run for message in stage.state.messages}) == len(stage.state.messages)


def test_an_edit_by_a_slow_clock_does_not_run_again_what_found_nothing_to_do(stage: Stage) -> None:
    stage.save(max_runs=2)
    stage.at("09:01:01").work(lambda _: Outcome(RunState.SKIPPED))
    stage.at("09:00:58").save(schedule="*/15 * * * * *", max_runs=2)
    assert len(ran_until(stage, "09:05", 5 * SECOND)) == 2
    assert len(stage.called) == 2
    assert stage.run("09:01").skip_reason is SkipReason.TARGET
