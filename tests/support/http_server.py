"""A small HTTP server on loopback that misbehaves where a test asks for it: lost connections, busy answers, somebody else's answers."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(kw_only=True)
class Canned:
    """A scripted answer. `drop` closes the connection without any; with `late`, after the request has been carried out."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False
    late: bool = False


def document(body: Any, status: int = 200) -> Canned:
    """A scripted JSON answer."""
    return Canned(status=status, body=json.dumps(body).encode(), headers={"Content-Type": "application/json"})


def problem(status: int, detail: str = "it will not do", **more: Any) -> Canned:
    """A scripted problem document."""
    return document({"title": "no", "status": status, "detail": detail, **more}, status)


class Answered(NamedTuple):
    """What is sent back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(kw_only=True)
class Request:
    """A request as received; header names in lower case, `raw` the body as text and `body` its JSON, `target` path and query as sent."""

    method: str
    path: str
    query: dict[str, str]
    queries: dict[str, list[str]]
    headers: dict[str, str]
    raw: str | None
    target: str = ""

    @property
    def body(self) -> Any:
        return None if self.raw is None else json.loads(self.raw)


class _Listener(ThreadingHTTPServer):
    request_queue_size = 64  # of connections that come at once; beyond it they wait for a second
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print an error, unless the client has only gone before its answer."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class HttpServer:
    """Answers with 404 unless scripted.

    Attributes:
        requests: what was received.
        canned: answers for the next requests, in order; None answers one as usual.
        instead: picks a scripted answer by the request, before `canned`.
        before: called with each request before it is answered.
    """

    def __init__(self) -> None:
        self.forget()
        self._listener = _Listener(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(
            target=self._listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self.url = f"http://127.0.0.1:{self._listener.server_port}/stage"

    def forget(self) -> None:
        """Drop what was received and scripted."""
        self.requests: list[Request] = []
        self.canned: deque[Canned | None] = deque()
        self.instead: Callable[[Request], Canned | None] = lambda request: None
        self.before: Callable[[Request], None] = lambda request: None

    def say(self, path_end: str, body: Any, status: int = 200) -> None:
        """Answer requests whose path ends so with this document, such as one of an API of another version."""
        canned, before = document(body, status), self.instead
        self.instead = lambda request: canned if request.path.endswith(path_end) else before(request)

    def answer(self, request: Request) -> Answered:
        """The answer that is not scripted."""
        return Answered(404, {"Content-Type": "text/plain"}, f"no {request.path}".encode())

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()

    def _serve(self, request: Request) -> Answered | None:
        """The answer, or None to close the connection without one."""
        self.requests.append(request)
        self.before(request)
        canned = self.instead(request) or (self.canned.popleft() if self.canned else None)
        if canned is None:
            return self.answer(request)
        if canned.late:
            self.answer(request)
        return None if canned.drop else Answered(canned.status, canned.headers, canned.body)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                """Log nothing."""

            def _do(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                data = self.rfile.read(size)
                url = urlsplit(self.path)
                answered = server._serve(
                    Request(
                        method=self.command,
                        path=url.path,
                        query={key: values[0] for key, values in parse_qs(url.query).items()},
                        queries=parse_qs(url.query),
                        headers={key.lower(): value for key, value in self.headers.items()},
                        raw=data.decode("utf-8", "surrogateescape") if data else None,
                        target=self.path,
                    )
                )
                if answered is None:
                    return
                self.send_response(answered.status)
                for key, value in answered.headers.items():
                    if key.lower() != "content-length":
                        self.send_header(key, value)
                self.send_header("Content-Length", str(len(answered.body)))
                self.end_headers()
                self.wfile.write(answered.body)

        for method in ("GET", "PUT", "POST", "DELETE"):
            setattr(Handler, f"do_{method}", Handler._do)
        return Handler


def closed_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
