"""Jobs of dkron become jobs, option by option."""

from __future__ import annotations

import json
from typing import Any

import pytest

from minutehand.tools.importers.completion import make_completion
from minutehand.tools.importers.drafts import Draft
from tests.unit.tools.importers.imports import changed, from_json, lost, only, refused


def job(**fields: Any) -> dict[str, Any]:
    """What dkron's API prints."""
    return {
        "id": "report",
        "name": "report",
        "displayname": "",
        "timezone": "Europe/Paris",
        "schedule": "0 30 4 * * *",
        "owner": "data",
        "owner_email": "",
        "success_count": 3,
        "error_count": 0,
        "last_success": "2026-11-19T03:30:00Z",
        "last_error": None,
        "disabled": False,
        "tags": None,
        "metadata": {"team": "data"},
        "retries": 0,
        "dependent_jobs": None,
        "parent_job": "",
        "processors": {},
        "concurrency": "forbid",
        "executor": "http",
        "executor_config": {
            "method": "POST",
            "url": "https://reports.example.com/nightly",
            "headers": '["X-Team: data"]',
            "body": '{"all": true}',
            "timeout": "20",
            "expectCode": "200,206",
            "expectBody": "done",
        },
        "status": "success",
        "next": "2026-11-21T03:30:00Z",
        "ephemeral": False,
        "expires_at": None,
    } | fields


def document(**fields: Any) -> dict[str, Any]:
    return only(from_json("dkron", json.dumps([job(**fields)]))).document


def test_a_job_with_an_http_executor_becomes_a_job() -> None:
    draft = only(from_json("dkron", json.dumps(job())))
    assert draft.document == {
        "namespace": "default",
        "name": "report",
        "owner": "data",
        "labels": {"imported/from": "dkron", "imported/name": "report", "team": "data"},
        "schedule": "0 30 4 * * *",
        "timezone": "Europe/Paris",
        "dialect": "robfig",
        "target": {
            "type": "http",
            "method": "POST",
            "url": "https://reports.example.com/nightly",
            "headers": {"X-Team": "data"},
            "body": {"text": '{"all": true}'},
            "expect": {"status": ["200", "206"], "body": "done"},
        },
        "overlap": "skip",
        "timeout": "20s",
    }
    assert changed(draft) | lost(draft) == set()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"disabled": True}, {"paused": True}),
        ({"concurrency": "allow"}, {"overlap": "allow"}),
        ({"concurrency": ""}, {"overlap": "allow"}),
        ({"displayname": "The report"}, {"description": "The report"}),
        ({"ephemeral": True}, {"max_runs": 1}),
        ({"starts_at": "2026-12-01T00:00:00Z"}, {"start_at": "2026-12-01T00:00:00Z"}),
        ({"expires_at": "2027-12-01T00:00:00+01:00"}, {"end_at": "2027-11-30T23:00:00Z"}),
        ({"schedule": "@every 90s"}, {"schedule": "@every 90s"}),
        ({"schedule": "@manually"}, {"schedule": "@manual"}),
        ({"schedule": "@minutely"}, {"schedule": "0 * * * * *"}),
        ({"schedule": "@at 2027-01-02T15:04:05+02:00"}, {"schedule": "at(2027-01-02T13:04:05)", "timezone": "UTC"}),
        ({"retries": 2}, {"retry": {"max_attempts": 3, "backoff": {"initial": "1s", "factor": 1, "max": "1s"}}}),
    ],
    ids=str,
)
def test_each_option_has_its_field(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    found = document(**fields)
    assert {name: found[name] for name in expected} == expected


def test_a_tilde_becomes_the_number_that_dkron_puts_for_it() -> None:
    total = sum(map(ord, "report"))
    assert document(schedule="0 ~ ~ * * *")["schedule"] == f"0 {total % 60} {total % 24} * * *"
    assert document(schedule="0 0 0 ~ ~ *")["schedule"] == f"0 0 0 {total % 28 + 1} {total % 12 + 1} *"


def test_a_child_runs_after_its_parent_and_has_no_schedule() -> None:
    done = from_json("dkron", json.dumps([job(), job(name="child", parent_job="report", schedule="@every 1h")]))
    child = done.kept[1]
    assert child.document["depends_on"] == [{"job": "report"}]
    assert "schedule" not in child.document
    assert "schedule" in changed(child)


def test_a_child_without_its_parent_runs_only_when_asked() -> None:
    draft = only(from_json("dkron", json.dumps(job(name="child", parent_job="gone"))))
    assert draft.document["schedule"] == "@manual"
    assert lost(draft) == {"parent", "parent gone"}


def test_a_circle_of_parents_is_broken_and_told() -> None:
    done = from_json("dkron", json.dumps([job(name="a", parent_job="b"), job(name="b", parent_job="a")]))
    assert [draft.document.get("depends_on") for draft in done.kept] == [[{"job": "b"}], None]
    assert "parent a" in lost(done.kept[1])


def test_a_shell_command_goes_to_a_service_that_is_to_be_completed() -> None:
    config = {"command": "backup --full", "shell": "true", "env": "A=b,C=d"}
    draft = only(from_json("dkron", json.dumps(job(executor="shell", executor_config=config))))
    assert draft.to_complete() == ["target.url"]
    assert draft.document["payload"] == {
        "command": "backup --full",
        "environment": {"A": "b", "C": "d"},
        "shell": "true",
    }


@pytest.mark.parametrize(
    ("given", "expected", "is_changed"),
    [("2m30s", "2m30s", False), ("2h", "2h", True), ("300h", "7d", True), ("", "14m", True)],
)
def test_the_limit_of_a_shell_command_is_the_timeout(given: str, expected: str, is_changed: bool) -> None:
    config = {"command": "backup"} | ({"timeout": given} if given else {})
    draft = only(from_json("dkron", json.dumps(job(executor="shell", executor_config=config))))
    assert draft.document["timeout"] == expected
    assert "timeout" not in draft.document["payload"]
    assert ("executor_config.timeout" in changed(draft)) is is_changed


def test_an_unreadable_limit_of_a_shell_command_is_told() -> None:
    config = {"command": "backup", "timeout": "soon"}
    draft = only(from_json("dkron", json.dumps(job(executor="shell", executor_config=config))))
    assert "executor_config.timeout" in lost(draft)


def test_a_limit_that_is_longer_than_a_call_is_told() -> None:
    config = {"method": "POST", "url": "https://e.com", "timeout": "3600"}
    draft = only(from_json("dkron", json.dumps(job(executor_config=config))))
    assert draft.document["timeout"] == "14m"
    assert "executor_config.timeout" in changed(draft)


def _with_url(**fields: Any) -> Draft:
    completion = make_completion({}, url="https://run.example.com/{name}", headers=())
    return only(from_json("dkron", json.dumps(job(**fields)), completion=completion))


def test_a_report_leaves_nothing_to_be_completed_of_a_job_with_a_target() -> None:
    draft = _with_url(executor="shell", executor_config={"command": "backup"})
    assert not draft.to_complete()
    assert not [found for found in draft.findings if "to be completed" in found.reason]


def test_a_url_that_the_option_replaces_is_not_carried_over() -> None:
    draft = _with_url(executor_config={"method": "OPTIONS", "url": "https://e.com", "timeout": "5"})
    assert draft.document["target"]["url"] == "https://run.example.com/report"
    assert "executor_config.url" in changed(draft)


def test_what_another_executor_was_given_is_kept() -> None:
    found = document(executor="kafka", executor_config={"topic": "t"})
    assert found["payload"] == {"executor": "kafka", "config": {"topic": "t"}}


def test_what_chose_the_servers_and_what_kept_the_output_is_told() -> None:
    draft = only(from_json("dkron", json.dumps(job(tags={"role": "web:1"}, processors={"log": {"forward": "true"}}))))
    assert draft.document["labels"]["dkron/tag-role"] == "web:1"
    assert "tags" in changed(draft)
    assert lost(draft) == {"processors"}


def test_a_time_zone_of_the_servers_is_that_of_the_option() -> None:
    draft = only(from_json("dkron", json.dumps(job(timezone="")), timezone="Asia/Tokyo"))
    assert draft.document["timezone"] == "Asia/Tokyo"
    assert "timezone" in changed(draft)


def test_braces_in_a_body_are_not_taken_for_a_template() -> None:
    found = document(executor_config={"method": "POST", "url": "https://e.com", "body": "{{day}}"})
    assert found["target"]["body"] == {"text": "{{{{day}}"}


def test_unreadable_schedules_are_left_out_with_the_reason() -> None:
    assert "out of range" in refused(from_json("dkron", json.dumps(job(schedule="0 99 * * * *"))))
    assert "no time zone" in refused(from_json("dkron", json.dumps(job(timezone="Mars/Base"))))


def test_unknown_and_unreadable_fields_are_named() -> None:
    draft = only(from_json("dkron", json.dumps(job(colour="red", disabled="maybe", concurrency="sometimes"))))
    assert lost(draft) == {"colour", "disabled", "concurrency"}
