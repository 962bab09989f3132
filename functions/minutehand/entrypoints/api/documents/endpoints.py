"""The documents of endpoints: those that registered themselves, and those of a job."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from minutehand.domain.declaration.field import Field
from minutehand.domain.endpoint import LONGEST_URL, MOST_WEIGHT
from minutehand.domain.job_key import JobKey
from minutehand.targets.http.endpoint_fields import Choose
from minutehand.targets.http.texts import check_endpoint, normal_url


@dataclass(frozen=True, kw_only=True, slots=True)
class RegistrationRequest:
    """An endpoint that registers itself. Send it again before `ttl` is over to stay registered."""

    url: Annotated[
        str,
        Field(
            "Its origin, perhaps with a base path, such as `https://10.0.3.7:8443`. It is judged as the URL of a job is.",
            most=LONGEST_URL,
            check=check_endpoint,
            normal=normal_url,
            format="uri",
            pattern="^https?://",
        ),
    ]
    weight: Annotated[int, Field("Its share of the calls.", least=1, most=MOST_WEIGHT)] = 1
    ttl: Annotated[timedelta, Field("How long it is registered without another request.", least="10s", most="1d")] = (
        timedelta(seconds=60)
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ServiceDocument:
    """A service whose endpoints register themselves."""

    name: Annotated[str, Field("The service's name.")]
    endpoints: Annotated[int, Field("Number of endpoints that are registered now.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class RegistrationDocument:
    """An endpoint that is registered."""

    name: Annotated[str, Field("The name under which it registered.")]
    url: Annotated[str, Field("Its URL.")]
    weight: Annotated[int, Field("Its share of the calls.")]
    expires_at: Annotated[datetime, Field("Until when it is registered.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobEndpointDocument:
    """An endpoint of a job."""

    url: Annotated[str, Field("Its URL.")]
    weight: Annotated[int | None, Field("Its share of the calls; null if only Cloud Map knows it.")]
    failures: Annotated[int, Field("Failures in a row.")]
    ejected_until: Annotated[datetime | None, Field("Until when it is left out; null if it is not.")]
    in_flight: Annotated[int | None, Field("Calls in flight; null if they are not counted (`choose: round_robin`).")]
    expires_at: Annotated[datetime | None, Field("Until when it is registered; null if it did not register itself.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobEndpointsDocument:
    """The endpoints of a job, and how they fare."""

    job: Annotated[JobKey, Field("The job, as `namespace/name`.")]
    source: Annotated[
        str,
        Field(
            "Where they are found: `listed`, `cloud_map` or `registered`. With `cloud_map`, `items` has only those that failed lately or "
            "have calls in flight."
        ),
    ]
    choose: Annotated[Choose, Field("Which endpoint gets a call.")]
    calls: Annotated[int, Field("How many calls were shared so far.")]
    items: Annotated[tuple[JobEndpointDocument, ...], Field("The endpoints, by URL.")]
