"""A route of the API."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.token import Role
from minutehand.entrypoints.api.call import Call


@dataclass(frozen=True, slots=True)
class Route:
    """One route: a method and a path.

    Attributes:
        path: as in template.yaml, with placeholders such as `{name}`.
        role: the least role of a caller's token, of `viewer`, `operator` and `admin`; None if no token is required.
        answer: the endpoint.
        answers: the type of the answered document, or of the items of an answered list; None if the answer has no body.
        foretells: the type of the document that it answers to a dry run, if that is another one.
        statuses: the statuses of its successful answers.
        pages: whether it answers a page of a list: `{"items": […], "next": …}`.
        for_people: whether it belongs to the API's own description, which leaves itself out.
        query: the known query parameters; any other is refused.
        repeatable: those of them that may be given several times.
        takes: the type of its body; without one, a POST refuses a body.
        agents: whether a token with the role `agent` may use it, too.
        somewhere: whether a token for any namespace may use it; the endpoint sees to what the token reaches. Otherwise, a route without
            a namespace in its path needs a token for all.
        function: the Lambda function that serves it, as template.yaml names it: `Api` or `Access`.
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
    foretells: type | None = None
    for_people: bool = False
    agents: bool = False
    somewhere: bool = False
    function: str = "Api"

    @property
    def checks_names(self) -> bool:
        """Whether the endpoint itself checks the names in the path, together with the body. Endpoints that save do."""
        return self.method == "PUT"

    def match(self, path: str) -> re.Match[str] | None:
        """Match a request's path with the route's; the match has a group for each placeholder. None if it does not match."""
        return re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path) + "/?", path)
