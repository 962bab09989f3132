"""Backfills: asked for, taken from step to step, watched and cancelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from minutehand.domain.backfill import Backfill, BackfillState, Order
from minutehand.domain.errors import Conflict, Invalid, KeyReused, NotFound, Unavailable
from minutehand.domain.job import JobKey, Overlap
from minutehand.domain.run import Run, RunKey, RunState, SkipReason
from minutehand.domain.timer import Watchdog
from minutehand.usecases.by_hand import backfill
from minutehand.usecases.by_hand.backfill import Asked, Started
from minutehand.usecases.definitions import manage
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.dispatching.replay import WATCH_EVERY, step
from minutehand.usecases.dispatching.tally import Tally
from minutehand.usecases.ports.calling import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, definition, job
from tests.unit.usecases.stage import Port, Stage

ID = "abc"
FAILURE = Outcome(state=RunState.FAILED)


@pytest.fixture
def stage() -> Stage:
    """It is eleven, and the job has run each minute since eight."""
    stage = Stage("11:00:00.400")
    stage.state.definitions[KEY] = definition()
    return stage


def asked(stage: Stage, begin: str = "09:00", end: str = "09:05", identity: str = ID, **how: Any) -> Started:
    return backfill.start(stage.world, KEY, Asked(start=at(begin), end=at(end), **how), identity=identity, who="ada")


def stored(stage: Stage, identity: str = ID) -> Backfill:
    return stage.state.backfills[KEY, identity]


def watch(stage: Stage) -> None:
    """Have the watchdog look, when it is due."""
    due = stored(stage).next_at
    assert due is not None
    stage.now = max(stage.now, due)
    stage.tick()


def work_off(stage: Stage, most: int = 50) -> None:
    """Have workers handle what is sent, until nothing is."""
    for _ in range(most):
        if not stage.work():
            return
    raise AssertionError("it never comes to rest")


def replayed(stage: Stage) -> list[str]:
    """The clock times of the occurrences that were replayed, in the order of their calls."""
    return [f"{key.scheduled_for:%H:%M}" for key, _ in stage.called]


def test_it_replays_a_range_one_after_the_other(stage: Stage) -> None:
    started = asked(stage)
    assert started.created
    assert (started.backfill.total, started.backfill.created_by, len(started.backfill.active)) == (5, "ada", 1)
    assert stage.sent() == ["09:00:00"]
    work_off(stage)
    assert replayed(stage) == ["09:00", "09:01", "09:02", "09:03", "09:04"]
    done = stored(stage)
    assert (done.state, done.counts, done.active) == (BackfillState.DONE, {RunState.SUCCEEDED: 5}, ())
    assert (done.finished_at, done.next_at) == (stage.now, None)


def test_its_runs_start_when_they_are_made_and_not_years_late(stage: Stage) -> None:
    asked(stage)
    [run] = stage.state.runs.values()
    assert run.key == RunKey.backfilled(KEY, at("09:00"), ID)
    assert (run.scheduled_for, run.starts_at, run.claimed_at) == (at("09:00"), at("11:00"), stage.now)
    assert run.expires_at == at("11:00") + definition().job.retention
    stage.work()
    assert stage.state.runs[run.key].lateness == stage.now - at("11:00")


def test_the_newest_may_come_first(stage: Stage) -> None:
    asked(stage, order=Order.NEWEST)
    work_off(stage)
    assert replayed(stage) == ["09:04", "09:03", "09:02", "09:01", "09:00"]


def test_so_many_are_active_as_it_may_have_and_no_more(stage: Stage) -> None:
    asked(stage, end="09:10", concurrency=3)
    assert stage.sent() == ["09:00:00", "09:01:00", "09:02:00"]
    [first, *_] = stage.receive()
    stage.execute([first])
    assert stage.sent() == ["09:03:00"]
    assert len(stored(stage).active) == 3


@pytest.mark.parametrize(("ignore", "at_once"), [(False, 1), (True, 3)])
def test_runs_that_would_wait_for_one_another_are_active_one_at_a_time(
    stage: Stage, ignore: bool, at_once: int
) -> None:
    stage.state.definitions[KEY] = definition(overlap=Overlap.REPLACE)
    asked(stage, concurrency=3, ignore_overlap=ignore)
    assert len(stage.state.messages) == len(stored(stage).active) == at_once
    work_off(stage)
    assert stored(stage).counts == {RunState.SUCCEEDED: 5}


def test_failures_are_counted_and_do_not_stop_it(stage: Stage) -> None:
    asked(stage, end="09:02")
    stage.execute(stage.receive(), lambda _: FAILURE)
    stage.execute(stage.receive())
    assert (stored(stage).state, stored(stage).counts) == (
        BackfillState.DONE,
        {RunState.FAILED: 1, RunState.SUCCEEDED: 1},
    )


@pytest.mark.parametrize(
    ("policy", "ignore", "runs_with"),
    [
        (Overlap.ALLOW, False, None),
        (Overlap.SKIP, False, Overlap.QUEUE_ALL),
        (Overlap.REPLACE, False, Overlap.QUEUE_ALL),
        (Overlap.SKIP, True, Overlap.ALLOW),
    ],
)
def test_its_runs_wait_for_others_of_the_job_and_are_not_skipped_unless_overlaps_are_ignored(
    stage: Stage, policy: Overlap, ignore: bool, runs_with: Overlap | None
) -> None:
    stage.state.definitions[KEY] = definition(overlap=policy)
    asked(stage, ignore_overlap=ignore)
    [run] = stage.state.runs.values()
    assert run.overlap is runs_with


def test_what_ran_before_is_replayed_too_and_a_paused_job_as_well(stage: Stage) -> None:
    ran = RunKey.scheduled(KEY, at("09:00"))
    stage.runs.claim([Run(key=ran, target="http", revision=1, claimed_at=at("09:00"), expires_at=at("23:00"))])
    manage.pause(stage.world, KEY, who="ada")
    asked(stage, end="09:02")
    work_off(stage)
    assert stored(stage).counts == {RunState.SUCCEEDED: 2}


def test_an_edit_does_not_change_what_is_replayed(stage: Stage) -> None:
    asked(stage)
    stage.save(job("0 0 1 1 *", payload="new"))
    work_off(stage)
    assert replayed(stage) == ["09:00", "09:01", "09:02", "09:03", "09:04"]


def test_the_rest_of_a_deleted_job_is_not_run(stage: Stage) -> None:
    asked(stage)
    manage.delete(stage.world, KEY, who="ada")
    work_off(stage)
    [run] = stage.state.runs.values()
    assert (run.state, run.skip_reason) == (RunState.SKIPPED, SkipReason.DELETED)
    ended = stored(stage)
    assert (ended.state, ended.cancelled_by, ended.counts) == (BackfillState.CANCELLED, "", {RunState.SKIPPED: 1})
    assert ended.finished_at == stage.now


def test_a_job_made_anew_under_the_name_is_another_one(stage: Stage) -> None:
    asked(stage)
    manage.delete(stage.world, KEY, who="ada")
    stage.now += MINUTE
    stage.save()
    work_off(stage)
    assert stored(stage).state is BackfillState.CANCELLED
    assert sum(key.backfill == ID for key in stage.state.runs) == 1


# Asking.


def test_asking_twice_is_asking_once(stage: Stage) -> None:
    first = asked(stage)
    stage.now += 5 * MINUTE
    assert asked(stage) == Started(backfill=first.backfill, created=False)
    assert len(stage.state.messages) == 1


@pytest.mark.parametrize(
    "other", [{"end": "09:06"}, {"concurrency": 2}, {"order": Order.NEWEST}, {"ignore_overlap": True}]
)
def test_an_id_that_was_used_for_something_else_is_refused(stage: Stage, other: dict[str, Any]) -> None:
    asked(stage)
    with pytest.raises(KeyReused, match="made backfill abc of shop/report, with another range or other options"):
        asked(stage, **other)


def test_several_may_go_on_at_once_even_over_one_range(stage: Stage) -> None:
    asked(stage, identity="one")
    asked(stage, identity="two")
    work_off(stage)
    assert stored(stage, "one").counts == stored(stage, "two").counts == {RunState.SUCCEEDED: 5}


def test_a_preview_counts_and_makes_nothing(stage: Stage) -> None:
    found = backfill.preview(stage.world, KEY, Asked(start=at("09:00"), end=at("10:00")))
    assert (found.total, found.first, found.last) == (60, at("09:00"), at("09:59"))
    assert (stage.state.backfills, stage.state.runs) == ({}, {})


@pytest.mark.parametrize(
    ("begin", "end", "path", "told"),
    [
        ("09:00", "09:00", "to", "is not after from"),
        ("09:05", "09:00", "to", "is not after from"),
        ("09:00", "11:00:01", "to", "is in the future"),
        ("09:00:01", "09:00:59", "from", "the schedule names no instant from 2026-11-20T09:00:01Z"),
    ],
)
def test_a_range_that_is_none_is_refused(stage: Stage, begin: str, end: str, path: str, told: str) -> None:
    for ask in (asked, lambda *given: backfill.preview(stage.world, KEY, Asked(at(given[1]), at(given[2])))):
        with pytest.raises(Invalid, match=told) as refused:
            ask(stage, begin, end)
        assert [problem.path for problem in refused.value.problems] == [path]
    assert stage.state.backfills == {}


def test_a_million_occurrences_are_refused_with_their_number(stage: Stage) -> None:
    two_years = Asked(start=at("09:00").replace(year=2024), end=at("09:00"))
    with pytest.raises(Invalid, match="this would be about 1,050,000 occurrences; 10,000 is the most"):
        backfill.start(stage.world, KEY, two_years, identity=ID, who="ada")
    with pytest.raises(Invalid, match="is too long ago"):
        backfill.preview(stage.world, KEY, Asked(start=at("09:00").replace(year=1969), end=at("09:00")))


@pytest.mark.parametrize(("schedule", "told"), [("@manual", "is @manual"), ("@after 10m", "is a fixed delay")])
def test_a_schedule_that_names_no_instants_cannot_be_replayed(stage: Stage, schedule: str, told: str) -> None:
    stage.state.definitions[KEY] = definition(definition().revisions[0]._replace(schedule=None), schedule=schedule)
    with pytest.raises(Invalid, match=told):
        asked(stage)


def test_a_job_that_is_not_there_has_no_backfills(stage: Stage) -> None:
    ghost = JobKey("shop", "ghost")
    with pytest.raises(NotFound, match="there is no job shop/ghost"):
        backfill.start(stage.world, ghost, Asked(at("09:00"), at("09:05")), identity=ID, who="ada")
    with pytest.raises(NotFound, match="there is no backfill 'abc' of job shop/ghost"):
        backfill.get(stage.world, ghost, ID)


# Cancelling.


def test_a_cancel_takes_nothing_more_and_ends_what_waits(stage: Stage) -> None:
    asked(stage, concurrency=3)
    [one, *_] = stage.receive()
    begun = next(run for key, run in stage.state.runs.items() if key == one.run)
    stage.state.runs[one.run] = running = replace(begun, state=RunState.RUNNING, attempt=1, lease_until=at("11:05"))
    cancelled = backfill.cancel(stage.world, KEY, ID, who="eve")
    assert (cancelled.state, cancelled.cancelled_by) == (BackfillState.CANCELLED, "eve")
    assert cancelled.counts == {RunState.CANCELLED: 2}
    assert [cancelled.run(instant) for instant in cancelled.active] == [one.run], "what has begun goes on"
    assert {run.cancelled_by for run in stage.state.runs.values()} == {"", "eve"}
    stage.state.runs[one.run] = replace(running, state=RunState.SUCCEEDED)
    watch(stage)
    assert stored(stage).counts == {RunState.CANCELLED: 2, RunState.SUCCEEDED: 1}
    assert (stored(stage).finished_at, stored(stage).next_at) == (stage.now, None)


def test_cancelling_again_changes_nothing_and_what_is_done_cannot_be_cancelled(stage: Stage) -> None:
    asked(stage)
    first = backfill.cancel(stage.world, KEY, ID, who="eve")
    assert backfill.cancel(stage.world, KEY, ID, who="bob") == first
    asked(stage, identity="other")
    work_off(stage)
    with pytest.raises(Conflict, match="backfill other of shop/report is done"):
        backfill.cancel(stage.world, KEY, "other", who="eve")


def test_a_cancel_that_dies_in_the_middle_is_finished_by_the_watchdog(stage: Stage) -> None:
    asked(stage, concurrency=2)
    stage.runs.fails("move_reminding")
    assert backfill.cancel(stage.world, KEY, ID, who="eve").state is BackfillState.CANCELLED
    watch(stage)
    assert stored(stage).counts == {RunState.CANCELLED: 2}
    assert stored(stage).next_at is None


def test_what_follows_from_the_end_of_a_cancelled_run_is_done_though_its_message_was_never_sent(stage: Stage) -> None:
    stage.picky.refuses = lambda _: True
    asked(stage)
    backfill.cancel(stage.world, KEY, ID, who="eve")
    [run] = stage.state.runs
    assert (stage.state.runs[run].state, stage.state.messages) == (RunState.CANCELLED, [])
    stage.picky.refuses = lambda _: False
    stage.tick()
    assert [message.run for message in stage.state.messages] == [run]


def test_what_was_taken_and_not_claimed_when_it_was_cancelled_is_forgotten(stage: Stage) -> None:
    stage.runs.fails("claim")
    asked(stage)
    assert stage.state.runs == {}
    backfill.cancel(stage.world, KEY, ID, who="eve")
    assert len(stored(stage).active) == 1, "whoever took it may be about to claim it"
    watch(stage)
    assert (stored(stage).active, stored(stage).counts, stage.state.runs) == ((), {}, {})
    assert stored(stage).finished_at is not None


def test_a_step_that_comes_together_with_a_cancel_takes_nothing(stage: Stage) -> None:
    asked(stage)
    stage.backfills.before("save", lambda: backfill.cancel(stage.world, KEY, ID, who="eve"))
    stage.execute(stage.receive())
    assert len(stage.state.runs) == 1


# Trouble: whatever dies in the middle, all is replayed, and nothing twice.


def ports(stage: Stage) -> list[tuple[Port, str]]:
    return [
        (stage.backfills, "create"),
        (stage.backfills, "get"),
        (stage.backfills, "save"),
        (stage.runs, "get"),
        (stage.runs, "claim"),
        (stage.definitions, "get"),
        (stage.outbox, "send"),
    ]


@pytest.mark.parametrize("after_effect", [False, True])
@pytest.mark.parametrize("turn", range(7))
def test_a_call_that_fails_when_it_is_asked_for_loses_and_doubles_nothing(
    stage: Stage, turn: int, after_effect: bool
) -> None:
    port, method = ports(stage)[turn]
    port.fails(method, after_effect=after_effect)
    try:
        asked(stage, concurrency=2)
    except Unavailable:
        asked(stage, concurrency=2)
    _comes_to_rest(stage)
    assert sorted(replayed(stage)) == ["09:00", "09:01", "09:02", "09:03", "09:04"]
    assert stored(stage).counts == {RunState.SUCCEEDED: 5}


@pytest.mark.parametrize("after_effect", [False, True])
@pytest.mark.parametrize("turn", range(1, 7))
@pytest.mark.parametrize("times", [1, 4])
def test_a_call_that_fails_after_a_run_s_end_loses_and_doubles_nothing(
    stage: Stage, turn: int, after_effect: bool, times: int
) -> None:
    asked(stage, concurrency=2)
    [first, second] = stage.receive()
    port, method = ports(stage)[turn]

    def then_fail(_: Call) -> Outcome:
        port.fails(method, times=times, after_effect=after_effect)
        return FAILURE

    [handled] = stage.execute([first], then_fail)
    stage.execute([second])
    for _ in range(10):
        if handled.deletable:
            break
        [handled] = stage.execute([first])
    assert handled.deletable
    _comes_to_rest(stage)
    assert sorted(replayed(stage)) == ["09:00", "09:01", "09:02", "09:03", "09:04"]
    assert stored(stage).counts == {RunState.FAILED: 1, RunState.SUCCEEDED: 4}


@pytest.mark.parametrize("refused", [0, 1, 3])
def test_messages_that_the_queue_refuses_are_sent_by_the_watchdog(stage: Stage, refused: int) -> None:
    turned_away = iter([True] * refused)
    stage.picky.refuses = lambda message: next(turned_away, False)
    asked(stage, concurrency=3)
    assert len(stage.state.messages) == 3 - refused
    _comes_to_rest(stage)
    assert stored(stage).counts == {RunState.SUCCEEDED: 5}


def test_the_watchdog_begins_what_was_stored_and_never_begun(stage: Stage) -> None:
    stage.backfills.fails("save")
    asked(stage)
    assert (stored(stage).active, stage.state.messages) == ((), [])
    watch(stage)
    assert stage.sent() == ["09:00:00"]
    assert stored(stage).next_at == stage.now + WATCH_EVERY


def test_the_watchdog_waits_for_its_time_and_sends_again_what_is_overdue(stage: Stage) -> None:
    asked(stage)
    stage.receive()
    stage.now = at("11:01:59")
    assert stage.tick().problems == []
    assert stored(stage).next_at == at("11:02")
    watch(stage)
    assert stage.state.messages == [], "claimed less than two minutes ago"
    watch(stage)
    assert stage.sent() == ["09:00:00"]
    stage.receive()
    watch(stage)
    assert stage.state.messages == [], "it was sent again a moment ago"


def test_a_watchdog_that_cannot_look_is_noted_and_looks_again(stage: Stage) -> None:
    asked(stage)
    stage.now = at("11:02")
    stage.backfills.fails("get")
    [problem] = stage.tick().problems
    assert "get did not answer" in problem
    assert stored(stage).next_at == at("11:02")


def test_two_who_take_it_further_at_once_take_each_occurrence_once(stage: Stage) -> None:
    asked(stage, concurrency=2)
    [first, second] = stage.receive()
    stage.backfills.before("save", lambda: stage.execute([second]))
    stage.execute([first])
    assert sorted(stage.sent()) == ["09:02:00", "09:03:00"]
    work_off(stage)
    assert sorted(replayed(stage)) == ["09:00", "09:01", "09:02", "09:03", "09:04"]


def test_two_who_claim_the_same_send_it_once(stage: Stage) -> None:
    meanwhile: Callable[[], Any] = lambda: step(stage.world, KEY, ID)  # noqa: E731 - a name for what happens between
    stage.runs.before("claim", meanwhile)
    asked(stage)
    assert stage.sent() == ["09:00:00"]


def test_one_that_others_keep_changing_is_asked_again(stage: Stage) -> None:
    asked(stage)

    def changed() -> None:
        one = stored(stage)
        stage.state.backfills[KEY, ID] = replace(one, version=one.version + 1)

    [message] = stage.receive()
    stage.backfills.before("save", *[changed] * 20)
    [handled] = stage.execute([message])
    assert (handled.deletable, handled.problem) == (False, "what follows from the run's end could not all be done")


def test_a_run_of_a_backfill_that_is_forgotten_ends_as_any_other(stage: Stage) -> None:
    asked(stage)
    stage.state.backfills.clear()
    [handled] = stage.execute(stage.receive())
    assert handled.deletable


def _comes_to_rest(stage: Stage) -> None:
    for _ in range(40):
        work_off(stage)
        if stored(stage).next_at is None:
            return
        stage.now += MINUTE + SECOND
        due = stage.state.backfills[KEY, ID].next_at
        if due is not None and due <= stage.now:
            step(stage.world, KEY, ID, watch=True)
    raise AssertionError("it never comes to rest")


def test_what_is_due_is_sent_before_backfills_are_looked_after(stage: Stage) -> None:
    asked(stage)
    stage.state.messages.clear()
    stage.save()
    stage.now += 5 * MINUTE
    sent_by_then: list[int] = []
    stage.backfills.before("get", lambda: sent_by_then.append(len(stage.state.messages)))
    stage.tick()
    assert sent_by_then[0] > 0


def test_without_time_no_further_backfill_is_looked_after(stage: Stage) -> None:
    asked(stage, identity="first")
    asked(stage, identity="second")
    stage.now += 5 * MINUTE
    left = iter([True] * 3 + [False])  # before each watchdog is sorted out, and before the first is looked after
    due = [Watchdog(job=KEY, backfill=identity, next_at=at("11:00")) for identity in ("first", "second")]
    before = stage.backfills.calls["get"]
    dispatch(due, world=stage.world, look_ahead=MINUTE, tally=Tally(), goes_on=lambda: next(left))
    assert stage.backfills.calls["get"] == before + 1
