"""Checks of an HTTP target when its job is saved."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.deadlines import LONGEST_CALL
from minutehand.domain.errors import FieldProblem
from minutehand.domain.instants import SECOND
from minutehand.domain.secret_prefixes import parse_prefixes
from minutehand.targets.checks import check
from minutehand.targets.http.allow_list import AllowList
from minutehand.targets.http.fields import Body, HttpTarget, Mode, Tls
from minutehand.targets.terms import TargetTerms

MINUTE = timedelta(minutes=1)
ANYTHING = TargetTerms()
LOCAL = TargetTerms(allow_loopback=True)
TEAM = TargetTerms(allowed=AllowList.parse("*.example.com:443, 10.0.0.0/8"))


def problems(
    url: str = "https://example.com/",
    *,
    mode: Mode = Mode.AUTO,
    heartbeat: timedelta | None = None,
    timeout: timedelta | None = MINUTE,
    terms: TargetTerms = ANYTHING,
) -> list[FieldProblem]:
    target = HttpTarget(method="POST", url=url, mode=mode, heartbeat=heartbeat)
    return list(check(target, timeout=timeout, terms=terms, namespace="demo"))


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:8080/",
        "http://LOCALHOST./",
        "http://echo.localhost/",
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
    ],
)
def test_a_host_that_is_this_machine_is_refused_unless_the_deployment_allows_it(url: str) -> None:
    [problem] = problems(url)
    assert problem.path == "target.url"
    assert "loopback" in problem.message
    assert "AllowLoopbackTargets" in problem.hint
    assert not problems(url, terms=LOCAL)


@pytest.mark.parametrize("terms", [ANYTHING, LOCAL, TEAM])
def test_an_address_that_is_always_forbidden_is_refused_under_all_terms(terms: TargetTerms) -> None:
    [problem] = problems("http://169.254.169.254/latest", terms=terms)
    assert problem.message == (
        "no job may call this host: it is link-local, where instance metadata and the Lambda runtime listen"
    )


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://192.0.2.7/", "192.0.2.7, port 443"),
        ("http://[2001:db8::1]:81/", "2001:db8::1, port 81"),
    ],
)
def test_an_address_outside_the_allow_list_is_refused_with_the_list(url: str, host: str) -> None:
    [problem] = problems(url, terms=TEAM)
    assert problem.path == "target.url"
    assert problem.message == f"{host}, is not among the targets that jobs here may call"
    assert "*.example.com:443, 10.0.0.0/8" in problem.hint
    assert "AllowedTargets" in problem.hint


@pytest.mark.parametrize("url", ["https://api.example.com/", "http://10.1.2.3:81/", "http://intranet.example/"])
def test_a_host_that_the_allow_list_may_allow_is_accepted(url: str) -> None:
    assert not problems(url, terms=TEAM)


def test_a_target_that_answers_with_the_call_may_take_as_long_as_a_call_may() -> None:
    assert not problems(mode=Mode.SYNC, timeout=LONGEST_CALL)
    [problem] = problems(mode=Mode.SYNC, timeout=LONGEST_CALL + SECOND)
    assert problem.path == "timeout"
    assert "14m at most" in problem.message
    assert "answer 202 and report later" in problem.hint


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.CALLBACK])
def test_a_target_that_may_answer_later_may_take_days(mode: Mode) -> None:
    assert not problems(mode=mode, timeout=timedelta(days=7), heartbeat=timedelta(hours=1))


def test_a_target_that_answers_with_the_call_sends_no_heartbeat() -> None:
    [problem] = problems(mode=Mode.SYNC, heartbeat=SECOND)
    assert problem.path == "target.heartbeat"
    assert "answers with the call" in problem.message
    assert "auto or callback" in problem.hint


@pytest.mark.parametrize("heartbeat", [MINUTE, MINUTE + SECOND])
def test_a_heartbeat_is_shorter_than_the_timeout(heartbeat: timedelta) -> None:
    [problem] = problems(heartbeat=heartbeat)
    assert problem.path == "target.heartbeat"
    assert "is not shorter than timeout, which is 1m" in problem.message
    assert not problems(heartbeat=MINUTE - SECOND)


def test_an_invalid_timeout_hides_no_problem_of_the_target() -> None:
    found = problems("http://localhost/", mode=Mode.SYNC, heartbeat=MINUTE, timeout=None)
    assert [problem.path for problem in found] == ["target.heartbeat", "target.url"]


def test_authorities_are_of_use_only_with_https() -> None:
    target = HttpTarget(url="http://example.com/", tls=Tls(ca="-----BEGIN CERTIFICATE-----"))
    [problem] = check(target, timeout=MINUTE, terms=ANYTHING, namespace="demo")
    assert problem.path == "target.tls.ca"
    assert "https" in problem.hint


def test_each_secret_outside_the_prefixes_of_the_namespace_is_refused_at_its_place() -> None:
    target = HttpTarget(
        url="https://example.com/",
        headers=(("Authorization", "Bearer {{secret:ssm:/shop/token}}"),),
        query=(("key", "{{secret:secretsmanager:shop/db#key}}"),),
        body=Body(json={"a": ["", "{{secret:ssm:/shop/token}}"]}),
        signing_key="ssm:/shop/signing-key",
        tls=Tls(client_certificate="secretsmanager:shop/certificate"),
    )
    prefixes = parse_prefixes("shop=ssm:/shop/,shop=secretsmanager:shop/,bank=ssm:/bank/")
    terms = TargetTerms(secret_prefixes=prefixes)
    assert not list(check(target, timeout=MINUTE, terms=terms, namespace="shop"))
    found = list(check(target, timeout=MINUTE, terms=terms, namespace="bank"))
    assert {problem.path: problem.column for problem in found} == {
        "target.headers.Authorization": 7,
        "target.query.key": 0,
        "target.body.json.a[1]": 0,
        "target.signing_key": 0,
        "target.tls.client_certificate": 0,
    }
    assert {problem.hint for problem in found} == {
        "allowed are secrets below ssm:/bank/; the operator of this service can add to them (SecretPrefixes)"
    }


def test_an_http_url_has_no_client_certificate() -> None:
    target = HttpTarget(url="http://example.com/", tls=Tls(client_certificate="ssm:/shop/certificate"))
    terms = TargetTerms(secret_prefixes=parse_prefixes("*=ssm:/shop/"))
    [problem] = check(target, timeout=MINUTE, terms=terms, namespace="shop")
    assert (problem.path, problem.message) == ("target.tls.client_certificate", "an http URL has no certificate")
