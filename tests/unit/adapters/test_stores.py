"""DynamoDB stores under errors that no test server produces."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from minutehand.adapters.dynamodb.definitions import DynamoDefinitions
from minutehand.adapters.dynamodb.runs import DynamoRuns
from minutehand.adapters.dynamodb.timers import DynamoTimers
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.stores import Claim, Move
from tests.unit.adapters.fakes import Scripted, client_error, codes

NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)
JOB = JobKey(namespace="team", name="report")


def run(number=0):
    instant = NINE + timedelta(seconds=number)
    return Run(
        key=RunKey.scheduled(JOB, instant),
        target="http",
        revision=1,
        claimed_at=NINE,
        expires_at=NINE + timedelta(days=1),
    )


def runs_over(*answers):
    client = Scripted(*answers)
    return DynamoRuns(client, "Runs", jobs_table="Jobs", sleep=lambda _: None), client


def timers_over(*answers):
    client = Scripted(*answers)
    return DynamoTimers(client, "Jobs", sleep=lambda _: None), client


def test_each_claim_has_its_own_outcome_though_the_call_succeeded():
    runs, _ = runs_over(codes(None, "DuplicateItem", "ValidationError", "AccessDenied"))
    outcomes = runs.claim([run(number) for number in range(4)])
    assert list(outcomes) == [Claim.CLAIMED, Claim.EXISTS, Claim.FAILED, Claim.FAILED]


def test_a_claim_that_succeeded_despite_an_error_exists_when_repeated():
    runs, _ = runs_over(codes("InternalServerError"), codes("DuplicateItem"))
    assert list(runs.claim([run()])) == [Claim.EXISTS]


def test_a_run_that_is_given_twice_is_in_the_batch_once_and_fails_twice():
    runs, client = runs_over(codes("AccessDenied"))
    assert list(runs.claim([run(), run()])) == [Claim.FAILED] * 2
    assert len(client.requests[0]["Statements"]) == 1


def test_claims_of_plain_runs_share_one_statement():
    runs, client = runs_over(codes(None, None))
    runs.claim([run(0), run(1)])
    assert len({statement["Statement"] for statement in client.requests[0]["Statements"]}) == 1


def move(name="report", old=0, new=60):
    job = JobKey(namespace="team", name=name)
    return Move(job=job, revision=1, old=NINE + timedelta(seconds=old), new=NINE + timedelta(seconds=new))


def test_a_move_that_lost_is_no_error():
    timers, _ = timers_over(codes(None, "ConditionalCheckFailed"))
    timers.advance([move("a"), move("b")])


def test_a_move_that_could_not_be_tried_raises_after_all_others_were_tried():
    timers, client = timers_over(client_error("AccessDeniedException"), codes(*[None] * 5))
    with pytest.raises(Unavailable, match="25 of the timers in table Jobs could not be advanced: AccessDenied"):
        timers.advance([move(f"job-{number}") for number in range(30)])
    assert [len(request["Statements"]) for request in client.requests] == [25, 5]


def test_moves_of_one_timer_are_never_in_the_same_batch():
    timers, client = timers_over(codes(None, None), codes(None))
    timers.advance([move("a"), move("a", 60, 120), move("b")])
    assert [len(request["Statements"]) for request in client.requests] == [2, 1]


def test_a_definition_of_a_later_version_raises_instead_of_missing():
    item = {"pk": {"S": "JOB#team/report"}, "sk": {"S": "DEFINITION"}, "job": {"S": "{}"}}
    definitions = DynamoDefinitions(Scripted({"Responses": {"Jobs": [item]}}), "Jobs")
    with pytest.raises(Unavailable, match="JOB#team/report DEFINITION of table Jobs cannot be read"):
        definitions.get([JOB])


def test_a_run_of_a_later_version_raises_instead_of_missing():
    item = {"job": {"S": "team/report"}, "run_id": {"S": "20261120T090000Z"}, "state": {"S": "dreaming"}}
    runs, _ = runs_over({"Responses": {"Runs": [item]}})
    with pytest.raises(Unavailable, match="team/report 20261120T090000Z of table Runs cannot be read"):
        runs.get([run().key])
