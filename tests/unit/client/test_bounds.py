"""Answers without end, and links that lead astray: what a forged API may send to an agent."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
import urllib3

from minutehand.client import AnswerError, Unreachable
from minutehand.client.bounds import Bounds
from minutehand.client.links import check_link
from minutehand.client.transport import Transport

Answer = Callable[[socket.socket], None]
HEADER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.fixture
def sending() -> Iterator[Callable[..., Transport]]:
    """Open a transport to a server that answers as a function does, which gets the connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []

    def make(answer: Answer, *, seconds: float = 60, size: int = 10_000) -> Transport:
        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection, suppress(OSError):
                        connection.recv(65_536)
                        answer(connection)

        threads.append(threading.Thread(target=serve, daemon=True))
        threads[-1].start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        return Transport(url, "token", timeout=15, retries=0, backoff=0, bounds=Bounds(seconds, size))

    yield make
    listener.shutdown(socket.SHUT_RDWR)  # which ends the wait for a connection
    for each in threads:
        each.join(10)
    listener.close()


def dripping(begin: bytes, drop: bytes) -> Answer:
    def answer(connection: socket.socket) -> None:
        connection.sendall(begin)
        while True:
            connection.sendall(drop)
            threading.Event().wait(0.01)

    return answer


@pytest.mark.parametrize("begin", [b"HTTP/1.1 200 OK\r\nX: ", HEADER + b"Content-Length: 9000\r\n\r\n{"])
def test_an_answer_that_only_drips_is_given_up(begin: bytes, sending: Callable[..., Transport]) -> None:
    with pytest.raises(Unreachable, match="no answer in time"):
        sending(dripping(begin, b" "), seconds=0.2).send("GET", "/v1")


def test_an_answer_beyond_its_bounds_is_given_up(sending: Callable[..., Transport]) -> None:
    endless = dripping(HEADER + b"Transfer-Encoding: chunked\r\n\r\n", b"400\r\n" + b" " * 1024 + b"\r\n")
    with pytest.raises(Unreachable, match="the answer is longer than 10,000 bytes"):
        sending(endless).send("GET", "/v1")


def test_answers_within_their_bounds_are_read_by_one_connection(sending: Callable[..., Transport]) -> None:
    answer = HEADER + b'Content-Length: 7\r\n\r\n{"a":1}'

    def two(connection: socket.socket) -> None:
        connection.sendall(answer)
        connection.recv(65_536)
        connection.sendall(answer)

    http = sending(two, size=2 * len(answer) - 1)  # of each answer
    assert [http.send("GET", "/v1"), http.send("GET", "/v1")] == [{"a": 1}] * 2


def test_a_compressed_answer_is_not_unpacked(sending: Callable[..., Transport]) -> None:
    bomb = gzip.compress(b'{"a":"' + b"x" * 5_000_000 + b'"}')
    header = HEADER + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    with pytest.raises(AnswerError, match="does not speak Minutehand's API"):
        sending(lambda connection: connection.sendall(header + bomb)).send("GET", "/v1")


PUBLIC, LOCAL = "https://abc.execute-api.eu-west-1.amazonaws.com/prod", "http://127.0.0.1:4566/stage"


@pytest.mark.parametrize(
    ("link", "api"),
    [
        ("https://bucket.s3.eu-west-1.amazonaws.com/key?X-Amz-Signature=1", PUBLIC),
        ("https://52.218.1.1/bucket/key", PUBLIC),
        ("https://10.0.0.5/bucket/key", "https://10.0.0.4/prod"),
        ("http://localhost:4566/bucket/key", LOCAL),
        ("http://127.0.0.1:4566/bucket/key", "http://localhost:4566/stage"),
    ],
)
def test_a_link_to_a_store_is_used(link: str, api: str) -> None:
    check_link(link, api)


@pytest.mark.parametrize(
    "link",
    [
        "http://bucket.s3.eu-west-1.amazonaws.com/key",
        "https://169.254.169.254/latest/api/token",
        "https://127.0.0.1:2375/containers/create",
        "https://localhost/",
        "https://10.0.0.5/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.5]/",
        "https://[fe80::1]/",
        "https://0.0.0.0/",
        "https://user:password@bucket.s3.amazonaws.com/",
        "file:///etc/passwd",
        "",
        "https://[x/",
        "https://127.0.0.1\\@bucket.s3.amazonaws.com/",
    ],
)
def test_a_link_that_leads_astray_is_not(link: str) -> None:
    with pytest.raises(AnswerError, match="links to a store that is not used"):
        check_link(link, PUBLIC)


def test_an_api_on_a_public_address_does_not_lead_into_a_private_network() -> None:
    with pytest.raises(AnswerError, match=r"into a private network, at 169\.254\.169\.254"):
        check_link("http://169.254.169.254/latest", "http://52.218.1.1/stage")


def test_an_upload_gets_the_time_that_a_slow_line_needs_for_it() -> None:
    class Pool(urllib3.PoolManager):
        def request(self, *_: Any, **given: Any) -> Any:  # type: ignore[override]
            timeouts.append(given["timeout"])
            return urllib3.HTTPResponse(status=200)

    timeouts: list[urllib3.Timeout] = []
    transport = Transport("http://127.0.0.1:1/prod", "token", timeout=15, retries=0, backoff=0, connections=Pool())
    for size in (0, 6_400 * 1024):
        transport.put("http://127.0.0.1:1/logs", bytes(size))
    assert [each.connect_timeout for each in timeouts] == [5, 105]
    assert [each.read_timeout for each in timeouts] == [15, 15]
