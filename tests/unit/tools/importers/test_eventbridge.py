"""Schedules of EventBridge Scheduler become jobs, option by option."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.tools.importers.imports import NOW, changed, from_json, instants, lost, only, refused

ACCOUNT = "eu-west-1:111122223333"
LAMBDA = f"arn:aws:lambda:{ACCOUNT}:function:report"


def schedule(target: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """What `aws scheduler get-schedule` prints."""
    return {
        "ActionAfterCompletion": "NONE",
        "Arn": f"arn:aws:scheduler:{ACCOUNT}:schedule/default/nightly",
        "CreationDate": "2026-01-15T10:02:30.500000+01:00",
        "FlexibleTimeWindow": {"Mode": "OFF"},
        "GroupName": "default",
        "LastModificationDate": "2026-01-15T10:02:30.500000+01:00",
        "Name": "nightly",
        "ScheduleExpression": "cron(0 2 * * ? *)",
        "ScheduleExpressionTimezone": "Europe/Paris",
        "State": "ENABLED",
        "Target": {
            "Arn": LAMBDA,
            "Input": '{"month": "last"}',
            "RetryPolicy": {"MaximumEventAgeInSeconds": 3600, "MaximumRetryAttempts": 3},
            "RoleArn": "arn:aws:iam::111122223333:role/scheduler",
            **(target or {}),
        },
    } | fields


def document(*args: Any, **fields: Any) -> dict[str, Any]:
    return only(from_json("eventbridge", json.dumps(schedule(*args, **fields)))).document


def test_a_schedule_becomes_a_job() -> None:
    draft = only(from_json("eventbridge", json.dumps(schedule())))
    assert draft.document == {
        "namespace": "default",
        "name": "nightly",
        "labels": {"imported/from": "eventbridge", "imported/name": "nightly"},
        "schedule": "cron(0 2 * * ? *)",
        "timezone": "Europe/Paris",
        "target": {"type": "lambda", "function": LAMBDA, "mode": "event"},
        "payload": {"month": "last"},
        "run_timeout": "1h",
        "retry": {"max_attempts": 4},
    }
    assert changed(draft) == {"Target.RoleArn", "Target.RetryPolicy.MaximumEventAgeInSeconds"}
    assert lost(draft) == set()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"FlexibleTimeWindow": {"Mode": "FLEXIBLE", "MaximumWindowInMinutes": 15}}, {"jitter": "15m"}),
        ({"State": "DISABLED"}, {"paused": True}),
        ({"Description": "Sums up."}, {"description": "Sums up."}),
        ({"StartDate": "2026-12-01T09:00:00.5+01:00"}, {"start_at": "2026-12-01T08:00:01Z"}),
        ({"EndDate": 1830297600.0}, {"end_at": "2028-01-01T00:00:00Z"}),
        ({"ScheduleExpression": "at(2027-01-01T09:00:00)"}, {"schedule": "at(2027-01-01T09:00:00)"}),
        ({"ScheduleExpressionTimezone": None}, {"timezone": "UTC"}),
    ],
)
def test_each_option_has_its_field(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    found = document(**fields)
    assert {name: found[name] for name in expected} == expected


def test_a_group_is_a_label_and_a_part_of_the_origin() -> None:
    labels = document(GroupName="reports")["labels"]
    assert labels["eventbridge/group"] == "reports"
    assert labels["imported/name"] == "reports/nightly"


def test_a_rate_counts_from_the_creation_of_its_schedule() -> None:
    found = document(ScheduleExpression="rate(7 minutes)")
    first, second = instants(found, NOW, 2)
    assert (second - first).total_seconds() == 420
    assert (first.timestamp() - 1768467750) % 420 == 0  # 2026-01-15T09:02:30Z


def test_what_happens_after_completion_and_keys_are_told() -> None:
    draft = only(from_json("eventbridge", json.dumps(schedule(ActionAfterCompletion="DELETE", KmsKeyArn="arn:…"))))
    assert "ActionAfterCompletion" in changed(draft)
    assert lost(draft) == {"KmsKeyArn"}


@pytest.mark.parametrize(("retries", "attempts"), [(0, 1), (19, 20), (20, 20), (185, 20)])
def test_retries_are_attempts_without_the_first(retries: int, attempts: int) -> None:
    policy = {"RetryPolicy": {"MaximumRetryAttempts": retries}}
    draft = only(from_json("eventbridge", json.dumps(schedule(policy))))
    assert draft.document["retry"] == {"max_attempts": attempts}
    assert ("Target.RetryPolicy.MaximumRetryAttempts" in changed(draft)) == (retries > 19)


def test_a_dead_letter_queue_is_not_possible() -> None:
    queue = {"DeadLetterConfig": {"Arn": f"arn:aws:sqs:{ACCOUNT}:dead"}}
    assert lost(only(from_json("eventbridge", json.dumps(schedule(queue))))) == {"Target.DeadLetterConfig"}


def test_unknown_fields_are_named() -> None:
    draft = only(from_json("eventbridge", json.dumps(schedule({"Colour": "red"}, Weather={"Rain": 1}))))
    assert lost(draft) == {"Target.Colour", "Weather"}


def test_a_finished_schedule_is_left_out() -> None:
    text = json.dumps(schedule(ScheduleExpression="at(2026-01-01T09:00:00)"))
    assert refused(from_json("eventbridge", text)).startswith("schedule: it names no instant any more")
    text = json.dumps(schedule(EndDate="2026-11-20T00:00:00Z"))
    assert refused(from_json("eventbridge", text)) == "end_at: the schedule has ended, so the job would never run"


def test_a_summary_without_expression_needs_get_schedule() -> None:
    listed = {"Schedules": [{"Arn": "arn:1", "Name": "nightly", "GroupName": "default", "Target": {"Arn": LAMBDA}}]}
    assert "get-schedule" in refused(from_json("eventbridge", json.dumps(listed)))


def test_a_summary_of_a_schedule_that_is_exported_too_is_not_a_second_one() -> None:
    full = schedule()
    listed = {"Schedules": [{"Arn": full["Arn"], "Name": "nightly", "GroupName": "default", "State": "ENABLED"}]}
    only(from_json("eventbridge", json.dumps(listed) + json.dumps(full)))
