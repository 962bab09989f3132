"""A web service that runs its handlers."""

from __future__ import annotations

import json
import threading

import pytest

from minutehand.client.errors import ConfigurationError
from minutehand.domain.run import RunState
from minutehand.handlers import App, answer
from minutehand.handlers.loading import find_app
from tests.support.api_server import ApiServer
from tests.unit.handlers.conftest import Package
from tests.unit.handlers.waiting import RUN_ID, Waiting

CODE = """
    import threading
    go_on = threading.Event()
    began: list[int] = []

    @job("copy")
    def copy(files: int, wait: bool = False) -> dict[str, int]:
        began.append(files)
        if files < 0:
            raise ValueError("negative")
        assert not wait or go_on.wait(30)
        return {"files": files}
"""


@pytest.fixture
def waiting(api: ApiServer) -> Waiting:
    return Waiting(api)


@pytest.fixture
def app(package: Package) -> App:
    return find_app(package(CODE))


def joined() -> None:
    """Wait until the threads of all runs have ended."""
    for thread in threading.enumerate():
        if thread.name.startswith("run "):
            thread.join(30)


def test_a_run_that_may_be_answered_later_is_accepted_and_reported(app: App, waiting: Waiting) -> None:
    reply = answer(app, waiting.headers(), b'{"files": 5}', secret="s3cret")
    assert (reply.status, json.loads(reply.body)) == (202, {"accepted": f"demo/copy/{RUN_ID}"})
    joined()
    assert waiting.state is RunState.SUCCEEDED
    assert waiting.said == ["report"]


def test_a_caller_that_waits_gets_the_result_or_the_error(app: App, waiting: Waiting) -> None:
    headers = waiting.headers(later=False)
    reply = answer(app, headers, b'{"files": 5}', secret=None)
    assert (reply.status, reply.headers, reply.body) == (200, {"Content-Type": "application/json"}, b'{"files":5}')
    reply = answer(app, headers, b'{"files": -1}', secret=None)
    error = json.loads(reply.body)["error"]
    assert (reply.status, error["type"], error["message"]) == (500, "ValueError", "negative")
    assert "in copy" in error["stack"]


def test_a_request_that_is_repeated_during_the_run_begins_nothing(app: App, waiting: Waiting) -> None:
    module = __import__(app.package)
    for _ in range(3):
        assert answer(app, waiting.headers(), b'{"files": 5, "wait": true}', secret="s3cret").status == 202
    module.go_on.set()
    joined()
    assert module.began == [5]
    assert waiting.said.count("report") == 1


@pytest.mark.parametrize("given", [None, "", "Bearer wrong", "Basic s3cret", "s3cret", "Bearer \udc80"])
def test_a_caller_without_the_secret_runs_nothing(app: App, waiting: Waiting, given: str | None) -> None:
    headers = waiting.headers(later=False) | ({"Authorization": given} if given is not None else {})
    if given is None:
        del headers["Authorization"]
    assert answer(app, headers, b'{"files": 5}', secret="s3cret").status == 401
    assert __import__(app.package).began == []


@pytest.mark.parametrize("secret", ["", " "])
def test_an_empty_secret_lets_nobody_in(app: App, waiting: Waiting, secret: str) -> None:
    headers = waiting.headers(later=False) | {"Authorization": "Bearer "}
    with pytest.raises(ConfigurationError, match="the secret is empty"):
        answer(app, headers, b'{"files": 5}', secret=secret)
    assert __import__(app.package).began == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Minutehand-Attempt", "9" * 5_000),
        ("Minutehand-Scheduled-For", "0001-01-01T00:00:00+23:59"),
        ("Minutehand-Deadline", "9999-12-31T23:59:59-23:59"),
    ],
)
def test_a_header_with_an_impossible_value_is_refused(app: App, waiting: Waiting, name: str, text: str) -> None:
    reply = answer(app, waiting.headers(later=False) | {name: text}, b'{"files": 5}', secret="s3cret")
    assert (reply.status, json.loads(reply.body)["error"]["type"]) == (400, "InvalidInvocation")


def test_the_headers_may_be_a_wsgi_environment(app: App, waiting: Waiting) -> None:
    environment = {
        f"HTTP_{name.upper().replace('-', '_')}": text for name, text in waiting.headers(later=False).items()
    }
    assert answer(app, environment, b'{"files": 5}', secret="s3cret").status == 200


def test_a_request_of_somebody_else_is_refused(app: App) -> None:
    reply = answer(app, {"Content-Type": "application/json"}, b"{}", secret=None)
    assert reply.status == 400
    assert "not a run of Minutehand's" in json.loads(reply.body)["error"]["message"]


def test_a_route_may_name_the_handler(app: App, waiting: Waiting) -> None:
    headers = waiting.headers(later=False) | {"Minutehand-Job": "demo/other"}
    assert answer(app, headers, b'{"files": 5}', secret=None).status == 500
    assert answer(app, headers, b'{"files": 5}', secret=None, handler="copy").status == 200


def test_a_report_that_cannot_be_sent_is_logged(app: App, waiting: Waiting, caplog: pytest.LogCaptureFixture) -> None:
    headers = waiting.headers() | {"Minutehand-Callback-Url": "no address"}
    assert answer(app, headers, b'{"files": 5}', secret=None).status == 202
    joined()
    assert "could not be reported" in caplog.text
