"""Targets of type `lambda`, over the answers in Lambda's API reference and the errors of its runtimes."""

from __future__ import annotations

import base64
import json
from io import BytesIO
from typing import Any

import pytest
from botocore.response import StreamingBody

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Result, RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.aws.content import Send
from minutehand.targets.aws.functions.fields import Mode
from minutehand.usecases.ports.target import ParentResult
from tests.unit.targets.aws.calling import NOW, Answer, Recorded, a_call, arn, error, make_call

FUNCTION = arn("lambda", "function:report")
LOG = "START RequestId: 8f507cfc\nrows: 3\nEND RequestId: 8f507cfc\n"


def answered(body: bytes = b'{"rows": 3}', **more: Any) -> Answer:
    """An answer of Invoke."""
    given = {"StatusCode": 200, "ExecutedVersion": "7", "LogResult": base64.b64encode(LOG.encode()).decode()}
    return given | {"Payload": StreamingBody(BytesIO(body), len(body))} | more


def queued() -> Answer:
    """The answer to an event: 202, and an empty body."""
    return {"StatusCode": 202, "Payload": StreamingBody(BytesIO(b""), 0)}


def test_the_functions_answer_is_the_result() -> None:
    recorded = Recorded(invoke=answered())
    outcome = make_call("lambda", recorded, a_call({"month": 11}), function=FUNCTION)
    assert outcome.state is RunState.SUCCEEDED
    assert outcome.result == Result(type="lambda", status=200, body='{"rows": 3}')
    assert recorded.request == {
        "FunctionName": FUNCTION,
        "InvocationType": "RequestResponse",
        "LogType": "Tail",
        "Payload": b'{"month":11}',
    }


def test_the_client_is_one_of_the_arns_region() -> None:
    recorded = Recorded(invoke=answered())
    make_call("lambda", recorded, a_call(), function=arn("lambda", "function:report", "ap-south-1"))
    [(service, given)] = recorded.clients
    assert (service, given["region_name"]) == ("lambda", "ap-south-1")
    assert given["config"].retries == {"total_max_attempts": 1, "mode": "standard"}


def test_the_log_is_kept_if_the_job_asks_for_it() -> None:
    outcome = make_call("lambda", Recorded(invoke=answered()), a_call(), function=FUNCTION, log_tail=True)
    assert outcome.result is not None
    assert outcome.result.log == LOG


@pytest.mark.thorough
def test_a_version_or_an_alias_is_named_beside_the_function() -> None:
    recorded = Recorded(invoke=answered())
    make_call("lambda", recorded, a_call(), function=FUNCTION, qualifier="live")
    assert (recorded.request["FunctionName"], recorded.request["Qualifier"]) == (FUNCTION, "live")


PYTHON = {
    "errorMessage": "division by zero",
    "errorType": "ZeroDivisionError",
    "requestId": "3b1f",
    "stackTrace": ['  File "/var/task/app.py", line 4, in handler\n    return 1 / 0\n'],
}
NODE = {
    "errorType": "ReferenceError",
    "errorMessage": "x is not defined",
    "trace": ["ReferenceError: x is not defined", "    at Runtime.handler (file:///var/task/index.mjs:2:3)"],
}
TIMED_OUT = {
    "errorType": "Sandbox.Timedout",
    "errorMessage": "RequestId: 8f507cfc Error: Task timed out after 3.00 seconds",
}


@pytest.mark.parametrize(
    ("body", "kind", "message", "stack"),
    [
        (
            PYTHON,
            "ZeroDivisionError",
            "division by zero",
            '  File "/var/task/app.py", line 4, in handler\n    return 1 / 0',
        ),
        (NODE, "ReferenceError", "x is not defined", "\n".join(NODE["trace"])),
        (TIMED_OUT, "Sandbox.Timedout", TIMED_OUT["errorMessage"], ""),
        ({"errorMessage": "no type"}, "FunctionError", "no type", ""),
        ("not an object", "FunctionError", "the function failed without a message", ""),
    ],
    ids=["python", "node", "timed out", "without a type", "no object"],
)
def test_an_error_of_the_function_is_the_runs_error_with_its_log(
    body: Any, kind: str, message: str, stack: str
) -> None:
    answer = answered(json.dumps(body).encode(), FunctionError="Unhandled")
    outcome = make_call("lambda", Recorded(invoke=answer), a_call(), function=FUNCTION)
    assert (outcome.state, outcome.final) == (RunState.FAILED, False)
    assert outcome.error is not None
    assert outcome.error == (kind, message, stack)
    assert outcome.result is not None
    assert outcome.result.log == LOG
    assert json.loads(outcome.result.body) == body


def test_a_long_answer_is_cut() -> None:
    body = ("ä" * 700_000).encode()
    outcome = make_call("lambda", Recorded(invoke=answered(body)), a_call(), function=FUNCTION)
    assert outcome.result is not None
    assert (len(outcome.result.body), outcome.result.cut) == (1024 * 1024 // 2, True)


def test_an_event_is_done_when_lambda_has_queued_it() -> None:
    recorded = Recorded(invoke=queued())
    outcome = make_call("lambda", recorded, a_call({"n": 1}), function=FUNCTION, mode=Mode.EVENT)
    assert (outcome.state, outcome.result) == (RunState.SUCCEEDED, Result(type="lambda", status=202, body=""))
    assert recorded.request == {"FunctionName": FUNCTION, "InvocationType": "Event", "Payload": b'{"n":1}'}


def test_a_function_that_reports_later_gets_the_address_and_the_token_for_that() -> None:
    recorded = Recorded(invoke=queued())
    outcome = make_call("lambda", recorded, a_call({"n": 1}, attempt=2), function=FUNCTION, mode=Mode.CALLBACK)
    assert outcome.state is RunState.WAITING
    assert json.loads(recorded.request["Payload"]) == {
        "job": "shop/report",
        "run_id": "20261120T090000Z",
        "attempt": 2,
        "sent_at": None,
        "attempts_left": 2,
        "scheduled_for": "2026-11-20T09:00:00Z",
        "deadline": "2026-11-20T10:00:00Z",
        "payload": {"n": 1},
        "parents": [],
        "callback": {
            "url": "https://api.test/v1/callbacks/shop/report/20261120T090000Z/1",
            "token": "the-attempts-own",
        },
    }


def test_a_function_that_could_not_report_is_not_invoked() -> None:
    recorded = Recorded()
    outcome = make_call("lambda", recorded, a_call(callback_url=""), function=FUNCTION, mode=Mode.CALLBACK)
    assert outcome.error is not None
    assert (outcome.error.type, outcome.final, recorded.requests) == ("NoCallbackUrl", True, [])


def test_without_a_payload_the_function_gets_the_parents_results() -> None:
    parent = ParentResult(
        RunKey.scheduled(JobKey(namespace="shop", name="load"), NOW),
        RunState.SUCCEEDED,
        Result(type="sqs", status=200, body="{}"),
        None,
        truncated=False,
    )
    recorded = Recorded(invoke=answered())
    make_call("lambda", recorded, a_call(parents=(parent,)), function=FUNCTION)
    [sent] = json.loads(recorded.request["Payload"])["parents"]
    assert (sent["job"], sent["state"], sent["result"]["body"]) == ("shop/load", "succeeded", "{}")


def test_without_anything_the_function_gets_an_empty_object() -> None:
    recorded = Recorded(invoke=answered())
    make_call("lambda", recorded, a_call(), function=FUNCTION)
    assert recorded.request["Payload"] == b"{}"


def test_a_job_may_ask_for_the_document_about_the_run() -> None:
    recorded = Recorded(invoke=answered())
    make_call("lambda", recorded, a_call([1]), function=FUNCTION, send=Send.RUN)
    sent = json.loads(recorded.request["Payload"])
    assert (sent["job"], sent["payload"]) == ("shop/report", [1])
    assert "callback" not in sent


@pytest.mark.parametrize(
    ("code", "status", "final"),
    [
        ("TooManyRequestsException", 429, False),
        ("ServiceException", 500, False),
        ("ResourceConflictException", 409, False),
        ("EC2ThrottledException", 502, False),
        ("ResourceNotFoundException", 404, True),
        ("AccessDeniedException", 403, True),
        ("InvalidRequestContentException", 400, True),
        ("RequestTooLargeException", 413, True),
    ],
)
def test_throttling_and_errors_of_lambda_may_be_retried_and_others_may_not(code: str, status: int, final: bool) -> None:
    recorded = Recorded(invoke=error(code, status=status))
    outcome = make_call("lambda", recorded, a_call(), function=FUNCTION)
    assert outcome.state is RunState.FAILED
    assert outcome.final is final
    assert outcome.error is not None
    assert outcome.error.type == code.removesuffix("Exception")
    assert FUNCTION in outcome.error.message
    assert "as AWS says" in outcome.error.message
