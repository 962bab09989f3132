"""Balancer: calls one of several endpoints, and another one if it cannot have received the request."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from minutehand.domain.balance import Balance, CallEnd, Ejection, Hold, by_preference, hold_of
from minutehand.domain.endpoint import Endpoint
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.run import RunState
from minutehand.targets.http.deadline import Reach
from minutehand.targets.http.endpoint_fields import Choose, Endpoints, NextEndpoint
from minutehand.usecases.ports.endpoints import Balances
from minutehand.usecases.ports.stores import Clock
from minutehand.usecases.ports.target import Call

TRIES = 5
"""Most tries to count a call in flight while other workers count theirs."""
REST = timedelta(seconds=10)
"""How long the shared state is left alone after it did not answer."""
_REMEMBERED = 500
_UNANSWERED = frozenset((ErrorType.TIMED_OUT.value, "ConnectionLost", "NotHttp"))
"""Errors of requests that were sent and for which the endpoint is to blame."""


class Sent(NamedTuple):
    """What became of a request to one endpoint: how it ended, and how far it got."""

    outcome: Outcome
    reach: Reach

    @property
    def may_go_elsewhere(self) -> bool:
        """Whether another endpoint may be tried in the same attempt: ◆ this one cannot have received the request."""
        return self.reach is Reach.CONNECTION and self.outcome.state is RunState.FAILED and not self.outcome.final

    @property
    def failed(self) -> bool | None:
        """Whether the endpoint failed; None if that is not known."""
        outcome = self.outcome
        if self.reach is Reach.NOTHING or outcome.state is RunState.CANCELLED:
            return None
        if self.reach is Reach.CONNECTION or (outcome.error is not None and outcome.error.type in _UNANSWERED):
            return True
        if outcome.result is None:
            return None
        return outcome.state is RunState.FAILED and outcome.result.status >= 500


Send = Callable[[str, int], Sent]
"""Sends the request to an endpoint, by its URL. The number says how many endpoints may still be tried, this one included."""


class _Shared(NamedTuple):
    """A call that is shared among endpoints.

    Attributes:
        avoid: URLs of the endpoints that earlier attempts of the run tried.
    """

    job: JobKey
    endpoints: Endpoints
    found: Sequence[Endpoint]
    avoid: frozenset[str]
    timeout: timedelta


class _Choice(NamedTuple):
    """An endpoint that gets a call.

    Attributes:
        state: by which it was chosen.
        hold: what counts the call in flight; None with round_robin.
        stored: whether the hold is in the shared state.
    """

    endpoint: Endpoint
    state: Balance
    hold: Hold | None = None
    stored: bool = False


class Balancer:
    """Shares the calls of each job among its endpoints. Safe for many threads.

    The state is shared with other workers. If it cannot be read or written, the call is made by what this process knows.
    """

    def __init__(self, balances: Balances, clock: Clock) -> None:
        self._balances, self._clock = balances, clock
        self._lock = threading.RLock()  # a simulation has its threads in one
        self._known: dict[JobKey, Balance] = {}
        self._silent_until: datetime | None = None

    def call(self, endpoints: Endpoints, found: Sequence[Endpoint], call: Call, send: Send) -> Outcome:
        """Make a call at one of the endpoints that were found. The outcome names those that were tried, in order.

        ◆ The request goes to another endpoint only if the one before cannot have received it. An endpoint that earlier attempts of the run
        tried comes after the others.
        """
        avoid = frozenset(visit.endpoint for visit in call.run.visits)
        shared = _Shared(call.run.key.job, endpoints, found, avoid, call.timeout)
        elsewhere = endpoints.next_endpoint is NextEndpoint.ATTEMPT
        left, tried = list(found), list[str]()
        choice = self._first(shared)
        while True:
            left.remove(choice.endpoint)
            sent = send(choice.endpoint.url, len(left) + 1 if elsewhere else 1)
            self._record(shared, choice, failed=sent.failed)
            if sent.reach is not Reach.NOTHING:
                tried.append(choice.endpoint.url)
            if not (elsewhere and left and sent.may_go_elsewhere):
                return sent.outcome._replace(endpoints=tuple(tried))
            choice = self._next(shared, left, choice)

    def _first(self, shared: _Shared) -> _Choice:
        if shared.endpoints.choose is Choose.FEWEST:
            return self._held(shared, shared.found)
        now = self._clock()
        state: Balance | None = None
        if self._answers(now):
            try:
                state = self._balances.draw(shared.job, now)
            except Unavailable:
                self._rest(now)
        with self._lock:
            state = state or self._known.get(shared.job, Balance()).drawn()
            self._remember(shared.job, state)
        return _Choice(by_preference(shared.found, state, now, fewest=False, avoid=shared.avoid)[0], state)

    def _next(self, shared: _Shared, left: Sequence[Endpoint], before: _Choice) -> _Choice:
        """The endpoint after one that failed. With round_robin it takes no ticket."""
        if shared.endpoints.choose is Choose.FEWEST:
            return self._held(shared, left)
        order = by_preference(left, before.state, self._clock(), fewest=False, avoid=shared.avoid)
        return before._replace(endpoint=order[0])

    def _held(self, shared: _Shared, among: Sequence[Endpoint]) -> _Choice:
        """The endpoint with the fewest calls in flight, and this call counted there. One thread at a time: so the threads of a worker need
        not try again because of one another."""
        job = shared.job
        with self._lock:
            now, before = self._clock(), self._known.get(job, Balance())
            for _ in range(TRIES):
                endpoint = by_preference(among, before, now, fewest=True, avoid=shared.avoid)[0]
                hold = hold_of(endpoint.url, now, shared.timeout)
                if not self._answers(now):
                    break
                try:
                    newer = self._balances.take(job, before, hold, now)
                except Unavailable:
                    self._rest(now)
                    break
                if newer is None:
                    self._remember(job, before.took(hold, now))
                    return _Choice(endpoint, before, hold, stored=True)
                before = newer
            self._remember(job, before.took(hold, now))
            return _Choice(endpoint, before, hold)

    def _record(self, shared: _Shared, choice: _Choice, *, failed: bool | None) -> None:
        """Store what the end of a request says about its endpoint: nothing if it says nothing new."""
        job, now, url, state = shared.job, self._clock(), choice.endpoint.url, choice.state
        if failed is False and url not in state.failures and url not in state.ejected:
            failed = None
        names = {each.url for each in shared.found}
        gone = tuple(sorted({*state.failures, *state.ejected} - names))
        eject = shared.endpoints.eject
        end = CallEnd(url, choice.hold, failed, Ejection(eject.after, eject.lasts), gone)
        if not end.changes:
            return
        with self._lock:
            self._remember(job, self._known.get(job, state).ended(end, now))
        stored = end._replace(hold=choice.hold if choice.stored else None)
        if stored.changes and self._answers(now):
            try:
                self._balances.record(job, stored, now)
            except Exception:  # noqa: BLE001 - whatever happens to advice, the outcome of a call that was made stays
                self._rest(now)

    def _remember(self, job: JobKey, state: Balance) -> None:
        self._known.pop(job, None)
        self._known[job] = state
        if len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]

    def _answers(self, now: datetime) -> bool:
        """Whether the shared state is to be asked: not for a while after it did not answer."""
        return self._silent_until is None or now >= self._silent_until

    def _rest(self, now: datetime) -> None:
        self._silent_until = now + REST
