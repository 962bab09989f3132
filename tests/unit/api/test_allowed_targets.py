"""Saving a job whose target the allow-list can never allow."""

from __future__ import annotations

import pytest

from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.forms.accept import Terms
from minutehand.targets.http.allow_list import AllowList
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import JOB, Api, known_tokens

NAMES_AND_NETWORKS = "*.example.com, api.example.org:8443, 10.0.0.0/8"


def _api(ports: Ports, entries: str) -> Api:
    return Api(
        app=make_app(
            Deployment(
                tokens_of=known_tokens,
                ports_of=lambda: ports,
                terms=Terms(targets=TargetTerms(allowed=AllowList.parse(entries))),
            )
        )
    )


def _job(url: str) -> dict[str, object]:
    return JOB | {"target": {"type": "http", "url": url}}


@pytest.mark.parametrize(
    ("entries", "url"),
    [
        (NAMES_AND_NETWORKS, "https://192.0.2.7/hook"),
        (NAMES_AND_NETWORKS, "https://[2001:db8::1]/hook"),
        ("*.example.com", "https://other.example/hook"),
        ("*.example.com", "https://example.com/hook"),
        ("api.example.com:8443", "https://api.example.com/hook"),
        ("10.1.2.3:8443", "http://10.1.2.3:8080/"),
    ],
)
def test_a_host_that_matches_no_entry_is_refused_and_the_entries_are_listed(
    ports: Ports, entries: str, url: str
) -> None:
    answer = _api(ports, entries).put(_job(url))
    assert answer.status == 422
    error = answer.errors["target.url"]
    assert "is not among the targets" in error["message"]
    assert entries in error["hint"]
    assert "AllowedTargets" in error["hint"]


@pytest.mark.parametrize(
    ("entries", "url"),
    [
        (NAMES_AND_NETWORKS, "https://hooks.example.com/a"),
        (NAMES_AND_NETWORKS, "http://10.20.30.40/"),
        (NAMES_AND_NETWORKS, "https://intranet.example/"),  # it may lead into 10.0.0.0/8: the worker will see
        ("api.example.com:443", "https://api.example.com/hook"),
        ("api.example.com:80", "http://api.example.com/hook"),
        ("", "https://192.0.2.7/hook"),
    ],
)
def test_a_host_that_is_or_may_be_allowed_is_saved(ports: Ports, entries: str, url: str) -> None:
    assert _api(ports, entries).put(_job(url)).status == 201


def test_an_always_forbidden_address_has_only_that_error(ports: Ports) -> None:
    answer = _api(ports, "*.example.com").put(_job("http://169.254.169.254/"))
    assert [error["message"] for error in answer.body["errors"]] == [
        "no job may call this host: it is link-local, where instance metadata and the Lambda runtime listen"
    ]
