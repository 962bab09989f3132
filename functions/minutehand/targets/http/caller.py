"""Call an HTTP target: one request, one answer, within the time limit."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from urllib3.response import BaseHTTPResponse

from minutehand.targets.http.allow_list import EVERYTHING, AllowList
from minutehand.targets.http.answer import outcome_of
from minutehand.targets.http.connection import Connector, Lookup, system_lookup
from minutehand.targets.http.deadline import Deadline, Reach, Stage
from minutehand.targets.http.exchange import Stale, sent
from minutehand.targets.http.failures import failure_of
from minutehand.targets.http.fields import HttpTarget
from minutehand.targets.http.origin import Origin, digest
from minutehand.targets.http.pool import Line, Pool
from minutehand.targets.http.redirects import FOLLOWED, redirected
from minutehand.targets.http.refusal import Refused
from minutehand.targets.http.request import Request, request_of
from minutehand.usecases.ports.target import Call, Outcome

if TYPE_CHECKING:
    from minutehand.targets.http.endpoints.calling import EndpointCaller


class HttpCaller:
    """Calls HTTP targets; the `TargetCaller` of their type. Safe for many threads.

    A connection whose answer was read to its end is kept for a few seconds, for the next call of its origin. A request is sent once: only if
    a kept connection proves closed before the first byte is sent, a new one is opened. Otherwise the target may have received the request,
    and another attempt is the job's decision.

    Redirects are followed only if the target says so, and proxies of the environment are not used. Certificates are verified against the
    authorities of the system, or of SSL_CERT_FILE, and those that the target adds.
    """

    def __init__(
        self,
        *,
        allow_loopback: bool,
        allowed: AllowList = EVERYTHING,
        endpoints: Callable[[], EndpointCaller] | None = None,
        lookup: Lookup = system_lookup,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Args:
        allow_loopback: whether jobs may call the machine itself; for local stacks and tests.
        allowed: the hosts and networks that jobs may call.
        endpoints: makes what calls targets with several endpoints; None if jobs may have none.
        lookup: resolves a name to its addresses.
        monotonic: clock for the time limit, in seconds.
        clock: the present instant, for answers without a date.
        """
        self._connector = Connector(lookup, allow_loopback=allow_loopback, allowed=allowed)
        self._load_endpoints = endpoints
        self._of_endpoints: EndpointCaller | None = None
        self._lock = threading.Lock()
        self._pool = Pool(monotonic, clock)
        self._monotonic = monotonic
        self._clock = clock

    def __call__(self, target: HttpTarget, call: Call) -> Outcome:
        """Make the call and end it at its `timeout`, whatever the target does. Failures are outcomes, not exceptions."""
        deadline = Deadline(call.timeout, self._monotonic, call.cancelled)
        if target.endpoints is None:
            return self._called(target, call, deadline)
        try:
            return self._endpoint_caller()(target, call, deadline, lambda one: self._called(one, call, deadline))
        except Exception as error:  # noqa: BLE001 - a run records what went wrong, whatever it was
            return failure_of(error, None, deadline)

    def _endpoint_caller(self) -> EndpointCaller:
        """What calls targets with several endpoints, made by the first thread that needs it."""
        if self._load_endpoints is None:
            raise Refused("InvalidRequest", "this function cannot call targets with several endpoints", final=True)
        with self._lock:
            self._of_endpoints = self._of_endpoints or self._load_endpoints()
            return self._of_endpoints

    def _called(self, target: HttpTarget, call: Call, deadline: Deadline) -> Outcome:
        """Make the call at the target's own URL."""
        first = request = None
        try:
            first = request = self._signed(request_of(target, call), target, call)
            made = _Made(target, call, deadline, redirects=target.redirects)
            while True:
                done = self._sent(request, made)
                if isinstance(done, Outcome):
                    return done
                request, made = done, made._replace(redirects=made.redirects - 1)
        except Exception as error:  # noqa: BLE001 - a run records what went wrong, whatever it was
            failed = failure_of(error, request, deadline)
            if first is None or request is first or failed.error is None:
                return failed
            message = f"redirected from {first.where}: {failed.error.message}"
            return failed._replace(error=failed.error._replace(message=message))

    def _signed(self, request: Request, target: HttpTarget, call: Call) -> Request:
        if not target.signing_key:
            return request
        from minutehand.targets.http.signing import signed  # noqa: PLC0415 - few jobs sign their requests

        return signed(request, call.run.key, call.secret(target.signing_key).split(), self._clock())

    def _sent(self, request: Request, made: _Made) -> Outcome | Request:
        """The outcome of a request, or the request that follows it."""
        authorities = made.target.tls.ca if request.tls else ""
        origin = Origin(
            request.tls, request.host.lower(), request.port, authorities, digest(request.private.certificate)
        )
        if made.deadline.reach is Reach.NOTHING:
            made.deadline.reach = Reach.CONNECTION
        line = self._pool.take(origin)
        if line is not None:
            with contextlib.suppress(Stale):
                return self._exchanged(line, request, made)
        made.deadline.stage = Stage.RESOLVING
        with made.deadline.to_connect():
            socket = self._connector.opened(origin, made.deadline, request.private.certificate)
        return self._exchanged(Line(origin, socket, self._monotonic()), request, made)

    def _exchanged(self, line: Line, request: Request, made: _Made) -> Outcome | Request:
        keeps = False
        try:
            with sent(request, line, made.deadline) as answer:
                done = self._judged(answer.response, request, made)
                keeps = answer.may_be_kept()
        finally:
            if keeps:
                self._pool.keep(line)
            else:
                self._pool.drop(line)
        return done

    def _judged(self, response: BaseHTTPResponse, request: Request, made: _Made) -> Outcome | Request:
        location, status, target = response.headers.get("location"), response.status, made.target
        follows = made.redirects and status in FOLLOWED and not target.expect.includes(status)
        if follows and location is not None:
            return redirected(request, status, location)
        made.deadline.stage = Stage.READING
        return outcome_of(response, request, target, made.call, deadline=made.deadline, now=self._clock())


class _Made(NamedTuple):
    """A call that is being made; `redirects` is how many may still be followed."""

    target: HttpTarget
    call: Call
    deadline: Deadline
    redirects: int
