"""Fixtures of django-celery-beat become jobs, field by field."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.tools.importers.imports import changed, from_json, lost, only, refused

SCHEDULES = [
    {
        "model": "django_celery_beat.crontabschedule",
        "pk": 1,
        "fields": {
            "minute": "30",
            "hour": "4",
            "day_of_week": "mon-fri",
            "day_of_month": "*",
            "month_of_year": "*",
            "timezone": "Europe/Paris",
        },
    },
    {"model": "django_celery_beat.intervalschedule", "pk": 1, "fields": {"every": 10, "period": "minutes"}},
    {"model": "django_celery_beat.intervalschedule", "pk": 2, "fields": {"every": 10, "period": "microseconds"}},
    {"model": "django_celery_beat.clockedschedule", "pk": 1, "fields": {"clocked_time": "2027-01-02T09:00:00+01:00"}},
    {
        "model": "django_celery_beat.solarschedule",
        "pk": 1,
        "fields": {"event": "sunset", "latitude": "1.000000", "longitude": "2.000000"},
    },
    {"model": "django_celery_beat.periodictasks", "pk": 1, "fields": {"last_update": "2026-01-01T00:00:00Z"}},
]


def fixture(**fields: Any) -> str:
    """What `manage.py dumpdata django_celery_beat` prints."""
    task = {
        "name": "Close orders",
        "task": "orders.close",
        "interval": None,
        "crontab": 1,
        "solar": None,
        "clocked": None,
        "args": "[7]",
        "kwargs": '{"fast": true}',
        "queue": None,
        "exchange": None,
        "routing_key": None,
        "headers": "{}",
        "priority": None,
        "expires": None,
        "expire_seconds": None,
        "one_off": False,
        "start_time": None,
        "enabled": True,
        "last_run_at": "2026-11-19T03:30:00Z",
        "total_run_count": 12,
        "date_changed": "2026-11-19T03:30:00Z",
        "description": "Closes them.",
    } | fields
    return json.dumps([*SCHEDULES, {"model": "django_celery_beat.periodictask", "pk": 3, "fields": task}])


def test_a_periodic_task_becomes_a_job() -> None:
    draft = only(from_json("celery", fixture()))
    assert draft.document == {
        "namespace": "default",
        "name": "close-orders",
        "description": "Closes them.",
        "labels": {"imported/from": "celery", "imported/name": "Close orders"},
        "schedule": "30 4 * * MON-FRI",
        "timezone": "Europe/Paris",
        "dialect": "vixie",
        "target": {"type": "http", "method": "POST", "url": "to-be-completed"},
        "payload": {"args": [7], "fast": True},
    }
    assert changed(draft) == {"task", "args", "schedule: crontab"}
    assert lost(draft) == set()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"crontab": None, "interval": 1}, {"schedule": "@every 600s"}),
        ({"crontab": None, "clocked": 1}, {"schedule": "at(2027-01-02T08:00:00)", "timezone": "UTC"}),
        ({"enabled": False}, {"paused": True}),
        ({"one_off": True}, {"max_runs": 1}),
        ({"start_time": "2026-12-01T00:00:00Z"}, {"start_at": "2026-12-01T00:00:00Z"}),
        ({"expires": "2027-12-01T00:00:00Z"}, {"end_at": "2027-12-01T00:00:00Z"}),
        ({"expire_seconds": 600}, {"start_within": "10m"}),
        ({"start_time": "2026-12-01T00:00:00"}, {"start_at": "2026-12-01T00:00:00Z"}),
    ],
    ids=str,
)
def test_each_field_has_its_own(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    found = only(from_json("celery", fixture(**fields))).document
    assert {name: found[name] for name in expected} == expected


def test_routing_is_told() -> None:
    draft = only(from_json("celery", fixture(queue="slow", exchange="x", headers='{"a": 1}', priority=3, odd=1)))
    assert draft.document["labels"]["celery/queue"] == "slow"
    assert lost(draft) == {f"PeriodicTask.{name}" for name in ("exchange", "headers", "priority", "odd")}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"crontab": None, "solar": 1}, "follows the sun"),
        ({"crontab": None}, "has no schedule"),
        ({"crontab": 9}, "lacks its crontab schedule 9"),
        ({"interval": 1}, "it has crontab and interval"),
        ({"crontab": None, "interval": 2}, "whole seconds"),
        ({"args": "[1"}, "is not JSON"),
        ({"task": ""}, "names no task"),
    ],
)
def test_what_no_job_can_be_made_of_is_left_out(fields: dict[str, Any], reason: str) -> None:
    assert reason in refused(from_json("celery", fixture(**fields)))
