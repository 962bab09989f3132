"""A route of the API."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.token import Role
from minutehand.entrypoints.api.call import Call
from minutehand.entrypoints.api.documents.calendar import CalendarDocument
from minutehand.entrypoints.api.documents.headers import IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH, Header
from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.documents.namespace import NamespaceDocument, QuotaDocument
from minutehand.entrypoints.api.documents.tokens import CreatedTokenDocument, TokenDocument

_WITH_VERSIONS = (JobDocument, CalendarDocument, NamespaceDocument, QuotaDocument, TokenDocument, CreatedTokenDocument)


@dataclass(frozen=True, slots=True)
class Route:
    """One route: a method and a path.

    Attributes:
        path: as in template.yaml, with placeholders such as `{name}`.
        role: the least role of a caller's token, of `viewer`, `operator` and `admin`, or the role `agent`, which no other includes; None
            if no token is required.
        answer: the endpoint.
        answers: the type of the answered document, or of the items of an answered list; None if the answer has no body.
        foretells: the type of the document that it answers to a dry run, if that is another one.
        statuses: the statuses of its successful answers.
        pages: whether it answers a page of a list: `{"items": […], "next": …}`.
        beside: the type of the further fields of such a page.
        keyed: whether it takes an `Idempotency-Key`.
        conditional: whether it takes `If-Match`, and `If-None-Match` too if it is a PUT: what it changes, or the job or namespace in its
            path, has a tag. Any other route that changes something refuses these headers.
        for_people: whether it belongs to the API's own description, which leaves itself out.
        query: the known query parameters; any other is refused.
        repeatable: those of them that may be given several times.
        takes: the type of its body; without one, a POST refuses a body.
        agents: whether a token with the role `agent` may use it, too.
        somewhere: whether a token for any namespace may use it; the endpoint sees to what the token reaches. Otherwise, a route without
            a namespace in its path needs a token for all.
        everywhere: whether it needs a token for all namespaces, although its path names one.
        function: the Lambda function that serves it, as template.yaml names it: `Api`, `Access` or `Agents`.
    """

    method: str
    path: str
    role: Role | None
    answer: Callable[[Call], Response[str]]
    answers: type | None = None
    query: tuple[str, ...] = ()
    repeatable: tuple[str, ...] = ()
    takes: type | None = None
    statuses: tuple[int, ...] = (200,)
    pages: bool = False
    beside: type | None = None
    keyed: bool = False
    conditional: bool = False
    foretells: type | None = None
    for_people: bool = False
    agents: bool = False
    somewhere: bool = False
    everywhere: bool = False
    function: str = "Api"

    @property
    def checks_names(self) -> bool:
        """Whether the endpoint itself checks the names in the path, together with the body. Endpoints that save do."""
        return self.method == "PUT"

    @property
    def headers(self) -> tuple[Header, ...]:
        """The headers that it takes, besides that of the token."""
        return (
            *((IDEMPOTENCY_KEY,) if self.keyed else ()),
            *((IF_MATCH,) if self.conditional else ()),
            *((IF_NONE_MATCH,) if self.conditional and self.method == "PUT" else ()),
        )

    @property
    def tagged(self) -> bool:
        """Whether its answer has the `ETag` of a stored version: it shows one thing that has versions."""
        return self.answers in _WITH_VERSIONS and not self.pages

    def match(self, path: str) -> re.Match[str] | None:
        """Match a request's path with the route's; the match has a group for each placeholder. None if it does not match."""
        return _pattern(self.path).fullmatch(path)


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path) + "/?")
