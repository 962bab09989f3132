"""Call an HTTP target: one request, one answer, within the time limit."""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPException
from urllib.parse import urljoin

from urllib3 import HTTPHeaderDict
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import LocationParseError
from urllib3.response import BaseHTTPResponse
from urllib3.util import parse_url

from minutehand.domain.run import Result, RunError, RunState
from minutehand.targets.http.allow_list import EVERYTHING, AllowList
from minutehand.targets.http.connection import Connector, Lookup, system_lookup
from minutehand.targets.http.deadline import Cancelled, Deadline, Stage, TimedSocket
from minutehand.targets.http.failures import failure_of
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.targets.http.request import Request, request_of, shown
from minutehand.targets.http.response import BODY_BYTES, read_beginning, text_of
from minutehand.usecases.ports.target import Call, Outcome

# The length of a body, perhaps given several times (RFC 9110, section 8.6).
_LENGTHS = re.compile(r"\d+(\s*,\s*\d+)*", re.ASCII)
_REDIRECTS = (300, 301, 302, 303, 307, 308)

# This warning of urllib3 would write the whole URL, with its query, to the function's log.
logging.getLogger("urllib3.connection").addFilter(lambda record: "Failed to parse headers" not in str(record.msg))


class HttpCaller:
    """Calls HTTP targets; the `TargetCaller` of their type. Safe for many threads.

    Each call opens a new connection. The target may have closed a kept one, for example while the function was frozen; a
    run must not fail for that, and a POST must not be sent twice to find out.

    Redirects are not followed, and proxies of the environment are not used. Certificates are verified against the
    authorities of the system, or of SSL_CERT_FILE.
    """

    def __init__(
        self,
        *,
        allow_loopback: bool,
        allowed: AllowList = EVERYTHING,
        lookup: Lookup = system_lookup,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Args:
        allow_loopback: whether jobs may call the machine itself; for local stacks and tests.
        allowed: the hosts and networks that jobs may call.
        lookup: resolves a name to its addresses.
        monotonic: clock for the time limit, in seconds.
        """
        self._connector = Connector(lookup, allow_loopback=allow_loopback, allowed=allowed)
        self._monotonic = monotonic

    def __call__(self, target: HttpTarget, call: Call) -> Outcome:
        """Make the call and end it at its `timeout`, whatever the target does. Failures are outcomes, not exceptions.

        The call fails for a 2xx answer whose body breaks off, or is neither complete nor 1 MiB long at the time limit. It fails for
        any other status, whether or not the body can be read. If the run is cancelled, the part of the body that was read is kept.
        """
        deadline = Deadline(call.timeout, self._monotonic, call.cancelled)
        request = None
        try:
            request = request_of(target, call)
            with self._connector.connected(request.host, request.port, tls=request.tls, deadline=deadline) as connected:
                return _exchange(request, target, call, connected, deadline)
        except Exception as error:  # noqa: BLE001 - a run records what went wrong, whatever it was
            state, run_error = failure_of(error, request, deadline)
            return Outcome(state=state, error=run_error)


def _exchange(request: Request, target: HttpTarget, call: Call, connected: TimedSocket, deadline: Deadline) -> Outcome:
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
            deadline.stage = Stage.READING
            outcome = _outcome(response, request, target.url, deadline)
    accepted = target.mode is Mode.AUTO and response.status == HTTPStatus.ACCEPTED
    if outcome.state is not RunState.SUCCEEDED or not (accepted or target.mode is Mode.CALLBACK):
        return outcome
    return _accepted(outcome, call, request)


def _check_length(response: BaseHTTPResponse) -> None:
    """Raise for a length that is not a number: the library reads on until the connection closes, so a part would pass for the whole."""
    length = response.headers.get("content-length")
    if length is not None and "transfer-encoding" not in response.headers and not _LENGTHS.fullmatch(length):
        raise HTTPException(f"its Content-Length is {length!r:.60}, not a number")


def _accepted(outcome: Outcome, call: Call, request: Request) -> Outcome:
    if call.callback_url:
        return outcome._replace(state=RunState.WAITING)
    message = (
        f"{request.where} accepted the work but has no address to report to: this service does not know its own URL. "
        "Its operator can set CallbackUrl. If 202 is the target's final answer, set target.mode to sync"
    )
    return outcome._replace(state=RunState.FAILED, error=RunError(type="NoCallbackUrl", message=message))


def _outcome(response: BaseHTTPResponse, request: Request, url: str, deadline: Deadline) -> Outcome:
    beginning = read_beginning(response)
    cut = not beginning.whole and len(beginning.data) == BODY_BYTES
    result = Result(type="http", status=response.status, body=text_of(beginning, response.headers), cut=cut)
    if not 200 <= response.status < 300 and not isinstance(beginning.error, Cancelled):
        return Outcome(state=RunState.FAILED, result=result, error=_status_error(response, request, url))
    if beginning.error is not None:
        state, error = failure_of(beginning.error, request, deadline)
        return Outcome(state=state, result=result, error=error)
    return Outcome(state=RunState.SUCCEEDED, result=result)


def _status_error(response: BaseHTTPResponse, request: Request, url: str) -> RunError:
    answered = f"{response.status} {_phrase(response)}".strip() + f" from {request.where}"
    location = response.headers.get("location")
    if response.status not in _REDIRECTS or location is None:
        return RunError(type="HttpStatus", message=answered)
    try:
        to = shown(parse_url(urljoin(url, location)))
    except (LocationParseError, ValueError):
        to = "a location that cannot be read"
    message = f"{answered}, which points to {to}; redirects are not followed: set target.url to the final URL"
    return RunError(type="Redirect", message=message)


def _phrase(response: BaseHTTPResponse) -> str:
    """The standard phrase of an HTTP status; for an unknown status, the phrase that the target sent."""
    try:
        return HTTPStatus(response.status).phrase
    except ValueError:
        return "".join(c for c in response.reason or "" if c.isprintable())[:60]
