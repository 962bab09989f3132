"""An HTTP echo service for jobs to call. It listens on loopback by default.

It answers 200 with the request as JSON. ``/status/503`` answers with that status, ``/fail`` with 500, ``/slow?seconds=2.5`` after that time
(an hour at most), and ``/calls`` with the last 1,000 requests, oldest first.
"""

import argparse
import json
import time
from collections import deque
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from localstack.ports import LOOPBACK

MAX_DELAY = 3600.0


class EchoServer(ThreadingHTTPServer):
    """The service; ``calls`` holds the last 1,000 requests."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, host: str = LOOPBACK) -> None:
        super().__init__((host, port), EchoHandler)
        self.calls: deque[dict[str, Any]] = deque(maxlen=1000)

    @property
    def url(self) -> str:
        """The address, without a trailing slash."""
        return f"http://{self.server_address[0]!s}:{self.server_port}"


class EchoHandler(BaseHTTPRequestHandler):
    """Answers one request by its path, as the module's docstring lists."""

    protocol_version = "HTTP/1.1"
    server: EchoServer

    def answer(self) -> None:
        """Echo the request, with the status and delay in its path."""
        address = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if address.path == "/calls":
            self._send(200, list(self.server.calls))
            return
        call = {
            "at": datetime.now(tz=UTC).isoformat(),
            "method": self.command,
            "path": address.path,
            "query": parse_qs(address.query),
            "headers": dict(self.headers.items()),
            "body": body.decode("utf-8", errors="replace"),
        }
        self.server.calls.append(call)
        self._wait(parse_qs(address.query) if address.path == "/slow" else {})
        self._send(_status(address.path), call)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = answer  # noqa: N815 (the library's names)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the library's name)
        """Print one line for each request, with the time in UTC."""
        print(f"{datetime.now(tz=UTC):%Y-%m-%dT%H:%M:%SZ} {format % args}", flush=True)

    def _wait(self, query: dict[str, list[str]]) -> None:
        try:
            seconds = float(query.get("seconds", ["0"])[0])
        except ValueError:
            return
        time.sleep(min(max(seconds, 0.0), MAX_DELAY))

    def _send(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _status(path: str) -> int:
    if path == "/fail":
        return 500
    first, _, number = path.lstrip("/").partition("/")
    return int(number) if first == "status" and number.isdigit() and 200 <= int(number) <= 599 else 200


def main() -> None:
    """Serve until the process is stopped."""
    parser = argparse.ArgumentParser(description="Answer every request with its own content.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--host", default=LOOPBACK, help="address to listen on; 0.0.0.0 inside a container")
    arguments = parser.parse_args()
    server = EchoServer(arguments.port, arguments.host)
    print(f"echo service at {server.url}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
