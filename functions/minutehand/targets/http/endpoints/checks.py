"""What is wrong with the endpoints of an HTTP target that is being saved."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from minutehand.domain.errors import FieldProblem
from minutehand.targets.http.endpoint_fields import CloudMap, Endpoints

if TYPE_CHECKING:
    from minutehand.targets.terms import TargetTerms

_SOURCES = ("listed", "cloud_map", "registered")


def check_endpoints(endpoints: Endpoints, url: str, terms: TargetTerms) -> Iterator[FieldProblem]:
    """Find what is wrong with the sources of endpoints of a target with this URL; the caller judges the hosts of the listed ones."""
    given = [name for name in _SOURCES if getattr(endpoints, name) not in (None, ())]
    if len(given) != 1:
        what = " and ".join(given) or "none of listed, cloud_map and registered"
        yield FieldProblem(
            "target.endpoints", f"this gives {what}", "give exactly one of listed, cloud_map and registered"
        )
    seen: set[str] = set()
    for number, each in enumerate(endpoints.listed):
        if each.url.rstrip("/") in seen:
            yield FieldProblem(
                f"target.endpoints.listed[{number}].url",
                f"{each.url} is listed twice",
                "give it once, with more weight",
            )
        seen.add(each.url.rstrip("/"))
        if not allows(url, each.url):
            yield FieldProblem(
                f"target.endpoints.listed[{number}].url",
                "this is an http URL, while target.url is https: the call would go unencrypted",
                "give an https URL, or make target.url http",
            )
    if endpoints.cloud_map is not None:
        yield from _cloud_map_problems(endpoints.cloud_map, terms)


def allows(url: str, endpoint: str) -> bool:
    """Whether a call of a target's URL may go to an endpoint: ◆ one that is to be encrypted never goes to an http endpoint."""
    return not _is_https(url) or _is_https(endpoint)


def _is_https(url: str) -> bool:
    return url[:6].lower() == "https:"


def is_allowed(namespace: str, allowed: tuple[str, ...]) -> bool:
    """Whether jobs may look for endpoints in a namespace of Cloud Map, by patterns with `*` and `?`, as IAM's `StringLike`."""
    return any(fnmatchcase(namespace, pattern.replace("[", "[[]")) for pattern in allowed)


def _cloud_map_problems(service: CloudMap, terms: TargetTerms) -> Iterator[FieldProblem]:
    if is_allowed(service.namespace, terms.cloud_map):
        return
    allowed = ", ".join(terms.cloud_map) or "none"
    yield FieldProblem(
        "target.endpoints.cloud_map.namespace",
        f"jobs here may not look for endpoints in the namespace {service.namespace} of AWS Cloud Map",
        f"allowed are: {allowed}; the operator of this service can add to them (CloudMapNamespaces)",
    )
