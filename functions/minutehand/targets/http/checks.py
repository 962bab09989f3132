"""What is wrong with an HTTP target that is being saved."""

from __future__ import annotations

from collections.abc import Iterator

from minutehand.domain.errors import FieldProblem
from minutehand.targets.http.addresses import LOOPBACK, forbidden, spelled
from minutehand.targets.http.fields import Body, HttpTarget
from minutehand.targets.http.texts import BODILESS, SIGNATURE_HEADERS, place_of
from minutehand.targets.terms import TargetTerms


def check(target: HttpTarget, terms: TargetTerms) -> Iterator[FieldProblem]:
    """Find what the terms of the deployment refuse about a target whose fields are each valid.

    This only tells the owner of the job early: a name may resolve to any address later, so each call checks the address again.
    """
    if target.endpoints is None:
        yield from url_problems(target.url, "target.url", terms)
    else:
        from minutehand.targets.http.endpoints.checks import check_endpoints  # noqa: PLC0415 - few jobs have several endpoints

        yield from check_endpoints(target.endpoints, target.url, terms)
        for number, each in enumerate(target.endpoints.listed):
            yield from url_problems(each.url, f"target.endpoints.listed[{number}].url", terms)
    if target.endpoints is None and place_of(target.url).scheme == "http":
        for name, value in target.tls._asdict().items():
            if value:
                hint = "leave it out, or give an https URL"
                yield FieldProblem(f"target.tls.{name}", "an http URL has no certificate", hint)
    if target.signing_key:
        yield from _signing_problems(target)
    if target.body is not None:
        yield from _body_problems(target.body, target.method)
    if not target.expect.status:
        yield FieldProblem("target.expect.status", "no answer could be a success", "leave it out to expect any 2xx")
    if target.expect.body and target.method == "HEAD":
        yield FieldProblem(
            "target.expect.body", "the answer to HEAD has no body", "leave it out, or give the method GET"
        )


def url_problems(url: str, path: str, terms: TargetTerms) -> Iterator[FieldProblem]:
    """Find why no job may call a valid URL, as far as its host and port tell."""
    _, host, port, _ = place_of(url)
    kind = _forbidden(host, allow_loopback=terms.allow_loopback)
    if kind:
        yield FieldProblem(
            path,
            f"no job may call this host: it is {kind}",
            "name a host that other machines reach too; a local stack may call itself (AllowLoopbackTargets)",
        )
    elif not terms.allowed.may_allow(host, port):
        yield FieldProblem(
            path,
            f"{host}, port {port}, is not among the targets that jobs here may call",
            f"allowed are: {terms.allowed}; the operator of this service can add to them (AllowedTargets)",
        )


def _signing_problems(target: HttpTarget) -> Iterator[FieldProblem]:
    for name, _ in target.headers:
        if name.lower() in SIGNATURE_HEADERS:
            yield FieldProblem(
                f"target.headers.{name}", f"the worker itself sends {name}, with the signature", "remove it"
            )


def _body_problems(body: Body, method: str) -> Iterator[FieldProblem]:
    if method in BODILESS:
        hint = "give another method, or send the values in target.query"
        yield FieldProblem("target.body", f"a {method} request has no body", hint)
    given = [name for name, value in body._asdict().items() if not _is_absent(value)]
    if len(given) != 1:
        what = " and ".join(given) or "none of json, form and text"
        yield FieldProblem("target.body", f"this gives {what}; a request has one body", "give json, form or text")


def _is_absent(value: object) -> bool:
    return value is None or value in ((), "")


def _forbidden(host: str, *, allow_loopback: bool) -> str | None:
    """Why no job may call a URL's host, in words that follow "is"; None if the host alone does not tell."""
    name = host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return None if allow_loopback else LOOPBACK
    address = spelled(name)
    return forbidden(address, allow_loopback=allow_loopback) if address else None
