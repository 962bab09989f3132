"""A call: one request to one endpoint, its caller known and allowed, its path and query read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.job import JobKey
from minutehand.domain.token import Role, Token
from minutehand.entrypoints.api.forms.accept import DEFAULT_TERMS, Terms
from minutehand.entrypoints.telemetry import logger
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.upkeep.shards import ReshardingState, ShardStatus


def unsharded() -> ShardStatus:
    """Of stores that have no shards."""
    return ShardStatus(setting=1, read=1, state=ReshardingState.SETTLED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """What an endpoint is given.

    Attributes:
        event: the gateway's, for the body and the headers.
        name: the job's or the calendar's; empty where the path names none, as `run_id`, `attempt` and `backfill_id` where it names none.
        query: of the parameters that the endpoint knows, those given.
        namespace: empty where the path names none.
        terms: what this deployment asks of jobs.
        shards_of: asks how timers are spread.
    """

    ports_of: Callable[[], Ports]
    event: Mapping[str, Any]
    caller: Token
    request_id: str
    query: Mapping[str, str]
    namespace: str = ""
    name: str = ""
    run_id: str = ""
    attempt: str = ""
    backfill_id: str = ""
    terms: Terms = DEFAULT_TERMS
    shards_of: Callable[[], ShardStatus] = unsharded

    @property
    def ports(self) -> Ports:
        """The stores; made when they are first asked for, since not every call needs them."""
        return self.ports_of()

    @property
    def key(self) -> JobKey:
        """The job that the path names."""
        return JobKey(namespace=self.namespace, name=self.name)

    def log(self, action: str, *, what: str = "job", **about: object) -> None:
        """One line about a change that was made: what, to which job (or other thing, as `what` says), by whom.

        `about` goes into the line; it cannot have the names that logging keeps for itself, such as `created`.
        """
        named = str(self.key) if self.name else self.namespace
        told = {"action": action, what: named, "token": self.caller.name, "request_id": self.request_id}
        logger.info(f"{action} {named}", extra=told | about)


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """A method of a path, and who may use it.

    Attributes:
        path: as in the template, `{name}` for what varies.
        role: None for everybody, without a token.
        query: the parameters it knows; any other is refused.
        judges_names: whether `answer` itself tells what is wrong with the names in the path, together with what is wrong
            with the body; else they are right when it is called.
    """

    method: str
    path: str
    role: Role | None
    answer: Callable[[Call], Response[str]]
    query: frozenset[str] = frozenset()
    judges_names: bool = False


def answered(status: int, document: Mapping[str, Any] | None = None) -> Response[str]:
    """A response with a JSON document, or with no body."""
    if document is None:
        return Response(status_code=status, body="")
    return Response(
        status_code=status, content_type="application/json", body=json.dumps(document, separators=(",", ":"))
    )
