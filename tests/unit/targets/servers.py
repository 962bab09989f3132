"""Scripted servers on real sockets of the loopback interface."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

Script = Callable[["Peer"], None]


class Peer:
    """The server's side of one connection."""

    def __init__(self, connection: socket.socket, over: threading.Event, requests: list[bytes]) -> None:
        self.connection = connection
        self.over = over
        self._requests = requests

    def read_request(self) -> bytes:
        """Read a request; return headers and body as received."""
        request = b""
        while b"\r\n\r\n" not in request:
            request += self._receive()
        head, _, body = request.partition(b"\r\n\r\n")
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        length = int(lengths[0].partition(b":")[2]) if lengths else 0
        while len(body) < length:
            body += self._receive()
        request = head + b"\r\n\r\n" + body
        self._requests.append(request)
        return request

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def drip(self, data: bytes) -> None:
        """Send byte by byte, until the test is over."""
        for byte in data:
            if self.over.wait(0.02):
                return
            self.send(bytes([byte]))

    def stay_silent(self) -> None:
        """Do nothing until the test is over."""
        self.over.wait(30)

    def _receive(self) -> bytes:
        piece = self.connection.recv(65536)
        if not piece:
            raise ConnectionError("the client is gone")
        return piece


class Server:
    """Listens on loopback and runs the script for each connection, in a thread of its own."""

    def __init__(self, script: Script, *, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self._script = script
        self._tls = tls
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.port = self._listener.getsockname()[1]

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}{path}"

    @property
    def request(self) -> str:
        """The only request, as text."""
        (request,) = self.requests
        return request.decode("latin-1")

    @property
    def sent_headers(self) -> dict[str, str]:
        """The headers of the only request, names in lower case."""
        head = self.request.partition("\r\n\r\n")[0]
        pairs = [line.partition(": ") for line in head.split("\r\n")[1:]]
        return {name.lower(): value for name, _, value in pairs}

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        for each in (self._listener, *self._open):  # callers may keep connections
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        self._listener.close()

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                self._start(lambda connection=connection: self._converse(connection))

    def _converse(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(10)
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with connection:
                self._open.append(connection)
                if self._over.is_set():
                    return
                self._script(Peer(connection, self._over, self.requests))


def answering(answer: bytes) -> Script:
    """A script that reads the request, sends this, and closes."""

    def script(peer: Peer) -> None:
        peer.read_request()
        peer.send(answer)

    return script


def response(
    body: bytes = b"", *, status: str = "200 OK", headers: str = "Content-Type: text/plain", length: int | None = None
) -> bytes:
    """An answer; `length` is its Content-Length, by default the real one."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}"]
    if headers:
        lines.append(headers)
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
