"""The service that the soak's jobs call logs what it answered, and whether its caller was still there."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import urllib3

from tests.soak.evidence import Call
from tests.soak.receiver import Receiver, waited

HEADERS = {"Minutehand-Job": "soak/beat", "Minutehand-Run-Id": "20261122T120000Z", "Minutehand-Attempt": "1"}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    found.start()
    yield found
    found.stop()


def _called(receiver: Receiver, path: str) -> int:
    with urllib3.PoolManager(retries=False) as http:
        return http.request("POST", receiver.url + path, headers=HEADERS).status


def _logged(receiver: Receiver, count: int) -> tuple[Call, ...]:
    """The log, once it has so many calls: the last is written after its answer."""
    waited(10, lambda: receiver.count() >= count)
    return receiver.calls


def test_a_call_is_logged_with_its_run_attempt_and_answer(receiver: Receiver) -> None:
    before = datetime.now(UTC)
    assert _called(receiver, "/quick?seconds=0&failures=0") == 200
    [call] = _logged(receiver, 1)
    assert (call.job, call.run_id, call.attempt, call.status) == ("beat", "20261122T120000Z", 1, 200)
    assert before <= call.at <= call.ended


def test_a_flaky_service_fails_the_first_calls_of_each_run(receiver: Receiver) -> None:
    statuses = []
    for number in range(3):
        statuses.append(_called(receiver, "/flaky?seconds=0&failures=2"))
        _logged(receiver, number + 1)
    assert statuses == [500, 500, 200]


def test_a_caller_that_goes_away_is_logged_as_gone(receiver: Receiver) -> None:
    with socket.create_connection(receiver.server_address[:2]) as caller:
        headers = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
        caller.sendall(f"POST /slow?seconds=20&failures=0 HTTP/1.1\r\nHost: here\r\n{headers}\r\n".encode())
    [call] = _logged(receiver, 1)
    assert call.status == 0


def test_waiting_ends_when_the_caller_has_gone() -> None:
    gone = threading.Event()
    gone.set()
    assert not waited(60, gone.is_set)
    assert waited(0, gone.is_set)
