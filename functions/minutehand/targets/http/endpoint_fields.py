"""The fields of an HTTP target with several endpoints."""

from __future__ import annotations

from datetime import timedelta
from enum import Enum
from typing import Annotated, NamedTuple

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Field
from minutehand.domain.endpoint import LONGEST_URL, MOST_ENDPOINTS, MOST_WEIGHT
from minutehand.targets.http.texts import CLOUD_MAP_NAME, check_cloud_map_name, check_endpoint, normal_url


class Choose(Enum):
    """Which endpoint gets a call."""

    ROUND_ROBIN = "round_robin"
    """The one whose turn it is, by weight and evenly mixed."""
    FEWEST = "fewest"
    """The one with the fewest calls in flight for its weight."""


class NextEndpoint(Enum):
    """When another endpoint is tried after one failed."""

    ATTEMPT = "attempt"
    """In the same attempt, if the endpoint cannot have received the request; else in the next attempt."""
    RETRY = "retry"
    """Only in the next attempt."""


class Listed(NamedTuple):
    """An endpoint that the job names."""

    url: Annotated[
        str,
        Field(
            "Its origin, perhaps with a base path. It is judged as `target.url` is.",
            most=LONGEST_URL,
            check=check_endpoint,
            normal=normal_url,
            format="uri",
            pattern="^https?://",
            examples=("https://10.0.3.7:8443",),
        ),
    ]
    weight: Annotated[int, Field("Its share of the calls.", least=1, most=MOST_WEIGHT)] = 1


class CloudMap(NamedTuple):
    """A service in AWS Cloud Map, whose healthy instances are the endpoints."""

    namespace: Annotated[
        str,
        Field(
            "The namespace's HTTP name. CloudMapNamespaces must allow it.",
            most=253,
            check=check_cloud_map_name,
            pattern=f"^{CLOUD_MAP_NAME.pattern}$",
            examples=("shop.internal",),
        ),
    ]
    service: Annotated[
        str,
        Field(
            "The service's name.",
            most=127,
            check=check_cloud_map_name,
            pattern=f"^{CLOUD_MAP_NAME.pattern}$",
            examples=("reports",),
        ),
    ]


class Eject(NamedTuple):
    """When a failing endpoint is left out."""

    after: Annotated[
        int,
        Field("Failures in a row: no connection, no answer in time, no valid answer, or a 5xx.", least=1, most=1000),
    ] = 3
    lasts: Annotated[
        timedelta,
        Field("How long it is left out. After that, one more failure suffices.", name="for", least="1s", most="1h"),
    ] = timedelta(seconds=30)


DEFAULT_EJECT = Eject()


class Endpoints(NamedTuple):
    """Several places where the target answers. Exactly one of `listed`, `cloud_map` and `registered` is given."""

    listed: Annotated[tuple[Listed, ...], Field("The endpoints, named here.", most=MOST_ENDPOINTS)] = ()
    cloud_map: Annotated[
        CloudMap | None, Field("A service in AWS Cloud Map, whose healthy instances are the endpoints.")
    ] = None
    registered: Annotated[
        str | None,
        Field(
            "A service of the job's namespace, whose instances register themselves with the API.",
            check=checks.name,
            pattern=f"^{checks.NAME.pattern}$",
            examples=("reports",),
        ),
    ] = None
    choose: Annotated[
        Choose,
        Field(
            "Which endpoint gets a call: the one whose turn it is, by weight (round_robin); the one with the fewest calls in flight for "
            "its weight (fewest)."
        ),
    ] = Choose.ROUND_ROBIN
    next_endpoint: Annotated[
        NextEndpoint,
        Field(
            "When another endpoint is tried after one failed: in the same attempt, if the endpoint cannot have received the request, else "
            "in the next (attempt); only in the next attempt (retry)."
        ),
    ] = NextEndpoint.ATTEMPT
    eject: Annotated[Eject, Field("When a failing endpoint is left out.")] = DEFAULT_EJECT
