"""The service that the jobs call: it answers by the path, and logs each call with its beginning, its end and whether the caller was still there."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import urllib3

from tests.soak.evidence import Call, Service

LOOK = 0.1
"""Seconds between two looks at whether the caller is still there."""
REPORT_TRIES = 120
"""How often, once a second, a report is repeated that got no answer: longer than any outage."""


@dataclass(frozen=True)
class Plan:
    """How one call is answered: with `status` after `seconds`, and a report through the API `report_after` seconds later."""

    status: int
    seconds: float = 0
    report_after: float | None = None


class Receiver(ThreadingHTTPServer):
    """The service; `calls` is its log, in the order in which calls ended."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._lock = threading.Lock()
        self._calls: list[Call] = []
        self._failed: dict[tuple[str, str], int] = {}
        self._http = urllib3.PoolManager(num_pools=4, maxsize=16, retries=False)
        self._closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://{self.server_address[0]!s}:{self.server_port}"

    @property
    def calls(self) -> tuple[Call, ...]:
        with self._lock:
            return tuple(self._calls)

    def count(self) -> int:
        with self._lock:
            return len(self._calls)

    def start(self) -> None:
        threading.Thread(target=self.serve_forever, args=(0.1,), name="receiver", daemon=True).start()

    def stop(self) -> None:
        self._closing.set()
        self.shutdown()
        self.server_close()

    def plan(self, service: Service, query: dict[str, list[str]], key: tuple[str, str]) -> Plan:
        """How to answer a call of the run `key`."""
        seconds, failures = float(query["seconds"][0]), int(query["failures"][0])
        match service:
            case Service.QUICK:
                return Plan(200)
            case Service.SLOW:
                return Plan(200, seconds)
            case Service.BROKEN:
                return Plan(503)
            case Service.SILENT:
                return Plan(202)
            case Service.LATER:
                return Plan(202, report_after=seconds)
            case Service.FLAKY:
                with self._lock:
                    return Plan(500 if self._failed.get(key, 0) < failures else 200)

    def log(self, call: Call) -> int:
        """Add a call to the log; its place in it."""
        with self._lock:
            if call.status >= 400:
                key = (call.job, call.run_id)
                self._failed[key] = self._failed.get(key, 0) + 1
            self._calls.append(call)
            return len(self._calls) - 1

    def report_later(self, seconds: float, place: int, url: str, token: str) -> None:
        """Report a success through the API after that time, and log the API's answer beside the call."""

        def report() -> None:
            if self._closing.wait(seconds):
                return
            status = self._reported(url, token)
            with self._lock:
                self._calls[place] = replace(self._calls[place], reported=status)

        threading.Thread(target=report, name="report", daemon=True).start()

    def _reported(self, url: str, token: str) -> int | None:
        body = json.dumps({"state": "succeeded", "result": {"rows": 1}}).encode()
        for _ in range(REPORT_TRIES):
            try:
                answer = self._http.request(
                    "POST", f"{url}/report", body=body, headers={"Minutehand-Token": token}, timeout=30
                )
                if answer.status < 500 and answer.status != 429:
                    return answer.status
            except urllib3.exceptions.HTTPError:
                pass
            if self._closing.wait(1):
                break
        return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Receiver

    def do_POST(self) -> None:
        at = datetime.now(UTC)
        address = urlsplit(self.path)
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        job, run_id = self.headers["Minutehand-Job"].partition("/")[2], self.headers["Minutehand-Run-Id"]
        plan = self.server.plan(Service(address.path.strip("/")), parse_qs(address.query), (job, run_id))
        there = waited(plan.seconds, lambda: _gone(self.connection))
        ended = datetime.now(UTC)  # before the answer: the next run may begin as soon as its caller has it
        there = there and self._answered(plan.status)
        place = self.server.log(
            Call(
                job=job,
                run_id=run_id,
                attempt=int(self.headers["Minutehand-Attempt"]),
                at=at,
                ended=ended,
                status=plan.status if there else 0,
            )
        )
        if there and plan.report_after is not None:
            callback, token = self.headers["Minutehand-Callback-Url"], self.headers["Minutehand-Token"]
            self.server.report_later(plan.report_after, place, callback, token)

    def _answered(self, status: int) -> bool:
        if _gone(self.connection):
            return False
        try:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()
        except OSError:
            self.close_connection = True
            return False
        return True

    def log_message(self, *_: object) -> None:
        """Print nothing: the log is `Receiver.calls`."""


def waited(seconds: float, gone: Callable[[], bool]) -> bool:
    """Wait for so long, or until the caller has gone; returns whether it is still there."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if gone():
            return False
        time.sleep(min(LOOK, left))
    return True


def _gone(connection: socket.socket) -> bool:
    """Whether the other side has closed this connection: nothing is left to read but its end."""
    try:
        ready, _, _ = select.select([connection], [], [], 0)
        return bool(ready) and not connection.recv(1, socket.MSG_PEEK)
    except OSError:
        return True
