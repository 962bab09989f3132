"""Balance: which of several endpoints gets a call, by weights, calls in flight and failures. Pure.

The state is shared by all workers that call the targets of one job. It is advice: a worker that cannot read it chooses by what it knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import count, islice
from math import ceil, gcd
from typing import NamedTuple

from minutehand.domain.endpoint import MOST_ENDPOINTS, Endpoint

_QUANTA = tuple(timedelta(minutes=2**n) for n in range(5))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Hold(NamedTuple):
    """A call in flight to an endpoint. It no longer counts after `until`, also if its worker died and never took it back."""

    endpoint: str
    until: datetime


class Ejection(NamedTuple):
    """The rule for failing endpoints: after how many failures in a row one is left out, and for how long."""

    after: int
    lasts: timedelta


class CallEnd(NamedTuple):
    """What the end of a call says about its endpoint.

    Attributes:
        hold: what counted the call in flight; None if nothing did.
        failed: whether the endpoint failed; None if the call says nothing about that.
        rule: when a failure ejects the endpoint.
        gone: endpoints about which the state need remember nothing any more.
    """

    endpoint: str
    hold: Hold | None
    failed: bool | None
    rule: Ejection
    gone: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether there is anything to store."""
        return self.hold is not None or self.failed is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Balance:
    """The state of one job's endpoints.

    Attributes:
        tickets: how many calls have asked for an endpoint.
        failures: failures in a row, by endpoint; those without any are left out.
        ejected: until when an endpoint is left out.
        held: calls in flight.
    """

    tickets: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    ejected: Mapping[str, datetime] = field(default_factory=dict)
    held: Mapping[Hold, int] = field(default_factory=dict)

    def is_ejected(self, url: str, now: datetime) -> bool:
        """Whether an endpoint is left out at an instant."""
        return url in self.ejected and now < self.ejected[url]

    def in_flight(self, url: str, now: datetime) -> int:
        """How many calls to an endpoint are in flight, as far as the state knows."""
        return sum(max(n, 0) for hold, n in self.held.items() if hold.endpoint == url and now < hold.until)

    def over(self, now: datetime) -> tuple[Hold, ...]:
        """The holds that no longer count."""
        return tuple(hold for hold in self.held if hold.until <= now)

    def drawn(self) -> Balance:
        """The state after one more ticket."""
        return replace(self, tickets=self.tickets + 1)

    def took(self, hold: Hold, now: datetime) -> Balance:
        """The state after one more ticket, with one more call in flight, and without the holds that are over."""
        over = self.over(now)
        held = {each: n for each, n in self.held.items() if each not in over}
        return replace(self.drawn(), held=held | {hold: held.get(hold, 0) + 1})

    def ended(self, end: CallEnd, now: datetime) -> Balance:
        """The state after the end of a call."""
        url, held = end.endpoint, dict(self.held)
        failures = {each: n for each, n in self.failures.items() if each not in end.gone}
        ejected = {each: until for each, until in self.ejected.items() if each not in end.gone}
        if end.hold is not None:
            held[end.hold] = held.get(end.hold, 0) - 1
        if end.failed:
            failures[url] = failures.get(url, 0) + 1
            if failures[url] >= end.rule.after:
                ejected[url] = now + end.rule.lasts
        elif end.failed is False:
            failures.pop(url, None)
            ejected.pop(url, None)
        return replace(self, failures=failures, ejected=ejected, held=held)


def sorted_endpoints(found: Iterable[Endpoint]) -> tuple[Endpoint, ...]:
    """Endpoints by URL, each once, at most `MOST_ENDPOINTS`: the same for every worker that found the same."""
    return tuple(sorted({each.url: each for each in found}.values())[:MOST_ENDPOINTS])


@lru_cache(maxsize=64)
def schedule(weights: tuple[int, ...]) -> tuple[int, ...]:
    """The places of the endpoints that follow one another, for one round, after which it begins again.

    Smooth weighted round-robin, as in nginx (ngx_http_upstream_get_peer): in a round, each is chosen as often as its weight says, and as
    evenly as possible. With weights 5, 1, 1: 0 0 1 0 2 0 0.
    """
    shares = [weight // gcd(*weights) for weight in weights]
    total, current = sum(shares), [0] * len(shares)
    places = []
    for _ in range(total):
        current = [now + share for now, share in zip(current, shares, strict=True)]
        best = max(range(len(current)), key=lambda place: (current[place], -place))
        current[best] -= total
        places.append(best)
    return tuple(places)


def in_turn(endpoints: Sequence[Endpoint], ticket: int) -> list[Endpoint]:
    """All endpoints: first the one whose turn it is at a ticket, then the others as they follow in the schedule."""
    if not endpoints:
        return []
    turns = schedule(tuple(each.weight for each in endpoints))
    following = (turns[place % len(turns)] for place in islice(count(ticket), len(turns)))
    return [endpoints[place] for place in dict.fromkeys(following)]


def by_preference(
    endpoints: Sequence[Endpoint], state: Balance, now: datetime, *, fewest: bool, avoid: Collection[str] = ()
) -> list[Endpoint]:
    """All endpoints, in the order in which a call tries them.

    Ejected ones come last, so that they are tried if no other is left. Before that, those in `avoid` come after the others. Among equals
    decides the turn; with `fewest`, first how many calls are in flight for the weight.
    """

    def chosen() -> Iterator[Endpoint]:
        for ejected in (False, True):
            among = [each for each in endpoints if state.is_ejected(each.url, now) is ejected]
            order = in_turn(among, state.tickets)
            if fewest:
                order.sort(key=lambda each: (state.in_flight(each.url, now) + 1) / each.weight)
            order.sort(key=lambda each: each.url in avoid)
            yield from order

    return list(chosen())


def hold_of(url: str, now: datetime, lasts: timedelta) -> Hold:
    """The hold of a call that lasts at most so long.

    Its end is rounded up, to minutes or more for long calls: so the state counts the calls of an endpoint in two or three numbers.
    """
    quantum = next((each for each in _QUANTA if lasts <= each), _QUANTA[-1])
    return Hold(url, _EPOCH + quantum * ceil((now + lasts - _EPOCH) / quantum))
