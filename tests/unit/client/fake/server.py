"""A small real HTTP server that answers as it is told, and misbehaves when told to."""

from __future__ import annotations

import json
import socket
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(kw_only=True)
class Canned:
    """An answer to give instead of the right one; `drop` closes the connection without any, after doing what was asked if `late`."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False
    late: bool = False


@dataclass(kw_only=True)
class Request:
    """What was asked; header names in lower case."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


class RefusedError(Exception):
    """An answer that is a problem document."""

    def __init__(self, status: int, detail: str, errors: list[dict[str, Any]] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.document = {"type": "about:blank", "title": f"problem {status}", "status": status, "detail": detail}
        if errors:
            self.document["errors"] = errors


class _Server(ThreadingHTTPServer):
    request_queue_size = 64  # of connections that come at once; beyond it they wait for a second


class Server:
    """`requests` is what was asked, `canned` what to answer first instead of the right thing, `instead` what to answer to a certain request."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.canned: deque[Canned | None] = deque()
        self.instead: Callable[[Request], Canned | None] = lambda request: None
        self.before: Callable[[Request], None] = lambda request: None
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self.url = f"http://127.0.0.1:{self._server.server_port}/stage"

    def answer(self, request: Request) -> tuple[int, Any]:
        """The right answer: its status and its document, or a refusal."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                """Say nothing."""

            def _serve(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                data = self.rfile.read(size)
                url = urlsplit(self.path)
                request = Request(
                    method=self.command,
                    path=url.path,
                    query={key: values[0] for key, values in parse_qs(url.query).items()},
                    headers={key.lower(): value for key, value in self.headers.items()},
                    body=json.loads(data) if data else None,
                )
                api.requests.append(request)
                api.before(request)
                canned = api.instead(request) or (api.canned.popleft() if api.canned else None)
                if canned is None or canned.late:
                    try:
                        status, body = api.answer(request)
                        kind = "application/json"
                    except RefusedError as problem:
                        status, body, kind = problem.status, problem.document, "application/problem+json"
                    out = b"" if status == 204 else json.dumps(body).encode()
                    headers = {"Content-Type": kind}
                else:
                    status, out, headers = canned.status, canned.body, canned.headers
                if canned is not None and canned.drop:
                    return
                self.send_response(status)
                for key, value in headers.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(out)))
                self.end_headers()
                self.wfile.write(out)

        for method in ("GET", "PUT", "POST", "DELETE"):
            setattr(Handler, f"do_{method}", Handler._serve)
        return Handler


def closed_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
