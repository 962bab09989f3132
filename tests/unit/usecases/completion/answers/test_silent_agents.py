"""Runs whose agents fall silent: another attempt takes over, as if a worker had died."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Conflict
from minutehand.domain.policies import Retry
from minutehand.domain.run import RunError, RunState, SkipReason
from minutehand.targets.command.fields import CommandTarget
from minutehand.usecases.completion import cancel
from minutehand.usecases.completion.answers import heartbeat, report
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.target import Outcome
from tests.unit.domain.examples import KEY, MINUTE, at
from tests.unit.usecases.completion.answers.waiting import FAILED, RETRY, due, speaker, there
from tests.unit.usecases.stage import SUCCESS, Stage

COMMAND = CommandTarget(pool="web", command="backup", heartbeat=MINUTE)
ORDERED = Outcome(RunState.WAITING)


def ordered(**fields: Any) -> Stage:
    """An agent has the order of the 09:00 run."""
    stage = due(target=COMMAND, **fields)
    stage.work(lambda _: ORDERED)
    return stage


def test_a_silent_agents_run_is_taken_over_at_once_and_not_retried() -> None:
    stage = ordered()
    assert (there(stage).state, there(stage).lease_until) == (RunState.WAITING, at("09:01"))
    stage.at("09:01").work()
    run = there(stage)
    assert (run.state, run.takeovers, run.retry_at) == (RunState.RETRYING, 1, at("09:01"))
    assert run.error == RunError("HeartbeatMissed", "no heartbeat by 2026-11-20T09:01:00Z")
    stage.work()
    run = there(stage)
    assert (run.state, run.attempt, run.takeovers) == (RunState.SUCCEEDED, 2, 1)
    assert [one.state for one in run.attempts] == [RunState.TIMED_OUT]


def test_an_agent_is_told_how_many_take_overs_are_left() -> None:
    told: list[int] = []
    stage = due(target=COMMAND, takeovers=2)
    for clock in ("09:00", "09:01", "09:01", "09:02", "09:02", "09:03"):
        stage.at(clock).work(lambda call: told.append(call.takeovers_left) or ORDERED)
    assert told == [2, 1, 0]
    run = there(stage)
    assert run.state is RunState.LOST
    assert run.error == RunError(
        "WorkerLost", "attempt 3 sent no heartbeat by 2026-11-20T09:03:00Z, after 2 take-overs; none is left"
    )


def test_without_take_overs_a_silent_agents_run_is_lost_though_it_could_be_retried() -> None:
    stage = ordered(takeovers=0, retry=RETRY)
    stage.at("09:01").work()
    assert (there(stage).state, stage.called) == (RunState.LOST, [(there(stage).key, 1)])
    with pytest.raises(Conflict):
        report(stage.ports, speaker(stage), SUCCESS)


def test_take_overs_use_up_no_tries() -> None:
    stage = ordered(retry=Retry(2, RETRY.backoff), takeovers=1)
    stage.at("09:01").work()
    stage.work(lambda _: FAILED)
    assert (there(stage).state, there(stage).attempt) == (RunState.RETRYING, 2)
    stage.at("09:02").work()
    assert (there(stage).state, there(stage).attempt) == (RunState.SUCCEEDED, 3)


def test_heartbeats_keep_the_run_with_its_agent() -> None:
    stage = ordered()
    heartbeat(stage.at("09:00:59").ports, speaker(stage))
    stage.at("09:01").work()
    assert (there(stage).state, there(stage).lease_until) == (RunState.WAITING, at("09:01:59"))


@pytest.mark.parametrize("takeovers", [0, 1], ids=["lost", "taken over"])
def test_a_heartbeat_just_before_the_end_of_the_attempt_is_written_prevents_it(takeovers: int) -> None:
    stage = ordered(takeovers=takeovers)
    stage.at("09:01")
    stage.runs.before("move", lambda: heartbeat(stage.at("09:00:59").ports, speaker(stage)))
    stage.work()
    assert (there(stage).state, there(stage).attempt, there(stage).takeovers) == (RunState.WAITING, 1, 0)


def test_an_agent_that_was_taken_over_can_neither_report_nor_go_on() -> None:
    stage = ordered()
    late = speaker(stage)
    stage.at("09:01").work()
    for says in (lambda: heartbeat(stage.ports, late), lambda: report(stage.ports, late, SUCCESS)):
        with pytest.raises(Conflict):
            says()
    stage.work(lambda _: ORDERED)
    with pytest.raises(Conflict, match=r"attempt 1 .* is over"):
        report(stage.ports, late, SUCCESS)


def test_a_missed_deadline_is_no_death() -> None:
    stage = ordered(timeout=MINUTE)
    stage.at("09:01").work()
    assert (there(stage).state, there(stage).takeovers) == (RunState.TIMED_OUT, 0)
    assert there(stage).error == RunError("AnswerMissed", "no answer by 2026-11-20T09:01:00Z")


def test_a_cancelled_run_is_not_taken_over() -> None:
    stage = ordered()
    cancel.cancel(stage.ports, there(stage).key, who=Actor("ada"))
    stage.at("09:01").work()
    assert (there(stage).state, there(stage).takeovers) == (RunState.CANCELLED, 0)


def test_the_run_of_a_deleted_job_is_not_taken_over() -> None:
    stage = ordered()
    manage.delete(stage.at("09:00:10").ports, KEY, who=Actor("bob"))
    stage.at("09:01").work()
    assert there(stage).state is RunState.LOST
    assert "its job has been deleted" in there(stage).error.message


def test_a_message_stays_until_the_next_attempts_message_is_sent() -> None:
    stage = ordered()
    stage.outbox.fails("send", times=9)
    [handled] = stage.at("09:01").work()
    assert (handled.deletable, there(stage).state, there(stage).takeovers) == (False, RunState.RETRYING, 1)


def test_an_agent_may_report_that_there_was_nothing_to_do() -> None:
    stage = ordered(retry=RETRY)
    ended = report(stage.at("09:00:30").ports, speaker(stage), Outcome(RunState.SKIPPED, SUCCESS.result))
    assert (ended.state, ended.skip_reason, ended.retry_at) == (RunState.SKIPPED, SkipReason.TARGET, None)
    assert (ended.result, ended.attempt) == (SUCCESS.result, 1)
    stage.at("09:10").work()
    assert there(stage) == ended
