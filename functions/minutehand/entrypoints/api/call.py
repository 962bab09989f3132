"""A call: one request to one route, its caller known and allowed, its path and query read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.conversion import shown
from minutehand.domain.job_key import JobKey
from minutehand.domain.token import Token
from minutehand.entrypoints.api.forms.accept import DEFAULT_TERMS, Terms
from minutehand.entrypoints.telemetry import logger
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.tokens import Tokens
from minutehand.usecases.upkeep.shards import ReshardingState, ShardStatus


def unsharded() -> ShardStatus:
    """The status of stores without shards."""
    return ShardStatus(setting=1, read=1, state=ReshardingState.SETTLED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Deployment:
    """What the API has of the deployment that it serves. Each is made when a call first needs it.

    Attributes:
        ports_of: makes the ports.
        tokens_of: makes the store of tokens, for requests that no authorizer has judged; without it, they are refused.
        terms: what the deployment asks of jobs.
        shards_of: asks how timers are spread over shards.
    """

    ports_of: Callable[[], Ports]
    tokens_of: Callable[[], Tokens] | None = None
    terms: Terms = DEFAULT_TERMS
    shards_of: Callable[[], ShardStatus] = unsharded


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """What the endpoint of a route is given.

    Attributes:
        event: the gateway's, for the body and the headers.
        query: the parameters of the query that are given; the route knows them all.
        path: the names in the path, by their placeholders.
    """

    deployment: Deployment
    event: Mapping[str, Any]
    caller: Token
    request_id: str
    query: Mapping[str, str]
    path: Mapping[str, str]

    @property
    def ports(self) -> Ports:
        """The ports; made when a call first needs them."""
        return self.deployment.ports_of()

    @property
    def namespace(self) -> str:
        """The namespace in the path; empty where it names none."""
        return self.path.get("namespace", "")

    @property
    def name(self) -> str:
        """The name of the job or the calendar in the path; empty where it names none."""
        return self.path.get("name", "")

    @property
    def run_id(self) -> str:
        """The run in the path; empty where it names none."""
        return self.path.get("run_id", "")

    @property
    def key(self) -> JobKey:
        """The job that the path names."""
        return JobKey(namespace=self.namespace, name=self.name)

    def log(self, action: str, *, what: str = "job", **about: object) -> None:
        """Log a change: what was done, to which job (or other thing, as `what` says), by whom.

        `about` is added to the line; it cannot have the names that logging reserves, such as `created`.
        """
        named = str(self.key) if self.name else self.namespace
        line = {"action": action, what: named, "token": self.caller.name, "request_id": self.request_id}
        logger.info(f"{action} {named}", extra=line | about)


def answered(status: int, document: object = None) -> Response[str]:
    """A response with the JSON of a document (declared, or a plain mapping), or with no body."""
    if document is None:
        return Response(status_code=status, body="")
    plain = document if isinstance(document, Mapping) else shown(document)
    return Response(status_code=status, content_type="application/json", body=json.dumps(plain, separators=(",", ":")))


def page(items: Iterable[object], following: str | None) -> Response[str]:
    """A response with a page of a list; `following` is the cursor of the next page."""
    plain = [item if isinstance(item, Mapping) else shown(item) for item in items]
    return answered(200, {"items": plain, "next": following})
