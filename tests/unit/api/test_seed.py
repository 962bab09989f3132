"""The seed of the first token: CloudFormation gets an answer whatever happens, and never a secret."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
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
NAME = "/minutehand/stack/admin-token"
EVENT = {
    "RequestType": "Create",
    "ResponseURL": "http://127.0.0.1:1/",
    "StackId": "arn:stack",
    "RequestId": "r-1",
    "LogicalResourceId": "AdminToken",
    "ResourceProperties": {"Parameter": NAME},
}


@dataclass
class Parameter:
    """A parameter in memory.

    Attributes:
        rival: what another invocation stores just before this one stores.
        deletable: whether the function may delete it.
    """

    kept: str | None = None
    rival: str | None = None
    name: str = NAME
    deletable: bool = True

    def read(self) -> str | None:
        return self.kept

    def create(self, secret: str, description: str) -> bool:
        assert description
        self.kept, self.rival = self.kept or self.rival, None
        if self.kept is not None:
            return False
        self.kept = secret
        return True

    def delete(self) -> bool:
        if self.deletable:
            self.kept = None
        return self.deletable


def _answer(state: MemoryState, parameter: Parameter, event: dict[str, Any] = EVENT) -> dict[str, Any]:
    return seed.answer(event, parameter=lambda: parameter, tokens=lambda: MemoryTokens(state))


def _unreachable() -> Any:
    raise Unavailable("the store is away")


def _admin(secret: str | None) -> dict[str, Token]:
    assert secret
    digest = digest_of(secret)
    return {digest: Token(digest=digest, name="admin", role=Role.ADMIN, namespaces=("*",))}


def test_creating_makes_a_token_and_stores_its_hash(state: MemoryState) -> None:
    parameter = Parameter()
    answered = _answer(state, parameter)
    assert state.tokens == _admin(parameter.kept)
    assert len(str(parameter.kept)) == 40
    assert answered == {
        "Status": "SUCCESS",
        "PhysicalResourceId": "minutehand-admin-token",
        "StackId": "arn:stack",
        "RequestId": "r-1",
        "LogicalResourceId": "AdminToken",
    }


def test_each_stack_gets_a_token_of_its_own(state: MemoryState) -> None:
    one, other = Parameter(), Parameter()
    _answer(state, one)
    _answer(state, other)
    assert one.kept != other.kept


def test_an_event_that_comes_twice_makes_one_token(state: MemoryState) -> None:
    parameter = Parameter()
    assert _answer(state, parameter) == _answer(state, parameter)
    assert state.tokens == _admin(parameter.kept)


def test_two_invocations_at_once_make_one_token(state: MemoryState) -> None:
    parameter = Parameter(rival=SECRET)
    assert _answer(state, parameter)["Status"] == "SUCCESS"
    assert parameter.kept == SECRET
    assert state.tokens == _admin(SECRET)


def test_an_invocation_that_dies_before_it_stores_the_hash_is_made_up_for_by_the_next(state: MemoryState) -> None:
    parameter = Parameter()
    died = seed.answer(EVENT, parameter=lambda: parameter, tokens=_unreachable)
    assert died["Status"] == "FAILED"
    made = parameter.kept
    assert _answer(state, parameter)["Status"] == "SUCCESS"
    assert parameter.kept == made
    assert state.tokens == _admin(made)


def test_updating_keeps_the_resources_id_and_takes_a_token_that_was_put_into_the_parameter(state: MemoryState) -> None:
    parameter = Parameter()
    _answer(state, parameter)
    parameter.kept = SECRET
    answered = _answer(state, parameter, EVENT | {"RequestType": "Update", "PhysicalResourceId": "given"})
    assert answered["PhysicalResourceId"] == "given"
    assert parameter.kept == SECRET
    assert state.tokens.items() >= _admin(SECRET).items()


def test_deleting_deletes_the_parameter_and_needs_no_table() -> None:
    parameter = Parameter(kept=SECRET)
    event = EVENT | {"RequestType": "Delete", "PhysicalResourceId": "given"}
    for _ in range(2):
        answered = seed.answer(event, parameter=lambda: parameter, tokens=_unreachable)
        assert (answered["Status"], answered["PhysicalResourceId"]) == ("SUCCESS", "given")
        assert parameter.kept is None


@pytest.fixture
def warnings(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the seed warns of."""
    lines: list[dict[str, Any]] = []
    monkeypatch.setattr(seed.logger, "warning", lambda message, **about: lines.append({"message": message} | about))
    return lines


def test_updating_makes_no_parameter_anew_that_an_operator_has_deleted(
    state: MemoryState, warnings: list[dict[str, Any]]
) -> None:
    parameter = Parameter()
    event = EVENT | {"RequestType": "Update", "PhysicalResourceId": "given"}
    answered = seed.answer(event, parameter=lambda: parameter, tokens=_unreachable)
    assert (answered["Status"], answered["PhysicalResourceId"]) == ("SUCCESS", "given")
    assert parameter.kept is None
    message = "the parameter is missing and not made anew"
    assert warnings == [{"message": message, "action": "seed", "parameter": NAME}]


def test_deleting_what_could_not_be_created_calls_nothing_and_succeeds() -> None:
    failed = seed.answer(EVENT, parameter=Parameter, tokens=_unreachable)
    assert (failed["Status"], failed["PhysicalResourceId"]) == ("FAILED", "minutehand-admin-token-not-created")
    event = EVENT | {"RequestType": "Delete", "PhysicalResourceId": failed["PhysicalResourceId"]}
    assert seed.answer(event, parameter=_unreachable, tokens=_unreachable)["Status"] == "SUCCESS"


def test_a_delete_that_is_not_allowed_succeeds_and_the_log_names_the_parameter_that_is_left(
    warnings: list[dict[str, Any]],
) -> None:
    parameter = Parameter(kept=SECRET, deletable=False)
    event = EVENT | {"RequestType": "Delete", "PhysicalResourceId": "given"}
    answered = seed.answer(event, parameter=lambda: parameter, tokens=_unreachable)
    assert (answered["Status"], answered["PhysicalResourceId"]) == ("SUCCESS", "given")
    message = "not allowed to delete the parameter: delete it"
    assert warnings == [{"message": message, "action": "seed", "parameter": NAME}]


def test_an_update_that_fails_keeps_the_resources_id() -> None:
    event = EVENT | {"RequestType": "Update", "PhysicalResourceId": "given"}
    answered = seed.answer(event, parameter=_unreachable, tokens=_unreachable)
    assert (answered["Status"], answered["PhysicalResourceId"]) == ("FAILED", "given")


def test_a_failure_is_reported_with_its_reason() -> None:
    answered = seed.answer(EVENT, parameter=Parameter, tokens=_unreachable)
    assert answered["Status"] == "FAILED"
    assert answered["Reason"] == "the admin token could not be stored: Unavailable: the store is away"
    answered = seed.answer(EVENT | {"RequestType": "Delete"}, parameter=_unreachable, tokens=_unreachable)
    assert answered["Status"] == "FAILED", "the stack's deletion stops: somebody must delete the parameter"
    assert answered["Reason"] == "the admin token could not be deleted: Unavailable: the store is away"


def test_a_weak_token_is_refused_and_not_repeated_in_the_error(state: MemoryState) -> None:
    answered = _answer(state, Parameter(kept="short"))
    assert answered["Status"] == "FAILED"
    assert f"the parameter {NAME} has 5 characters; at least 20 are needed" in answered["Reason"]
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


def test_the_handler_says_which_setting_names_the_parameter(
    cloud: tuple[str, type[_Cloud]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seed.clients, "settings", lambda: Settings(jobs_table="jobs"))
    url, received = cloud
    seed.handler(EVENT | {"ResponseURL": url}, None)
    [(_, _, body)] = received.got
    assert "ADMIN_TOKEN is not set" in json.loads(body)["Reason"]


def test_the_handler_returns_its_answer_to_a_caller_that_is_not_cloudformation(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the local stack calls it where CloudFormation skips custom resources."""
    state = MemoryState()
    parameter = Parameter()
    monkeypatch.setattr(seed, "_parameter", lambda: parameter)
    monkeypatch.setattr(seed, "tokens", lambda: MemoryTokens(state))
    answered = seed.handler({name: value for name, value in EVENT.items() if name != "ResponseURL"}, None)
    assert answered
    assert answered["Status"] == "SUCCESS"
    assert state.tokens == _admin(parameter.kept)
