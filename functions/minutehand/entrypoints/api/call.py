"""A call: one request to one route, with its caller, and with path and query parsed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.declaration.conversion import shown
from minutehand.domain.errors import NotFound, Unavailable, Unreadable
from minutehand.domain.job_key import JobKey
from minutehand.domain.token import Role, Token
from minutehand.entrypoints.api.forms.accept import DEFAULT_TERMS, Terms
from minutehand.entrypoints.api.problems import NOT_CACHED
from minutehand.entrypoints.telemetry import logger
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.endpoints import Balancing
from minutehand.usecases.ports.run_lists import RunLists
from minutehand.usecases.ports.tokens import Tokens
from minutehand.usecases.upkeep.shards import ReshardingState, ShardStatus

_UNSHARDED = ShardStatus(setting=1, read=1, state=ReshardingState.SETTLED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Deployment:
    """The parts of a deployment that the API uses. `ports_of`, `tokens_of` and `shards_of` are called when a request
    first needs what they return.

    Attributes:
        ports_of: makes the ports.
        tokens_of: makes the token store, for requests that no authorizer has checked; without it, those are refused.
        terms: limits and defaults for jobs.
        shards_of: reads how timers are spread over shards; without it, there is one shard.
        balancing_of: makes the stores of services and of the state of endpoints.
        run_lists_of: makes the lists of runs across jobs.
    """

    ports_of: Callable[[], Ports]
    tokens_of: Callable[[], Tokens] | None = None
    terms: Terms = DEFAULT_TERMS
    shards_of: Callable[[], ShardStatus] = lambda: _UNSHARDED
    balancing_of: Callable[[], Balancing] | None = None
    run_lists_of: Callable[[], RunLists] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A request to a route, as every endpoint receives it.

    Attributes:
        event: API Gateway's event, for the body and the headers.
        query: the query parameters of the request; the app has refused any that the route does not know.
        path: the values in the path by the name of their placeholder, such as `namespace`.
    """

    deployment: Deployment
    event: Mapping[str, Any]
    caller: Token
    request_id: str
    query: Mapping[str, str]
    path: Mapping[str, str]

    @property
    def ports(self) -> Ports:
        """The ports of the use cases (stores, queue, clock), made at their first use."""
        return self.deployment.ports_of()

    @property
    def balancing(self) -> Balancing:
        """The stores of services and of the state of endpoints, made at their first use.

        Raises:
            Unavailable: if this deployment has none.
        """
        if self.deployment.balancing_of is None:
            raise Unavailable("this deployment has no store of endpoints")
        return self.deployment.balancing_of()

    @property
    def run_lists(self) -> RunLists:
        """The lists of runs across jobs, made at their first use.

        Raises:
            Unavailable: if this deployment has none.
        """
        if self.deployment.run_lists_of is None:
            raise Unavailable("this deployment has no lists of runs")
        return self.deployment.run_lists_of()

    def visible(self) -> Sequence[str]:
        """The namespaces that the caller's token may see and that have, or had, a job; by name."""
        return [name for name in self.ports.definitions.namespaces() if self.caller.may(Role.VIEWER, name)]

    def unreadable(self, trouble: Unreadable) -> None:
        """Log an item that cannot be read, where the others are answered nevertheless."""
        logger.error(f"unreadable: {trouble}", extra={"action": "unreadable", "request_id": self.request_id})

    @property
    def namespace(self) -> str:
        """The namespace in the path, or an empty text."""
        return self.path.get("namespace", "")

    @property
    def name(self) -> str:
        """The name of the job or the calendar in the path, or an empty text."""
        return self.path.get("name", "")

    @property
    def key(self) -> JobKey:
        """The job that the path names."""
        return JobKey(namespace=self.namespace, name=self.name)

    def require_job(self) -> None:
        """Check that the job exists, or existed and was deleted.

        Raises:
            NotFound: if there never was such a job.
        """
        if self.key not in self.ports.definitions.get([self.key]):
            raise NotFound(f"there is no job {self.key}, and there never was one")

    def log(self, action: str, *, what: str = "job", **about: object) -> None:
        """Log a change: `action`, the changed thing's name under the key `what`, and the name of the caller's token.

        `about` adds further keys to the log line; they must not be names that `logging` reserves, such as `created`.
        """
        named = str(self.key) if self.name else self.namespace
        line = {"action": action, what: named, "token": self.caller.name, "request_id": self.request_id}
        logger.info(f"{action} {named}", extra=line | about)


def answered(status: int, document: object = None) -> Response[str]:
    """A response with a document (declared or a plain mapping) as JSON, or without a body."""
    if document is None:
        return Response(status_code=status, body="", headers=dict(NOT_CACHED))
    plain = document if isinstance(document, Mapping) else shown(document)
    body = json.dumps(plain, separators=(",", ":"))
    return Response(status_code=status, content_type="application/json", body=body, headers=dict(NOT_CACHED))


def page(items: Iterable[object], following: str | None, **beside: object) -> Response[str]:
    """A response with a page of a list; `following` is the cursor of the next page. beside: further fields of the answer."""
    plain = [item if isinstance(item, Mapping) else shown(item) for item in items]
    return answered(200, {"items": plain, "next": following, **beside})
