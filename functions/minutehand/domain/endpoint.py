"""Endpoints: places where a service answers. Pure."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from minutehand.domain.declaration.field import Field

MOST_ENDPOINTS = 50
"""Most endpoints among which a job's calls are shared; of more, those that sort first."""
MOST_WEIGHT = 100
LONGEST_URL = 200
"""Most characters of an endpoint's URL."""


class Endpoint(NamedTuple):
    """A place where a service answers, and its share of the calls.

    Attributes:
        url: its origin, perhaps with a base path, without a slash at its end.
    """

    url: str
    weight: int = 1


class Visit(NamedTuple):
    """An endpoint that an attempt of a run tried. Of an attempt's visits, only the last one's endpoint can have received the request."""

    attempt: Annotated[int, Field("Number of the attempt.")]
    endpoint: Annotated[str, Field("URL of the endpoint.")]
