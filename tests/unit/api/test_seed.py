"""The seed of the first token: CloudFormation gets an answer whatever happens, and never a secret."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any, ClassVar

import pytest

from minutehand.adapters.memory import MemoryState, MemoryTokens
from minutehand.domain.errors import Unavailable
from minutehand.domain.token import Role, Token, digest_of
from minutehand.entrypoints import seed
from minutehand.entrypoints.settings import Settings

SECRET = "s3cretS3cretS3cretS3cretS3cretS3cretS3cr"
EVENT = {
    "RequestType": "Create",
    "ResponseURL": "http://127.0.0.1:1/",
    "StackId": "arn:stack",
    "RequestId": "r-1",
    "LogicalResourceId": "AdminToken",
    "ResourceProperties": {"Secret": "arn:secret"},
}


def _answer(state: MemoryState, event: dict[str, Any] = EVENT, secret: str = SECRET) -> dict[str, Any]:
    return seed.answer(event, secret=lambda: secret, tokens=lambda: MemoryTokens(state))


def _unreachable() -> Any:
    raise Unavailable("the store is away")


def test_creating_stores_an_admin_token_by_its_hash(state: MemoryState) -> None:
    answered = _answer(state)
    digest = digest_of(SECRET)
    assert state.tokens == {digest: Token(digest=digest, name="admin", role=Role.ADMIN, namespaces=("*",))}
    assert answered == {
        "Status": "SUCCESS",
        "PhysicalResourceId": "minutehand-admin-token",
        "StackId": "arn:stack",
        "RequestId": "r-1",
        "LogicalResourceId": "AdminToken",
    }


def test_updating_keeps_the_resources_id_and_takes_a_new_secret(state: MemoryState) -> None:
    _answer(state)
    answered = _answer(state, EVENT | {"RequestType": "Update", "PhysicalResourceId": "given"}, secret=SECRET[::-1])
    assert answered["PhysicalResourceId"] == "given"
    assert digest_of(SECRET[::-1]) in state.tokens


def test_creating_is_idempotent(state: MemoryState) -> None:
    assert _answer(state) == _answer(state)
    assert len(state.tokens) == 1


def test_deleting_succeeds_without_any_service() -> None:
    event = EVENT | {"RequestType": "Delete", "PhysicalResourceId": "given"}
    answered = seed.answer(event, secret=_unreachable, tokens=_unreachable)
    assert (answered["Status"], answered["PhysicalResourceId"]) == ("SUCCESS", "given")


def test_a_failure_is_reported_with_its_reason() -> None:
    answered = seed.answer(EVENT, secret=lambda: SECRET, tokens=_unreachable)
    assert answered["Status"] == "FAILED"
    assert answered["Reason"] == "the admin token could not be stored: Unavailable: the store is away"


def test_a_weak_secret_is_refused_and_not_repeated_in_the_error(state: MemoryState) -> None:
    answered = _answer(state, secret="short")
    assert answered["Status"] == "FAILED"
    assert "at least 20" in answered["Reason"]
    assert "short" not in json.dumps(answered)
    assert not state.tokens


class _Cloud(BaseHTTPRequestHandler):
    """Takes answers as the presigned URL does; `statuses` are its next ones, then 200."""

    got: ClassVar[list[tuple[str, str | None, bytes]]] = []
    statuses: ClassVar[list[int]] = []

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.got.append((self.path, self.headers.get("Content-Type"), body))
        self.send_response(self.statuses.pop(0) if self.statuses else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing: tests are quiet."""


@pytest.fixture
def cloud() -> Iterator[tuple[str, type[_Cloud]]]:
    server = HTTPServer(("127.0.0.1", 0), _Cloud)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    _Cloud.got.clear()
    _Cloud.statuses.clear()
    yield f"http://127.0.0.1:{server.server_port}/answer?signature=a%2Fb", _Cloud
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_answer_is_put_to_the_signed_url_with_an_empty_content_type(cloud: tuple[str, type[_Cloud]]) -> None:
    url, received = cloud
    seed.send(url, {"Status": "SUCCESS"})
    assert received.got == [("/answer?signature=a%2Fb", "", b'{"Status": "SUCCESS"}')]


def test_a_refused_answer_is_an_error_so_that_lambda_retries(cloud: tuple[str, type[_Cloud]]) -> None:
    url, received = cloud
    received.statuses.append(403)
    with pytest.raises(RuntimeError, match="status 403"):
        seed.send(url, {"Status": "SUCCESS"})


def test_the_handler_answers_even_when_its_settings_are_missing(
    cloud: tuple[str, type[_Cloud]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def settings() -> Settings:
        return Settings.read({})

    monkeypatch.setattr(seed.clients, "settings", settings)
    url, received = cloud
    seed.handler(EVENT | {"ResponseURL": url}, None)
    [(_, _, body)] = received.got
    assert json.loads(body)["Status"] == "FAILED"
    assert "JOBS_TABLE" in json.loads(body)["Reason"]


def test_the_handler_says_which_setting_names_the_secret(
    cloud: tuple[str, type[_Cloud]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seed.clients, "settings", lambda: Settings(jobs_table="jobs"))
    url, received = cloud
    seed.handler(EVENT | {"ResponseURL": url}, None)
    [(_, _, body)] = received.got
    assert "ADMIN_TOKEN_SECRET is not set" in json.loads(body)["Reason"]


def test_the_handler_returns_its_answer_to_a_caller_that_is_not_cloudformation(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the local stack calls it where CloudFormation skips custom resources."""
    state = MemoryState()
    monkeypatch.setattr(seed, "_secret", lambda: SECRET)
    monkeypatch.setattr(seed, "tokens", lambda: MemoryTokens(state))
    answered = seed.handler({name: value for name, value in EVENT.items() if name != "ResponseURL"}, None)
    assert answered
    assert answered["Status"] == "SUCCESS"
    assert digest_of(SECRET) in state.tokens
