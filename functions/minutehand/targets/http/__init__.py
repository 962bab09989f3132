"""HTTP targets: a run makes one HTTP request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from minutehand.targets.http.fields import HttpTarget
from minutehand.targets.target_type import TargetType

if TYPE_CHECKING:
    from minutehand.domain.errors import FieldProblem
    from minutehand.targets.http.endpoints.calling import EndpointCaller
    from minutehand.targets.terms import TargetTerms
    from minutehand.usecases.ports.target import TargetCaller


def _check(target: HttpTarget, terms: TargetTerms) -> Iterator[FieldProblem]:
    from minutehand.targets.http.checks import check  # noqa: PLC0415 - only saving a job needs it

    return check(target, terms)


def _templates(target: HttpTarget) -> Iterator[tuple[str, Any]]:
    yield "target.query", dict(target.query)
    yield "target.headers", dict(target.headers)
    if target.body is not None:
        yield "target.body.json", target.body.json
        yield "target.body.form", dict(target.body.form)
        yield "target.body.text", target.body.text


def _references(target: HttpTarget) -> Iterator[tuple[str, str]]:
    yield "target.signing_key", target.signing_key
    yield "target.tls.client_certificate", target.tls.client_certificate


def _load_caller() -> Callable[[TargetTerms], TargetCaller[HttpTarget]]:
    from minutehand.targets.http.caller import HttpCaller  # noqa: PLC0415 - only a worker needs it, and urllib3 with it

    return lambda terms: HttpCaller(
        allow_loopback=terms.allow_loopback,
        allowed=terms.allowed,
        endpoints=_endpoint_caller(terms),
    )


def _endpoint_caller(terms: TargetTerms) -> Callable[[], EndpointCaller] | None:
    balancing = terms.balancing
    if balancing is None:
        return None

    def make() -> EndpointCaller:
        from minutehand.targets.http.endpoints.calling import EndpointCaller  # noqa: PLC0415 - few jobs have several endpoints

        return EndpointCaller(balancing(), terms.cloud_map)

    return make


HTTP = TargetType(
    name=HttpTarget.type,
    worker="http",
    load_fields=lambda: HttpTarget,
    example={"method": "POST", "url": "https://example.com/hook"},
    check=_check,
    load_caller=_load_caller,
    to_answer_later="make target.mode auto or callback, and let the target answer 202 and report later",
    templates=_templates,
    references=_references,
)
