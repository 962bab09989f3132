"""Reports of runs whose target answers later."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minutehand.domain.errors import Conflict, NotAllowed
from minutehand.domain.run import Result, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import attempt_nonce
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.completion.answers import FOREIGN, Speaker, heartbeat, report
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at
from tests.unit.usecases.completion.answers.waiting import BEATING, FAILED, RETRY, WAITS, due, speaker, there, waiting
from tests.unit.usecases.stage import SUCCESS


def test_a_run_that_is_answered_later_waits_with_a_message_that_leads_back() -> None:
    stage = waiting()
    run = there(stage)
    assert (run.state, run.result, run.finished_at) == (RunState.WAITING, WAITS.result, None)
    assert (run.deadline_at, run.lease_until) == (at("09:10"), at("09:10"))
    assert [(message.run, message.not_before) for message in stage.state.messages] == [(run.key, at("09:10"))]
    assert run.nonce == attempt_nonce("token-1")


@pytest.mark.parametrize("outcome", [SUCCESS, FAILED])
def test_a_report_ends_the_run_and_its_message_is_deleted(outcome: Outcome) -> None:
    stage = waiting()
    ended = report(stage.at("09:03").ports, speaker(stage), outcome)
    assert (ended.state, ended.finished_at, ended.duration) == (outcome.state, at("09:03"), 3 * MINUTE)
    assert there(stage) == ended
    assert stage.state.deadlines == {}
    [handled] = stage.at("09:10").work()
    assert (handled.deletable, handled.started, there(stage)) == (True, False, ended)


@pytest.mark.parametrize("outcome", [SUCCESS, FAILED])
def test_a_report_during_the_call_counts(outcome: Outcome) -> None:
    stage = due()

    def call(_call: Call) -> Outcome:
        report(stage.ports, speaker(stage), outcome)
        return WAITS

    [handled] = stage.work(call)
    assert (handled.deletable, handled.problem, there(stage).state) == (True, "", outcome.state)
    assert there(stage).result == outcome.result


def test_a_report_of_failure_is_retried_as_the_job_says() -> None:
    stage = waiting(retry=RETRY)
    again = report(stage.at("09:01").ports, speaker(stage), FAILED)
    assert (again.state, again.retry_at) == (RunState.RETRYING, at("09:01:10"))
    stage.at("09:01:10").work()
    assert (there(stage).state, there(stage).attempt) == (RunState.SUCCEEDED, 2)
    assert there(stage).attempts[0].error == FAILED.error


def test_a_retry_after_a_later_answer_is_on_a_watchlist_since_the_sweep_expects_the_answer_later() -> None:
    stage = waiting(retry=RETRY)
    report(stage.at("09:01").ports, speaker(stage), FAILED)
    [watchlist] = stage.state.watchlists
    assert watchlist.runs == (there(stage).key,)
    assert at("09:02:10") <= watchlist.look_at <= at("09:02:20")


def test_a_report_is_taken_even_if_the_watchlist_cannot_be_stored() -> None:
    stage = waiting(retry=RETRY)
    stage.sweeps.fails("watch")
    assert report(stage.at("09:01").ports, speaker(stage), FAILED).state is RunState.RETRYING
    assert [message.not_before for message in stage.state.messages][-1] == at("09:01:10")


@pytest.mark.parametrize("state", [RunState.SUCCEEDED, RunState.CANCELLED, RunState.TIMED_OUT, RunState.RETRYING])
@pytest.mark.parametrize("says", [lambda ports, who: report(ports, who, FAILED), heartbeat])
def test_an_answer_after_the_end_is_refused_and_changes_nothing(state: RunState, says: Any) -> None:
    stage = waiting()
    ended = replace(there(stage), state=state, finished_at=stage.now)
    stage.state.runs[ended.key] = ended
    with pytest.raises(Conflict, match=f"has ended: the run is {state.value}; nothing was changed"):
        says(stage.ports, speaker(stage))
    assert there(stage) == ended


def test_the_token_of_an_earlier_attempt_is_refused_as_over() -> None:
    stage = waiting(retry=RETRY)
    report(stage.ports, speaker(stage), FAILED)
    stage.at("09:00:10").work(lambda _: WAITS)
    before = there(stage)
    for says in (lambda: report(stage.ports, speaker(stage), SUCCESS), lambda: heartbeat(stage.ports, speaker(stage))):
        with pytest.raises(Conflict, match=r"attempt 1 of run .* is over: the run is at attempt 2, waiting"):
            says()
    assert there(stage) == before


@pytest.mark.parametrize(
    "foreign",
    [
        Speaker(RunKey.scheduled(KEY, at("09:00")), 1, "token-2"),
        Speaker(RunKey.scheduled(KEY, at("09:00")), 1, ""),
        Speaker(RunKey.scheduled(KEY, at("09:00")), 1, attempt_nonce("token-1")),
        Speaker(RunKey.scheduled(KEY, at("09:00")), 2, "token-1"),
        Speaker(RunKey.scheduled(KEY, at("09:00")), 0, ""),
        Speaker(RunKey.scheduled(KEY, at("09:01")), 1, "token-1"),
    ],
)
def test_every_foreign_token_is_refused_alike(foreign: Speaker) -> None:
    stage = waiting()
    before = there(stage)
    for says in (lambda: report(stage.ports, foreign, SUCCESS), lambda: heartbeat(stage.ports, foreign)):
        with pytest.raises(NotAllowed) as refused:
            says()
        assert FOREIGN in str(refused.value)
    assert there(stage) == before


@pytest.mark.parametrize("target", [BEATING, HttpTarget(method="GET", url="https://shop.test/")])
def test_an_answer_at_the_end_of_the_lease_is_too_late(target: HttpTarget) -> None:
    stage = waiting(target=target, timeout=30 * SECOND)
    with pytest.raises(Conflict, match="was due to report by 2026-11-20T09:00:30Z"):
        report(stage.at("09:00:30").ports, speaker(stage), SUCCESS)
    assert there(stage).state is RunState.WAITING


def test_a_token_that_is_cut_off_is_removed_from_a_result() -> None:
    stage = waiting()
    result = Result("http", 200, "the token is token-")
    run = report(stage.at("09:00:10").ports, speaker(stage), Outcome(RunState.SUCCEEDED, result))
    assert run.result == result._replace(body="the token is ****")
