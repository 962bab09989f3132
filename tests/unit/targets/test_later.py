"""Which answers say that the work was taken on, and that its outcome comes later."""

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
def test_the_mode_and_the_status_say_whether_the_answer_comes_later(
    serve: Serve, mode: Mode, status: str, state: RunState
) -> None:
    body = b"" if status.startswith("204") else b"queued as 7"
    outcome = call(serve(answering(response(body, status=status))).url(), mode=mode, callback_url=URL)
    assert outcome.state is state
    assert outcome.result == Result(type="http", status=int(status[:3]), body=body.decode())


def test_work_that_was_taken_on_with_half_an_answer_was_not_taken_on(serve: Serve) -> None:
    script = answering(response(b"que", status="202 Accepted", length=6))
    assert call(serve(script).url(), callback_url=URL).state is RunState.FAILED


def test_without_an_address_to_answer_at_nobody_waits_for_an_answer(serve: Serve) -> None:
    server = serve(answering(response(status="202 Accepted")))
    outcome = call(server.url())
    assert outcome.state is RunState.FAILED
    assert outcome.error is not None
    assert outcome.error.type == "NoCallbackUrl"
    assert "CallbackUrl" in outcome.error.message
    assert "mode sync" in outcome.error.message
    assert "minutehand-token" not in server.sent_headers
