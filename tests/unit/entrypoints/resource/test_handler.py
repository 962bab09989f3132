"""The handler always answers CloudFormation, in time, or ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any, ClassVar

import boto3
import pytest

from minutehand.entrypoints import resource as function
from minutehand.entrypoints.custom_resource import LONGEST, fitting
from minutehand.entrypoints.settings import Settings
from tests.unit.entrypoints.resource.stacks import HOURLY, Region, Resource


class _Cloud(BaseHTTPRequestHandler):
    """Takes answers as the presigned URL does; `statuses` are its next ones, then 200."""

    got: ClassVar[list[dict[str, str]]] = []
    statuses: ClassVar[list[int]] = []

    def do_PUT(self) -> None:
        self.got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(self.statuses.pop(0) if self.statuses else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing: tests are quiet."""


@pytest.fixture
def url() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Cloud)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    _Cloud.got.clear()
    _Cloud.statuses.clear()
    yield f"http://127.0.0.1:{server.server_port}/answer"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def region(monkeypatch: pytest.MonkeyPatch) -> Region:
    region = Region()
    monkeypatch.setattr(function, "_deployment", region.deployment)
    return region


def _context(milliseconds: int = 60_000) -> Any:
    return SimpleNamespace(get_remaining_time_in_millis=lambda: milliseconds)


def test_the_answer_goes_to_the_response_url(region: Region, url: str) -> None:
    event = Resource(region).event("Create", HOURLY, ResponseURL=url)
    assert function.handler(event, _context()) is None
    [answered] = _Cloud.got
    assert (answered["Status"], answered["PhysicalResourceId"]) == ("SUCCESS", "shop/report")


def test_an_event_without_a_response_url_gets_the_answer_itself(region: Region) -> None:
    event = Resource(region).event("Create", HOURLY)
    del event["ResponseURL"]
    answered = function.handler(event, _context(0))
    assert answered
    assert answered["Status"] == "SUCCESS"


def test_a_response_url_that_is_gone_is_an_error_in_the_log_and_the_request_is_done(region: Region, url: str) -> None:
    _Cloud.statuses.append(403)
    event = Resource(region).event("Create", HOURLY, ResponseURL=url)
    with pytest.raises(RuntimeError, match="status 403"):
        function.handler(event, _context())
    assert region.job()
    function.handler(event, _context())
    assert [each["Status"] for each in _Cloud.got] == ["SUCCESS", "SUCCESS"]


def test_missing_settings_are_answered(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def settings() -> Settings:
        return Settings.read({})

    monkeypatch.setattr(function.clients, "settings", settings)
    function._deployment.cache_clear()
    function.handler(Resource(Region()).event("Create", HOURLY, ResponseURL=url), _context())
    [answered] = _Cloud.got
    assert answered["Status"] == "FAILED"
    assert "JOBS_TABLE" in answered["Reason"]


def test_a_store_that_does_not_answer_in_time_is_answered_and_the_process_ends(
    region: Region, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else CloudFormation would wait for an hour, and a call that still waits could save the job after the rollback."""
    ended, codes = Event(), []

    def stuck(*_: Any) -> Any:
        assert ended.wait(10)
        return {}

    def end(code: int) -> None:
        codes.append(code)
        ended.set()

    monkeypatch.setattr(region.ports.definitions, "get", stuck)
    monkeypatch.setattr(function.os, "_exit", end)
    function.handler(Resource(region).event("Create", HOURLY, ResponseURL=url), _context(1))
    assert codes == [1]
    first = _Cloud.got[0]
    assert (first["Status"], first["PhysicalResourceId"]) == ("FAILED", "not-created")
    assert "a store did not answer in time" in first["Reason"]


@pytest.mark.thorough
def test_a_store_that_answers_while_a_request_is_given_up_leads_to_no_other_answer(
    region: Region, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    giving_up, other, sent = Event(), Event(), []

    def stuck(*_: Any) -> Any:
        assert giving_up.wait(10)
        return {}

    def send(_: str, answered: dict[str, str]) -> None:
        if answered["Status"] == "FAILED":
            giving_up.set()
            other.wait(0.3)  # as long as the first answer takes
        sent.append(answered["Status"])
        other.set()

    def end(_: int) -> None:
        sent.append("end")

    monkeypatch.setattr(region.ports.definitions, "get", stuck)
    monkeypatch.setattr(function, "send", send)
    monkeypatch.setattr(function.os, "_exit", end)
    function.handler(Resource(region).event("Create", HOURLY, ResponseURL=url), _context(1))
    assert sent[:2] == ["FAILED", "end"]


def test_a_request_that_is_done_is_not_given_up(region: Region, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done, codes = Event(), []
    monkeypatch.setattr(function.os, "_exit", codes.append)
    done.set()
    function._give_up(Resource(region).event("Create", HOURLY, ResponseURL=url), done)
    assert (codes, _Cloud.got) == ([], [])


@pytest.mark.thorough
def test_no_store_or_queue_is_called_while_a_request_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {name: boto3.client(name, region_name="eu-west-1") for name in ("dynamodb", "sqs")}
    given = SimpleNamespace(jobs_table="Jobs", run_retention=None, resource_namespaces=("*",))
    monkeypatch.setattr(function, "clients", SimpleNamespace(
        settings=lambda: given, dynamodb_at_once=lambda: made["dynamodb"],
        dynamodb=lambda: made["dynamodb"], sqs=lambda: made["sqs"],
    ))  # fmt: skip
    monkeypatch.setattr(function.bootstrap, "ports", lambda: None)
    monkeypatch.setattr(function, "target_terms", lambda _: None)
    function._deployment.cache_clear()
    function._deployment()
    function._deployment.cache_clear()
    for name, client in made.items():
        call = Thread(target=client.meta.events.emit, args=(f"before-send.{name}.Anything",), kwargs={"request": None})
        with function._last_word:
            call.start()
            call.join(0.1)
            assert call.is_alive()
        call.join()


def test_a_reason_is_cut_to_what_cloudformation_takes() -> None:
    for text in ("x" * 10_000, "ü" * 10_000, "🕰" * 10_000, '"' * 10_000):
        cut = fitting({"Status": "FAILED", "StackId": "s" * 230, "LogicalResourceId": "l" * 255, "Reason": text})
        size = len(json.dumps(cut).encode())
        assert LONGEST - 12 < size <= LONGEST
        assert cut["Reason"].endswith(" …")
    short = {"Status": "FAILED", "Reason": "wrong"}
    assert fitting(short) == short
