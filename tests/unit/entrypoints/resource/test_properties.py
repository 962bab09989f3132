"""Properties, which CloudFormation passes as texts, become values of their fields' types, or are refused."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.stack_resource import StackResource
from minutehand.entrypoints.api.forms.accept import accept
from minutehand.entrypoints.resource.properties import Converted
from tests.unit.api.test_job_fields import FULL
from tests.unit.entrypoints.resource.stacks import HOURLY, NOON, Region, Resource


@pytest.fixture
def resource() -> Resource:
    return Resource(Region())


def test_numbers_and_booleans_of_every_depth_are_turned_back(resource: Resource) -> None:
    fields = {
        "max_runs": 7,
        "record_units": True,
        "paused": True,
        "retry": {"max_attempts": 3, "backoff": {"initial": "5s", "factor": 1.5, "jitter": 0}},
        "limits": [{"name": "db", "max": 3}],
        "target": {"type": "http", "url": "https://example.com/hook", "redirects": 2, "expect": {"status": [404]}},
    }
    assert resource.create(**fields)["Status"] == "SUCCESS"
    found = resource.region.job()
    assert found is not None
    job: Any = found.job
    assert (job.max_runs, job.record_units, job.paused) == (7, True, True)
    assert (job.retry.max_attempts, job.retry.backoff.factor, job.retry.backoff.jitter) == (3, 1.5, 0)
    assert job.retry.backoff.initial == timedelta(seconds=5)
    assert job.limits[0].max == 3
    assert (job.target.redirects, job.target.expect.status) == (2, ("404",))


def test_a_pause_until_an_instant_is_an_object(resource: Resource) -> None:
    assert resource.create(paused={"until": "2026-12-01T09:00:00Z"})["Status"] == "SUCCESS"
    found = resource.region.job()
    assert found is not None
    assert found.job.paused_until is not None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"max_runs": "3.0"}, "max_runs: '3.0' is not a whole number (write it in digits, such as 3)"),
        ({"max_runs": "0x10"}, "max_runs: '0x10' is not a whole number (write it in digits, such as 3)"),
        ({"max_runs": "9" * 5000}, f"max_runs: '{'9' * 59} is not a whole number (write it in digits, such as 3)"),
        ({"max_runs": "007"}, "max_runs: '007' is not a whole number (write it in digits, such as 3)"),
        ({"max_runs": 0}, "max_runs: 0 is out of range (give 1 to 1,000,000,000)"),
        (
            {"max_runs": ""},
            "max_runs: this is empty (leave the property out; where a condition decides, with !Ref AWS::NoValue)",
        ),
        ({"record_units": "yes"}, "record_units: 'yes' is neither true nor false (write true or false)"),
        ({"record_units": "True"}, "record_units: 'True' is neither true nor false (write true or false)"),
        ({"record_units": 1}, "record_units: '1' is neither true nor false (write true or false)"),
        ({"paused": "no"}, "paused: 'no' is neither true nor false (write true or false)"),
        (
            {"retry": {"max_attempts": 2, "backoff": {"factor": "two"}}},
            "retry.backoff.factor: 'two' is not a number (write it in digits, such as 1.5)",
        ),
        (
            {"retry": {"max_attempts": 2, "backoff": {"factor": "1e999"}}},
            "retry.backoff.factor: '1e999' is not a number (write it in digits, such as 1.5)",
        ),
        ({"timeout": 90}, "timeout: '90' is not a duration (write whole numbers with units, such as 90s, 1h30m or 7d)"),
        (
            {"limits": [{"name": "db", "max": "x"}]},
            "limits[0].max: 'x' is not a whole number (write it in digits, such as 3)",
        ),
        ({"limits": "db"}, 'limits: this must be a list, not text (write [{"name": "db", "max": 1}])'),
        ({"retry": "3"}, "retry: this must be an object, not text (write {…})"),
        ({"Schedule": "@daily"}, "Schedule: unknown field (did you mean `schedule`?)"),
        (
            {"depends_on": [{"job": "extract", "true": "success"}]},
            'depends_on[0].true: unknown field: YAML reads the key on as true (put it in quotes: "on": …)',
        ),
        (
            {"target": {"type": "http", "url": "ftp://example.com"}},
            "target.url: the URL does not begin with http:// or https:// (write https://host/path)",
        ),
    ],
)
def test_a_value_that_cannot_be_one_of_its_field_is_refused_with_what_would_be_right(
    resource: Resource, changes: dict[str, Any], reason: str
) -> None:
    answered = resource.create(**changes)
    assert answered["Status"] == "FAILED"
    assert answered["Reason"] == reason


def test_every_wrong_property_is_named(resource: Resource) -> None:
    properties = {name: value for name, value in HOURLY.items() if name not in ("name", "schedule")}
    answered = resource.send(resource.event("Create", properties | {"max_runs": "x", "timezone": "Mars/Olympus"}))
    named = [part.partition(":")[0] for part in answered["Reason"].split("; ")]
    assert {"max_runs", "name", "timezone", "schedule"} <= set(named)
    assert len(named) == len(set(named))


def test_a_long_list_of_problems_is_cut_to_what_cloudformation_takes(resource: Resource) -> None:
    answered = resource.create(**{f"ü{n}{'x' * 50}": "ü" * 3000 for n in range(30)})
    assert len(json.dumps(answered).encode()) <= 4096
    assert "and 20 more" in answered["Reason"] or answered["Reason"].endswith("…")


def _payload(resource: Resource) -> Any:
    found = resource.region.job()
    assert found is not None
    return found.job.payload


@pytest.mark.parametrize(
    ("payload", "stored"),
    [
        ('{"count": 3, "all": true, "none": null}', {"count": 3, "all": True, "none": None}),
        ('"nightly"', "nightly"),
        ("3", 3),
        ("null", None),
        ({"table": "orders", "days": ["mon", "tue"]}, {"table": "orders", "days": ["mon", "tue"]}),
        ([], []),
    ],
)
def test_a_payload_is_a_text_with_json_or_has_texts_that_are_nothing_else(
    resource: Resource, payload: Any, stored: Any
) -> None:
    assert resource.create(payload=payload)["Status"] == "SUCCESS"
    assert _payload(resource) == stored


@pytest.mark.parametrize(
    ("payload", "path", "message"),
    [
        ("nightly", "payload", "this text is not JSON: line 1, column 1"),
        ('{"a": 1, "a": 2}', "payload", "this text names 'a' twice in one object"),
        ("NaN", "payload", "this text is not JSON"),
        ("[" * 200 + "]" * 200, "payload", "this text is nested more than 100 levels deep"),
        ({"count": 3}, "payload.count", "'3' may have been a number or a text in the template"),
        ({"rows": [{"all": True}]}, "payload.rows[0].all", "'true' may have been a boolean or a text in the template"),
        (["1.50"], "payload[0]", "'1.50' may have been a number or a text in the template"),
    ],
)
def test_a_payload_that_could_be_two_things_is_refused(
    resource: Resource, payload: Any, path: str, message: str
) -> None:
    answered = resource.create(payload=payload)
    assert answered["Status"] == "FAILED"
    assert answered["Reason"].startswith(f"{path}: {message}")
    assert 'as one text with JSON, such as \'{"count": ' in answered["Reason"]


def test_the_json_body_of_a_request_follows_the_same_rules(resource: Resource) -> None:
    target = {"type": "http", "url": "https://example.com/hook"}
    assert resource.create(target=target | {"body": {"json": '{"n": 1}'}})["Status"] == "SUCCESS"
    answered = resource.update(target=target | {"body": {"json": {"n": 1}}})
    assert answered["Reason"].startswith("target.body.json.n: '1' may have been a number")


def _without_nulls(value: Any) -> Any:
    """A value as a template can have it: no template has null."""
    if isinstance(value, dict):
        return {name: _without_nulls(inner) for name, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value


def test_every_field_of_a_job_means_in_a_template_what_it_means_to_the_api() -> None:
    sent = _without_nulls(FULL) | {"payload": json.dumps(FULL["payload"])}
    converted = Converted(Resource(Region()).event("Create", sent)["ResourceProperties"])
    assert not converted.problems
    key, terms = JobKey("demo", "heartbeat"), Region().deployment().terms
    assert accept(converted.document, key, terms, now=NOON) == accept(FULL, key, terms, now=NOON)


def test_a_resource_names_itself_in_words() -> None:
    assert str(StackResource("web", "Report")) == "the resource Report of the stack web"
