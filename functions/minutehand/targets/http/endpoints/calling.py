"""Calls of HTTP targets with several endpoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from minutehand.domain.outcome import Outcome
from minutehand.domain.run import RunError, RunState
from minutehand.targets.http.deadline import Deadline, Reach, Stage
from minutehand.targets.http.endpoints.balancer import Balancer, Sent
from minutehand.targets.http.endpoints.sources import Sources
from minutehand.targets.http.fields import HttpTarget
from minutehand.targets.http.refusal import Refused
from minutehand.targets.http.request import url_of
from minutehand.usecases.ports.endpoints import Balancing
from minutehand.usecases.ports.target import Call


class EndpointCaller:
    """Calls a target at one of its endpoints. Safe for many threads."""

    def __init__(self, balancing: Balancing, cloud_map: tuple[str, ...]) -> None:
        """`cloud_map`: patterns of the namespaces in AWS Cloud Map where jobs may look for endpoints."""
        self._sources = Sources(balancing, cloud_map)
        self._balancer = Balancer(balancing.balances, balancing.clock)

    def __call__(
        self, target: HttpTarget, call: Call, deadline: Deadline, called: Callable[[HttpTarget], Outcome]
    ) -> Outcome:
        """Make the call within its deadline.

        Args:
            called: makes the call at the URL of a target without endpoints, and never raises.

        Raises:
            Refused: if there are no endpoints.
            TimeoutError, Cancelled: as `Deadline.wait_for`, while endpoints are looked up.
        """
        endpoints = target.endpoints
        assert endpoints is not None  # noqa: S101 - the caller looked

        def send(endpoint: str, left: int) -> Sent:
            # Each endpoint gets an equal share of the time to connect, so that one that drops packets leaves time for the others.
            deadline.reach, deadline.share = Reach.NOTHING, 1 / left
            if not _is_url(endpoint):
                message = f"the URL of the endpoint {endpoint} is not valid; save the job, or register the endpoint, with another one"
                error = RunError("InvalidEndpoint", message)
                return Sent(Outcome(RunState.FAILED, error=error), Reach.CONNECTION)
            outcome = called(replace(target, url=at(endpoint, target.url), endpoints=None))
            return Sent(outcome, deadline.reach)

        deadline.stage = Stage.FINDING
        found = self._sources.find(endpoints, call.run.key.job.namespace, target.url, deadline)
        deadline.stage = Stage.RESOLVING
        return self._balancer.call(endpoints, found, call, send)


def at(endpoint: str, url: str) -> str:
    """The URL of a target at one of its endpoints: scheme, host, port and base path of the endpoint, then path and query of the URL.

    Raises:
        Refused: `InvalidRequest`, if one of the two is no URL.
    """
    place, target = url_of(endpoint), url_of(url)
    path = (place.path or "").rstrip("/") + (target.path or "/")
    return str(place._replace(path=path, query=target.query, fragment=None))


def _is_url(endpoint: str) -> bool:
    try:
        url_of(endpoint)
    except Refused:
        return False
    return True
