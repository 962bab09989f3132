"""Targets of type `eventbridge`, over the answers in EventBridge's API reference."""

from __future__ import annotations

import json
from typing import Any

import pytest

from minutehand.domain.run import Result, RunState
from minutehand.targets.aws.content import Send
from tests.unit.targets.aws.calling import NOW, RUN, Answer, Recorded, a_call, arn, error, make_call

BUS = arn("events", "event-bus/reports")
FIELDS = {"bus": BUS, "source": "com.example.reports", "detail_type": "report due"}


def answered(entry: dict[str, Any]) -> Answer:
    """An answer of PutEvents about one entry."""
    failed = int("ErrorCode" in entry)
    return {"FailedEntryCount": failed, "Entries": [entry], "ResponseMetadata": {"HTTPStatusCode": 200}}


def test_an_event_is_put_on_the_bus() -> None:
    recorded = Recorded(put_events=answered({"EventId": "11710aed-b79e-4468-a20b-bb3c0c3b4860"}))
    outcome = make_call("eventbridge", recorded, a_call({"month": 11}), **FIELDS)
    body = '{"event_id":"11710aed-b79e-4468-a20b-bb3c0c3b4860"}'
    assert (outcome.state, outcome.result) == (RunState.SUCCEEDED, Result(type="eventbridge", status=200, body=body))
    [entry] = recorded.request["Entries"]
    assert entry == {
        "EventBusName": BUS,
        "Source": "com.example.reports",
        "DetailType": "report due",
        "Detail": '{"month":11}',
        "Time": NOW,
    }


def test_the_document_about_the_run_can_be_the_detail() -> None:
    recorded = Recorded(put_events=answered({"EventId": "11710aed"}))
    make_call("eventbridge", recorded, a_call([1]), send=Send.RUN, **FIELDS)
    [entry] = recorded.request["Entries"]
    assert json.loads(entry["Detail"])["run_id"] == RUN


@pytest.mark.parametrize("payload", ["text", [1], 5])
def test_a_payload_that_cannot_be_a_detail_is_refused_before_a_request(payload: Any) -> None:
    recorded = Recorded()
    outcome = make_call("eventbridge", recorded, a_call(payload), **FIELDS)
    assert outcome.error is not None
    assert (outcome.error.type, outcome.final, recorded.requests) == ("InvalidRequest", True, [])
    assert "target.send to run" in outcome.error.message


@pytest.mark.parametrize(
    ("code", "final"),
    [
        ("InternalFailure", False),
        ("ThrottlingException", False),
        ("MalformedDetail", True),
        ("NotAuthorizedForSource", True),
    ],
)
def test_a_rejected_entry_is_a_failure_although_the_answer_is_200(code: str, final: bool) -> None:
    rejected = answered({"ErrorCode": code, "ErrorMessage": "Detail is malformed."})
    outcome = make_call("eventbridge", Recorded(put_events=rejected), a_call({}), **FIELDS)
    assert outcome.error is not None
    assert (outcome.state, outcome.error.type, outcome.final) == (
        RunState.FAILED,
        code.removesuffix("Exception"),
        final,
    )
    assert "Detail is malformed." in outcome.error.message
    assert outcome.result is not None
    assert json.loads(outcome.result.body)["ErrorCode"] == code


def test_a_bus_that_does_not_exist_is_final() -> None:
    outcome = make_call("eventbridge", Recorded(put_events=error("ResourceNotFoundException")), a_call({}), **FIELDS)
    assert outcome.final
