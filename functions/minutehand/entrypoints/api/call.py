"""A call: one request to one route, with its caller, and with path and query parsed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action, audit_record
from minutehand.domain.caller import Caller
from minutehand.domain.declaration.conversion import shown
from minutehand.domain.errors import NotFound, Unavailable, Unreadable
from minutehand.domain.job_key import JobKey
from minutehand.domain.precondition import ALWAYS, Precondition, Version
from minutehand.domain.retention import AUDIT_RETENTION
from minutehand.domain.role_map import Entry
from minutehand.domain.throttle import Throttle
from minutehand.domain.token import Role
from minutehand.entrypoints.api.agent_service import NO_AGENTS, AgentService
from minutehand.entrypoints.api.documents.headers import ETAG
from minutehand.entrypoints.api.forms.accept import DEFAULT_TERMS, Terms
from minutehand.entrypoints.api.forms.request import header_of
from minutehand.entrypoints.api.problems import NOT_CACHED, quoted
from minutehand.entrypoints.clients import clock
from minutehand.entrypoints.telemetry import logger
from minutehand.usecases.definitions.asked import version_of
from minutehand.usecases.ports.audits import Audits
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.endpoints import Balancing
from minutehand.usecases.ports.nodes import Nodes
from minutehand.usecases.ports.queues import Queues
from minutehand.usecases.ports.run_lists import RunLists
from minutehand.usecases.ports.stores import Clock
from minutehand.usecases.ports.tokens import Tokens
from minutehand.usecases.recent_tokens import REVOKED_WITHIN
from minutehand.usecases.upkeep.shards import ReshardingState, ShardStatus

Identify = Callable[[str, datetime], Caller]
"""Tells whom a JSON Web Token (JWT) is about at an instant. Raises Unidentified or IssuerUnavailable."""
LARGEST_ANSWER = 6_000_000
"""Most bytes of what a function returns, a little under Lambda's limit (6 MB). The body counts as a JSON text in it."""
MOST_BYTES = LARGEST_ANSWER // 2
"""Size of an answer after which the rest is left: as a JSON text, its quotes and backslashes take a byte more."""
_UNSHARDED = ShardStatus(setting=1, read=1, state=ReshardingState.SETTLED)


def _no_ports() -> Ports:
    raise Unavailable("this function serves no routes of jobs")


@dataclass(frozen=True, kw_only=True, slots=True)
class Deployment:
    """The parts of a deployment that the API uses. `ports_of`, `tokens_of` and `shards_of` are called when a request
    first needs what they return.

    Attributes:
        tokens_of: makes the store of tokens.
        ports_of: makes the ports; a function that serves only routes of tokens has none.
        clock: the time by which tokens expire.
        tokens_kept: how long a token that was read counts without being read again.
        throttle: the limits of each caller's requests to this process; None for no limit.
        people: identifies people by their JWTs; None if the stack has no OIDC issuer.
        principals: what principals of AWS IAM may do; None if the stack has no API for them.
        terms: limits and defaults for jobs.
        shards_of: reads how timers are spread over shards; without it, there is one shard.
        balancing_of: makes the stores of services and of the state of endpoints.
        audits_of: makes the store of the records of changes.
        run_lists_of: makes the lists of runs across jobs.
        audit_retention: how long the records of changes of tokens are kept; those of jobs are kept as the ports say.
        queues_of: makes the depths of the queues.
        nodes_of: makes the store of nodes.
        service: what the routes of agents need; None in a function that does not serve agents.
    """

    tokens_of: Callable[[], Tokens]
    ports_of: Callable[[], Ports] = _no_ports
    clock: Clock = clock
    tokens_kept: timedelta = REVOKED_WITHIN
    throttle: Throttle | None = None
    people: Identify | None = None
    principals: tuple[Entry, ...] | None = None
    terms: Terms = DEFAULT_TERMS
    shards_of: Callable[[], ShardStatus] = lambda: _UNSHARDED
    balancing_of: Callable[[], Balancing] | None = None
    audits_of: Callable[[], Audits] | None = None
    run_lists_of: Callable[[], RunLists] | None = None
    audit_retention: timedelta = AUDIT_RETENTION
    queues_of: Callable[[], Queues] | None = None
    nodes_of: Callable[[], Nodes] | None = None
    service: AgentService | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A request to a route, as every endpoint receives it.

    Attributes:
        event: API Gateway's event, for the body and the headers.
        query: the query parameters of the request; the app has refused any that the route does not know.
        path: the values in the path by the name of their placeholder, such as `namespace`.
        only_if: the request's precondition.
        idempotency_key: the request's, if its route takes one and the request has one.
    """

    deployment: Deployment
    event: Mapping[str, Any]
    caller: Caller
    request_id: str
    query: Mapping[str, str]
    path: Mapping[str, str]
    only_if: Precondition = ALWAYS
    idempotency_key: str | None = None

    @property
    def ports(self) -> Ports:
        """The ports of the use cases (stores, queue, clock), made at their first use."""
        return self.deployment.ports_of()

    @property
    def tokens(self) -> Tokens:
        """The store of tokens, made at its first use."""
        return self.deployment.tokens_of()

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
    def audits(self) -> Audits:
        """The store of the records of changes, made at its first use.

        Raises:
            Unavailable: if this deployment has none.
        """
        if self.deployment.audits_of is None:
            raise Unavailable("this deployment has no store of records of changes")
        return self.deployment.audits_of()

    @property
    def actor(self) -> Actor:
        """Who sends the request, and from where, as the gateway saw it: `X-Forwarded-For` may be invented."""
        context = self.event.get("requestContext") or {}
        identity = context.get("identity") or {}
        client = identity.get("userAgent") or header_of(self.event, "user-agent") or ""
        address = identity.get("sourceIp") or ""
        token_id = self.caller.token.id if self.caller.token else ""
        return Actor.of(
            self.caller.name, address=str(address), client=str(client), request=self.request_id, token_id=token_id
        )

    @property
    def run_lists(self) -> RunLists:
        """The lists of runs across jobs, made at their first use.

        Raises:
            Unavailable: if this deployment has none.
        """
        if self.deployment.run_lists_of is None:
            raise Unavailable("this deployment has no lists of runs")
        return self.deployment.run_lists_of()

    @property
    def queues(self) -> Queues:
        """The depths of the queues.

        Raises:
            Unavailable: if this deployment has none.
        """
        if self.deployment.queues_of is None:
            raise Unavailable("this deployment has no queues to count")
        return self.deployment.queues_of()

    @property
    def nodes(self) -> Nodes:
        """The store of nodes.

        Raises:
            Unavailable: if this deployment has none.
        """
        if self.deployment.nodes_of is None:
            raise Unavailable("this deployment has no store of nodes")
        return self.deployment.nodes_of()

    @property
    def service(self) -> AgentService:
        """What the routes of agents need.

        Raises:
            NotFound: if the stack serves no agents.
        """
        if self.deployment.service is None:
            raise NotFound(NO_AGENTS)
        return self.deployment.service

    def over(self, ports: Ports) -> Call:
        """The same request, carried out over other ports."""
        return replace(self, deployment=replace(self.deployment, ports_of=lambda: ports))

    def visible(self) -> Sequence[str]:
        """The namespaces that the caller's token may see and that have, or had, a job, a quota or settings; by name."""
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
        """Check that the job exists, or existed and was deleted, and the request's precondition.

        Raises:
            NotFound: if there never was such a job.
            ChangedMeanwhile: if the job is not as the precondition demands.
        """
        found = self.ports.definitions.get([self.key]).get(self.key)
        if found is None:
            raise NotFound(f"there is no job {self.key}, and there never was one")
        self.only_if.check(version_of(found), f"job {self.key}")

    def log(self, action: str, *, what: str = "job", named: str = "", **about: object) -> None:
        """Log a change: `action`, the changed thing's name under the key `what`, and the caller's name.

        `named` is the name, if it is neither a job or calendar nor the namespace of the path. `about` adds further keys to the log line; they must not be names that `logging` reserves, such as `created`.
        """
        named = named or (str(self.key) if self.name else self.namespace)
        line = {"action": action, what: named, "token": self.caller.name, "request_id": self.request_id}
        logger.info(f"{action} {named}", extra=line | about)

    def record(self, action: Action, *, runs: Sequence[str], lost: bool = False) -> None:
        """Record a change that no transaction covers, right after it was made, unless it was made to no run."""
        if runs:
            record = audit_record(
                self.actor,
                action,
                self.ports.clock(),
                namespace=self.namespace,
                job=self.name,
                kept=self.ports.audit_retention,
                runs=list(runs),
                lost=lost or None,
            )
            self.audits.add(record)


def answered(status: int, document: object = None, version: Version | None = None) -> Response[str]:
    """A response with a document (declared or a plain mapping) as JSON, or without a body; with the `ETag` of a version, if given."""
    headers: dict[str, str | list[str]] = dict(NOT_CACHED)
    if version is not None:
        headers[ETAG.name] = quoted(version.tag)
    if document is None:
        return Response(status_code=status, body="", headers=headers)
    plain = document if isinstance(document, Mapping) else shown(document)
    body = json.dumps(plain, separators=(",", ":"))
    return Response(status_code=status, content_type="application/json", body=body, headers=headers)


def page(items: Iterable[object], following: str | None, beside: object = None) -> Response[str]:
    """A response with a page of a list; `following` is the cursor of the next page. beside: a document of further fields of the answer."""
    plain = [item if isinstance(item, Mapping) else shown(item) for item in items]
    return answered(200, {"items": plain, "next": following} | (shown(beside) if beside is not None else {}))
