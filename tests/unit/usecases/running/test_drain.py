from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run, RunState
from minutehand.usecases.ports.messages import Message, Received
from minutehand.usecases.running.drain import GIVEN_UP_AFTER, drain, wait_before
from minutehand.usecases.running.worker import Handled
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, definition, revision, run
from tests.unit.usecases.stage import Stage

LETTER = Received(run=run().key, attempt=1, receipt="dead letter")


@pytest.fixture
def stage() -> Stage:
    stage = Stage("09:00")
    stage.state.definitions[KEY] = definition()
    return stage


def drained(stage: Stage, a_run: Run | None) -> Handled:
    if a_run is not None:
        stage.state.runs[a_run.key] = a_run
    return drain(LETTER, ports=stage.ports)


def running(**fields: object) -> Run:
    return run(state=RunState.RUNNING, attempt=1, nonce="dead", **{"lease_until": at("08:59"), **fields})


@pytest.mark.parametrize("a_run", [None, *(run(state=state) for state in RunState if state.finished)])
def test_the_message_of_a_finished_or_removed_run_is_deleted(stage: Stage, a_run: Run | None) -> None:
    handled = drained(stage, a_run)
    assert (handled.deletable, handled.run, stage.state.messages) == (True, a_run, [])


@pytest.mark.parametrize("a_run", [run(), running()], ids=["never started", "its worker died"])
def test_a_run_that_can_still_start_is_counted_and_sent_again(stage: Stage, a_run: Run) -> None:
    assert drained(stage, a_run).deletable
    assert stage.state.messages == [
        Message(run=a_run.key, attempt=a_run.attempt + 1, target="http", not_before=stage.now)
    ]
    assert stage.state.runs[a_run.key] == replace(a_run, resends=1), "and the worker decides"


def test_a_live_lease_does_not_count_as_a_resend(stage: Stage) -> None:
    alive = running(lease_until=at("09:00") + SECOND)
    assert drained(stage, alive).deletable
    assert [message.not_before for message in stage.state.messages] == [alive.lease_until]
    assert stage.run("09:00") == alive


def test_a_run_whose_instant_is_ahead_is_sent_for_that_instant(stage: Stage) -> None:
    stage.at("08:58")
    assert drained(stage, run()).deletable
    assert [message.not_before for message in stage.state.messages] == [at("09:00")]


def test_a_run_that_a_policy_will_skip_is_sent_to_a_worker(stage: Stage) -> None:
    stage.state.definitions[KEY] = definition(revision(2, "08:30", None), paused=True)
    assert drained(stage, run()).deletable
    assert len(stage.state.messages) == 1
    assert stage.run("09:00").state is RunState.QUEUED, "the drain decides nothing"


@pytest.mark.parametrize("a_run", [running(takeovers=2), running(takeovers=0)], ids=["used up", "none allowed"])
def test_when_take_overs_are_used_up_the_run_is_lost(stage: Stage, a_run: Run) -> None:
    stage.state.definitions[KEY] = definition(takeovers=a_run.takeovers)
    handled = drained(stage, a_run)
    lost = stage.run("09:00")
    assert (lost.state, lost.error.type, lost.finished_at) == (RunState.LOST, "WorkerLost", stage.now)
    assert (handled.deletable, handled.run, stage.state.messages) == (True, lost, [])


@pytest.mark.parametrize("state", [RunState.RETRYING, RunState.WAITING])
def test_a_lost_run_has_neither_retry_nor_deadline(stage: Stage, state: RunState) -> None:
    stage.now += GIVEN_UP_AFTER
    drained(stage, replace(running(), state=state, retry_at=at("08:59"), deadline_at=at("08:59")))
    lost = stage.run("09:00")
    assert (lost.state, lost.retry_at, lost.deadline_at) == (RunState.LOST, None, None)


@pytest.mark.parametrize("a_run", [run(), running()], ids=["never started", "its worker died"])
@pytest.mark.parametrize("resends", [5, 50, 5_000])
def test_a_run_is_not_lost_merely_because_it_came_back_often(stage: Stage, a_run: Run, resends: int) -> None:
    """Workers that cannot read the tables hand back every message until it is a dead letter."""
    drained(stage, replace(a_run, resends=resends))
    assert stage.state.runs[a_run.key].state is a_run.state
    assert [message.not_before for message in stage.state.messages] == [stage.now + 15 * MINUTE]


@pytest.mark.parametrize(("resends", "minutes"), [(0, 0), (1, 1), (2, 2), (3, 4), (4, 8), (5, 15), (10**6, 15)])
def test_the_waits_before_a_run_is_sent_again_grow(resends: int, minutes: int) -> None:
    assert wait_before(resends) == minutes * MINUTE


@pytest.mark.parametrize(
    "a_run",
    [run(), running(), run(state=RunState.RETRYING, attempt=1, retry_at=at("08:59"))],
    ids=["never started", "its worker died", "retrying"],
)
@pytest.mark.parametrize("lost", [False, True])
def test_a_run_that_no_worker_could_move_for_two_weeks_is_lost(stage: Stage, a_run: Run, lost: bool) -> None:
    """Such as one whose item every worker dies of: every run ends."""
    stage.now = max(a_run.wakes_at, a_run.claimed_at) + GIVEN_UP_AFTER - (0 if lost else 1) * SECOND
    handled = drained(stage, replace(a_run, resends=7))
    assert (handled.deletable, handled.run.state is RunState.LOST) == (True, lost)
    assert bool(stage.state.messages) is not lost
    if lost:
        assert handled.run.error.message == "for 14 days no worker could start or end it, in 7 turns through the queue"


def test_the_last_sign_of_a_run_is_its_claim_if_that_came_after_its_instant(stage: Stage) -> None:
    stage.at("10:00")
    drained(stage, run("09:00", claimed_at=stage.now - GIVEN_UP_AFTER + SECOND))
    assert len(stage.state.messages) == 1


def test_a_run_without_a_definition_ends(stage: Stage) -> None:
    stage.state.definitions.clear()
    lost = drained(stage, running()).run
    assert lost.state is RunState.LOST
    assert "its job has been deleted" in lost.error.message, "though take-overs were left"


def test_a_run_that_finishes_first_is_not_lost(stage: Stage) -> None:
    stage.state.definitions[KEY] = definition(takeovers=0)
    done = replace(running(), state=RunState.SUCCEEDED)
    stage.runs.before("move", lambda: stage.state.runs.update({done.key: done}))
    handled = drained(stage, running())
    assert (handled.deletable, handled.run) == (True, done)


def test_a_run_that_is_taken_over_first_keeps_its_message(stage: Stage) -> None:
    stage.state.definitions[KEY] = definition(takeovers=0)
    taken = replace(running(), attempt=2, nonce="alive", lease_until=at("09:02"))
    stage.runs.before("move", lambda: stage.state.runs.update({taken.key: taken}))
    handled = drained(stage, running())
    assert (handled.deletable, handled.run, stage.state.messages) == (False, taken, [])


def test_a_run_that_changes_while_it_is_counted_keeps_its_message(stage: Stage) -> None:
    started = running(lease_until=at("09:02"))
    stage.runs.before("move", lambda: stage.state.runs.update({started.key: started}))
    handled = drained(stage, run())
    assert (handled.deletable, handled.problem) == (False, "the run changed meanwhile")
    assert stage.state.messages == []


def test_a_dead_letter_stays_until_the_new_message_is_sent(stage: Stage) -> None:
    stage.picky.refuses = lambda message: True
    assert not drained(stage, run()).deletable


@pytest.mark.parametrize("failing", [("runs", "get"), ("definitions", "get"), ("runs", "move"), ("outbox", "send")])
def test_a_dead_letter_stays_when_the_stores_do_not_answer(stage: Stage, failing: tuple[str, str]) -> None:
    port, method = failing
    getattr(stage, port).fails(method)
    with pytest.raises(Unavailable):
        drained(stage, run())


def test_two_drains_of_one_run_count_one_after_the_other(stage: Stage) -> None:
    drained(stage, run())
    stage.now += MINUTE
    drain(LETTER, ports=stage.ports)
    assert stage.run("09:00").resends == 2
    assert [m.not_before for m in stage.state.messages] == [at("09:00"), at("09:02")]
