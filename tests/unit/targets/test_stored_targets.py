"""Stored targets: plain ones as before, and others with the features that a worker must know."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.dynamodb.codecs import definition_codec
from minutehand.domain.declaration.conversion import read_stored, stored
from minutehand.domain.declaration.field import needs_of
from minutehand.domain.job import Job
from minutehand.targets import fields_by_type
from minutehand.targets.http.endpoint_fields import Choose, CloudMap, Eject, Endpoints, Listed, NextEndpoint
from minutehand.targets.http.fields import Body, Expect, HttpTarget, Tls
from minutehand.usecases.definitions.revise import revised
from tests.unit.domain.examples import job

URL = "https://example.com/hook"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
RICH: dict[str, Any] = {
    "query": (("a", "{{attempt}}"),),
    "endpoints": Endpoints(
        listed=(Listed("https://10.0.3.7:8443", 2), Listed("http://[fd00::1]/base")),
        choose=Choose.FEWEST,
        next_endpoint=NextEndpoint.RETRY,
        eject=Eject(1, timedelta(minutes=5)),
    ),
    "body": Body(json={"a": ["{{payload}}", 1.5, None]}),
    "tls": Tls(ca="-----BEGIN CERTIFICATE-----"),
    "signing_key": "ssm:/a",
    "redirects": 2,
    "expect": Expect(status=("404",), body="ok"),
}


def test_a_plain_target_is_stored_and_read_as_before_there_were_more_fields() -> None:
    plain = job(target=HttpTarget(url=URL, headers=(("X-A", "b"),)))
    as_before = {"type": "http", "url": URL, "headers": {"X-A": "b"}}
    assert stored(plain)["target"] == as_before
    assert needs_of(plain) == frozenset()
    assert read_stored(Job, stored(plain) | {"target": as_before}, fields_by_type()) == plain


@pytest.mark.parametrize("url", ["HTTP://A.example:080/", "http://[v1.x]", "http://0x7f.1", "http://[::1%25lo]/"])
def test_a_url_that_was_saved_in_another_form_is_read_as_it_is(url: str) -> None:
    target = HttpTarget(url=url, endpoints=Endpoints(listed=(Listed(url),)))
    definition = revised(None, job(target=target), now=NOW, who="ann")
    assert definition_codec.decode(definition_codec.encode(definition)).job.target == target


@pytest.mark.parametrize("field", RICH)
def test_a_field_that_changes_the_call_is_stored_with_the_feature_that_a_worker_must_know(field: str) -> None:
    definition = revised(None, job(target=HttpTarget(url=URL, **{field: RICH[field]})), now=NOW, who="ann")
    item = definition_codec.encode(definition)
    assert item["needs"] == {"SS": [field]}
    assert field in json.loads(item["job"]["S"])["target"]
    assert definition_codec.decode(item) == definition


@pytest.mark.parametrize(
    "endpoints",
    [
        Endpoints(cloud_map=CloudMap("shop.internal", "reports")),
        Endpoints(registered="reports", eject=Eject(after=7)),
    ],
)
def test_every_source_of_endpoints_is_read_back(endpoints: Endpoints) -> None:
    definition = revised(None, job(target=HttpTarget(url=URL, endpoints=endpoints)), now=NOW, who="ann")
    assert definition_codec.decode(definition_codec.encode(definition)) == definition


@pytest.mark.parametrize("body", [Body(form=(("a", "b"),)), Body(text="x"), Body(json=[]), Body(json=False)])
def test_every_kind_of_body_is_read_back(body: Body) -> None:
    definition = revised(None, job(target=HttpTarget(url=URL, body=body)), now=NOW, who="ann")
    assert definition_codec.decode(definition_codec.encode(definition)) == definition
