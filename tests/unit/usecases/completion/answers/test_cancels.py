"""Cancels of runs, with and without a call in progress."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Conflict, NotFound
from minutehand.domain.run import Progress, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion import cancel
from minutehand.usecases.completion.answers import heartbeat, report
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE, at, job
from tests.unit.usecases.completion.answers.waiting import BEATING, FAILED, RETRY, WAITS, due, speaker, there, waiting
from tests.unit.usecases.crashes import Died
from tests.unit.usecases.stage import SUCCESS


@pytest.mark.parametrize("state", ["queued", "retrying", "waiting"])
def test_a_run_without_a_call_under_way_is_cancelled_at_once(state: str) -> None:
    stage = due(retry=RETRY)
    if state != "queued":
        stage.work(lambda _: FAILED if state == "retrying" else WAITS)
    assert there(stage).state is RunState(state)
    ended = cancel.cancel(stage.ports, there(stage).key, who=Actor("ada"))
    assert (ended.state, ended.cancelled_by, ended.finished_at) == (RunState.CANCELLED, "ada", at("09:00"))
    assert (ended.retry_at, ended.deadline_at) == (None, None), "nothing is to follow, and no answer is waited for"
    assert stage.state.deadlines == {}
    assert cancel.cancel(stage.ports, ended.key, who=Actor("bob")) == ended, "asking again changes nothing"
    stage.at("09:20").work()
    assert there(stage) == ended


def test_a_run_with_heartbeats_is_marked_and_ends_with_the_next_one() -> None:
    stage = waiting(target=BEATING)
    marked = cancel.cancel(stage.ports, there(stage).key, who=Actor("ada"))
    assert (marked.state, marked.cancelled_by) == (RunState.WAITING, "ada")
    ended = heartbeat(stage.at("09:00:10").ports, speaker(stage), Progress(70, "almost"))
    assert (ended.state, ended.cancelled_by, ended.progress) == (RunState.CANCELLED, "ada", Progress(70, "almost"))
    assert (ended.result, ended.deadline_at) == (WAITS.result, None)
    with pytest.raises(Conflict, match="cancelled"):
        report(stage.ports, speaker(stage), SUCCESS)


def test_a_run_that_waits_without_heartbeats_is_cancelled_at_once_though_its_job_has_them_now() -> None:
    stage = waiting()
    stage.at("09:00:10").save(job("0 9 * * *", timeout=10 * MINUTE, target=BEATING))
    assert cancel.cancel(stage.at("09:00:20").ports, there(stage).key, who=Actor("ada")).state is RunState.CANCELLED


def test_a_cancelled_run_without_further_heartbeats_ends_with_its_lease() -> None:
    stage = waiting(target=BEATING, retry=RETRY)
    cancel.cancel(stage.ports, there(stage).key, who=Actor("ada"))
    stage.at("09:00:30").work()
    assert (there(stage).state, there(stage).retry_at, there(stage).error) == (RunState.CANCELLED, None, None)


@pytest.mark.parametrize(("outcome", "state"), [(SUCCESS, RunState.SUCCEEDED), (FAILED, RunState.CANCELLED)])
def test_a_report_after_a_cancel(outcome: Outcome, state: RunState) -> None:
    stage = waiting(target=BEATING, retry=RETRY)
    cancel.cancel(stage.ports, there(stage).key, who=Actor("ada"))
    assert report(stage.ports, speaker(stage), outcome).state is state


def test_a_cancelled_run_whose_worker_died_ends_cancelled() -> None:
    stage = due(timeout=MINUTE)
    received = Received(run=there(stage).key, attempt=1, receipt="r")

    def call(made: Call) -> Outcome:
        cancel.cancel(stage.ports, made.run.key, who=Actor("ada"))
        raise Died

    with suppress(Died):
        stage.execute([received], call)
    assert (there(stage).state, there(stage).cancelled_by) == (RunState.RUNNING, "ada")
    stage.at("09:01:15").execute([received])
    assert (there(stage).state, there(stage).attempt) == (RunState.CANCELLED, 1)


@pytest.mark.parametrize("state", [RunState.SUCCEEDED, RunState.FAILED, RunState.SKIPPED, RunState.LOST])
def test_a_finished_run_cannot_be_cancelled(state: RunState) -> None:
    stage = due()
    ended = replace(there(stage), state=state)
    stage.state.runs[ended.key] = ended
    with pytest.raises(Conflict, match=f"has ended already: {state.value}"):
        cancel.cancel(stage.ports, ended.key, who=Actor("ada"))
    assert there(stage) == ended


def test_a_missing_run_cannot_be_cancelled() -> None:
    with pytest.raises(NotFound):
        cancel.cancel(due().ports, RunKey.scheduled(KEY, at("10:00")), who=Actor("ada"))


def test_a_start_that_races_with_a_cancel_comes_too_late() -> None:
    stage = due()
    stage.runs.before("move", lambda: cancel.cancel(stage.ports, there(stage).key, who=Actor("ada")))
    stage.work()
    assert (there(stage).state, stage.called) == (RunState.CANCELLED, [])
