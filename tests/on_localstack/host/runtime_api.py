"""The Lambda Runtime API of one execution environment.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue

PREFIX = "/2018-06-01/runtime"


@dataclass(frozen=True)
class Invocation:
    """An invocation, and the future of its outcome: the body, and whether it is an error."""

    request_id: str
    arn: str
    trace_id: str
    payload: str
    timeout: float
    outcome: Future[tuple[bytes, bool]] = field(default_factory=Future)

    def end(self, body: bytes, *, failed: bool) -> None:
        """Set the outcome, unless there is one."""
        if not self.outcome.done():
            self.outcome.set_result((body, failed))


class RuntimeApi(ThreadingHTTPServer):
    """Hands invocations to the runtime that asks for them, one after another.

    Attributes:
        initialized: None when the runtime first asks for an invocation, or the error that its start reported.
        current: the invocation that the runtime has now, or had last.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.waiting: Queue[Invocation | None] = Queue()
        self.initialized: Future[bytes | None] = Future()
        self.current: Invocation | None = None
        self._given: list[Invocation] = []
        self._ended: bytes | None = None
        self._lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def hand_over(self, invocation: Invocation) -> None:
        """Give the runtime this invocation at its next question; it fails at once where the runtime has ended."""
        with self._lock:
            self._given = [each for each in self._given if not each.outcome.done()] + [invocation]
            if self._ended is not None:
                invocation.end(self._ended, failed=True)
        self.waiting.put(invocation)

    def end_all(self, error: bytes) -> None:
        """End what the runtime has, and what it would still have asked for, with this error: the runtime has exited."""
        with self._lock:
            self._ended = error
            for invocation in self._given:
                invocation.end(error, failed=True)

    def close(self) -> None:
        """Stop serving; a runtime that waits for an invocation gets an error."""
        self.waiting.put(None)
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # with it, each answer would wait 40 ms
    server: RuntimeApi

    def do_GET(self) -> None:
        if not self.server.initialized.done():
            self.server.initialized.set_result(None)
        invocation = self.server.current = self.server.waiting.get()
        if invocation is None:
            self._answer(410, b"")
            return
        self._answer(
            200,
            invocation.payload.encode(),
            {
                "Content-Type": "application/json",
                "Lambda-Runtime-Aws-Request-Id": invocation.request_id,
                "Lambda-Runtime-Deadline-Ms": str(int((time.time() + invocation.timeout) * 1000)),
                "Lambda-Runtime-Invoked-Function-Arn": invocation.arn,
                "Lambda-Runtime-Trace-Id": invocation.trace_id,
            },
        )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        current = self.server.current
        if self.path == f"{PREFIX}/init/error":
            if not self.server.initialized.done():
                self.server.initialized.set_result(body)
        elif current is not None and self.path.startswith(f"{PREFIX}/invocation/{current.request_id}/"):
            current.end(body, failed=self.path.endswith("/error"))
        self._answer(202, b'{"status":"OK"}')

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""
