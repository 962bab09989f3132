"""Call an HTTP target: one request, one answer, within the time limit."""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from http.client import HTTPException

from urllib3 import HTTPHeaderDict
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.response import BaseHTTPResponse

from minutehand.targets.http.allow_list import EVERYTHING, AllowList
from minutehand.targets.http.answer import outcome_of
from minutehand.targets.http.connection import Connector, Lookup, system_lookup
from minutehand.targets.http.deadline import Deadline, Stage, TimedSocket
from minutehand.targets.http.failures import failure_of
from minutehand.targets.http.fields import HttpTarget
from minutehand.targets.http.redirects import FOLLOWED, redirected
from minutehand.targets.http.request import Request, request_of
from minutehand.usecases.ports.target import Call, Outcome

# The length of a body, perhaps given several times (RFC 9110, section 8.6).
_LENGTHS = re.compile(r"\d+(\s*,\s*\d+)*", re.ASCII)

# This warning of urllib3 would write the whole URL, with its query, to the function's log.
logging.getLogger("urllib3.connection").addFilter(lambda record: "Failed to parse headers" not in str(record.msg))


class HttpCaller:
    """Calls HTTP targets; the `TargetCaller` of their type. Safe for many threads.

    Each call opens a new connection. The target may have closed a kept one, for example while the function was frozen; a
    run must not fail for that, and a POST must not be sent twice to find out.

    Redirects are followed only if the target says so, and proxies of the environment are not used. Certificates are verified against the
    authorities of the system, or of SSL_CERT_FILE.
    """

    def __init__(
        self,
        *,
        allow_loopback: bool,
        allowed: AllowList = EVERYTHING,
        lookup: Lookup = system_lookup,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Args:
        allow_loopback: whether jobs may call the machine itself; for local stacks and tests.
        allowed: the hosts and networks that jobs may call.
        lookup: resolves a name to its addresses.
        monotonic: clock for the time limit, in seconds.
        clock: the present instant, for answers without a date.
        """
        self._connector = Connector(lookup, allow_loopback=allow_loopback, allowed=allowed)
        self._monotonic = monotonic
        self._clock = clock

    def __call__(self, target: HttpTarget, call: Call) -> Outcome:
        """Make the call and end it at its `timeout`, whatever the target does. Failures are outcomes, not exceptions."""
        deadline = Deadline(call.timeout, self._monotonic, call.cancelled)
        request = None
        try:
            request = request_of(target, call)
            hops = 0
            while True:
                deadline.stage = Stage.RESOLVING
                with self._connector.connected(
                    request.host, request.port, tls=request.tls, deadline=deadline
                ) as socket:
                    done = _exchange(request, target, call, socket, hops, deadline=deadline, now=self._clock())
                if isinstance(done, Outcome):
                    return done
                request, hops = done, hops + 1
        except Exception as error:  # noqa: BLE001 - a run records what went wrong, whatever it was
            return failure_of(error, request, deadline)


def _exchange(
    request: Request,
    target: HttpTarget,
    call: Call,
    connected: TimedSocket,
    hops: int,
    *,
    deadline: Deadline,
    now: datetime,
) -> Outcome | Request:
    """The outcome of a request, or the request that follows it; `hops` is how many redirects led to this one."""
    kind = HTTPSConnection if request.tls else HTTPConnection
    with contextlib.closing(kind(request.host, request.port, timeout=deadline.left())) as connection:
        connection.sock = connected
        connection.auto_open = 0  # urllib3 must not connect by itself, to an unchecked address
        deadline.stage = Stage.SENDING
        # The target may answer and close before it has read the whole request; its answer can still be read.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request(
                request.method,
                request.path,
                body=request.body,
                headers=HTTPHeaderDict(request.headers),
                preload_content=False,
                decode_content=False,
            )
        deadline.stage = Stage.WAITING
        with contextlib.closing(connection.getresponse()) as response:
            _check_length(response)
            location = response.headers.get("location")
            if _follows(response.status, target, hops) and location is not None:
                return redirected(request, response.status, location)
            deadline.stage = Stage.READING
            return outcome_of(response, request, target, call, deadline=deadline, now=now)


def _follows(status: int, target: HttpTarget, hops: int) -> bool:
    return hops < target.redirects and status in FOLLOWED and not target.expect.includes(status)


def _check_length(response: BaseHTTPResponse) -> None:
    """Raise for a length that is not a number: the library reads on until the connection closes, so a part would pass for the whole."""
    length = response.headers.get("content-length")
    if length is not None and "transfer-encoding" not in response.headers and not _LENGTHS.fullmatch(length):
        raise HTTPException(f"its Content-Length is {length!r:.60}, not a number")
