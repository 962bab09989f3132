"""Answers that accept the work and promise a later report."""

import pytest

from minutehand.domain.run import Result, RunState
from minutehand.targets.http.fields import Mode
from tests.unit.targets.conftest import call
from tests.unit.targets.servers import answering, response
from tests.unit.targets.test_answers import Serve

URL = "https://api.test/v1/callbacks/demo/beat/20261120T090000Z/1"
DONE, LATER = RunState.SUCCEEDED, RunState.WAITING


@pytest.mark.parametrize(
    ("mode", "status", "state"),
    [
        (Mode.AUTO, "200 OK", DONE),
        (Mode.AUTO, "202 Accepted", LATER),
        (Mode.AUTO, "204 No Content", DONE),
        (Mode.SYNC, "202 Accepted", DONE),
        (Mode.CALLBACK, "200 OK", LATER),
        (Mode.CALLBACK, "202 Accepted", LATER),
        (Mode.CALLBACK, "503 Service Unavailable", RunState.FAILED),
        (Mode.AUTO, "302 Found", RunState.FAILED),
    ],
)
def test_the_mode_and_the_status_decide_whether_the_answer_comes_later(
    serve: Serve, mode: Mode, status: str, state: RunState
) -> None:
    body = b"" if status.startswith("204") else b"queued as 7"
    outcome = call(serve(answering(response(body, status=status))).url(), mode=mode, callback_url=URL)
    assert outcome.state is state
    assert outcome.result == Result(type="http", status=int(status[:3]), body=body.decode())


def test_an_acceptance_that_breaks_off_is_a_failure(serve: Serve) -> None:
    script = answering(response(b"que", status="202 Accepted", length=6))
    assert call(serve(script).url(), callback_url=URL).state is RunState.FAILED


def test_an_acceptance_fails_if_the_service_has_no_address_to_report_to(serve: Serve) -> None:
    server = serve(answering(response(status="202 Accepted")))
    outcome = call(server.url())
    assert outcome.state is RunState.FAILED
    assert outcome.error is not None
    assert outcome.error.type == "NoCallbackUrl"
    assert "CallbackUrl" in outcome.error.message
    assert "target.mode to sync" in outcome.error.message
    assert "minutehand-token" not in server.sent_headers
