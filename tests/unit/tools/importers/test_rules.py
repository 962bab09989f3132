"""Every rule of the guide that keeps something of an export is one that some export reaches, and the guide has all rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from minutehand.tools.importers.rules import Outcome
from minutehand.tools.importers.running import Import
from minutehand.tools.importers.systems import SYSTEMS
from minutehand.tools.importers.xxl_job_rules import BLOCKS, MISFIRES
from tests.unit.tools.importers.guide import PAGE, table, with_tables
from tests.unit.tools.importers.imports import from_json, from_text
from tests.unit.tools.importers.test_celery import MODULE, entry
from tests.unit.tools.importers.test_celery_fixtures import fixture
from tests.unit.tools.importers.test_dkron import job
from tests.unit.tools.importers.test_eventbridge import ACCOUNT, schedule
from tests.unit.tools.importers.test_eventbridge_targets import ECS, FUNCTION, rule
from tests.unit.tools.importers.test_kubernetes import cron_job
from tests.unit.tools.importers.test_xxl_job import row, rows

ROUTES = ("FIRST", "LAST", "ROUND", "RANDOM", "LEAST_FREQUENTLY_USED", "LEAST_RECENTLY_USED", "FAILOVER", "BUSYOVER")


def eventbridge() -> Iterator[Import]:
    def one(target: dict[str, Any] | None = None, **fields: Any) -> Import:
        return from_json("eventbridge", json.dumps(schedule(target, **fields)))

    def called(action: str) -> dict[str, Any]:
        return {
            "Arn": f"arn:aws:scheduler:::aws-sdk:{action}",
            "Input": json.dumps({"TopicArn": "arn:t", "Message": "m"}),
        }

    window = {"Mode": "FLEXIBLE", "MaximumWindowInMinutes": 5}
    dates = {"StartDate": "2026-12-01T00:00:00Z", "EndDate": "2027-12-01T00:00:00Z"}
    yield one(
        GroupName="g",
        Description="d",
        FlexibleTimeWindow=window,
        State="DISABLED",
        ActionAfterCompletion="DELETE",
        **dates,
    )
    yield one({"RetryPolicy": {}, "Input": None}, ScheduleExpression="rate(5 minutes)")
    yield one(ECS)
    yield one(ECS | {"Input": None})
    yield one({"Arn": f"arn:aws:sqs:{ACCOUNT}:q", "SqsParameters": {"MessageGroupId": "g"}})
    yield one({"Arn": f"arn:aws:sns:{ACCOUNT}:t"})
    yield one({"Arn": f"arn:aws:states:{ACCOUNT}:stateMachine:m"})
    bus = {"Arn": f"arn:aws:events:{ACCOUNT}:event-bus/b", "EventBridgeParameters": {"DetailType": "d", "Source": "s"}}
    yield one(bus | {"Input": "text"})
    yield one(called("sns:publish"))
    gateway = f"arn:aws:execute-api:{ACCOUNT}:abc/prod/POST/x"
    yield from_json(
        "eventbridge",
        rule(
            FUNCTION | {"InputTransformer": {"InputTemplate": "{}"}},
            {"Id": "2", "Arn": gateway, "HttpParameters": {"HeaderParameters": {"A": "b"}}},
            ScheduleExpression="rate(5 minutes)",
            EventPattern="{}",
            EventBusName="other",
        ),
    )


def dkron() -> Iterator[Import]:
    jobs = [
        job(displayname="d", owner_email="a@b", disabled=True, tags={"a": "b"}, ephemeral=True, retries=3),
        job(name="b", parent_job="report", executor="shell", concurrency="allow", retries=30),
        job(
            name="c",
            schedule="@every 5s",
            starts_at="2026-12-01T00:00:00Z",
            expires_at="2027-12-01T00:00:00Z",
            executor="x",
        ),
        job(name="d", schedule="0 ~ * * * *", timezone="", executor_config={"url": "https://e.com", "method": "GET"}),
        job(name="e", schedule="@at 2027-01-01T00:00:00Z"),
        job(name="f", executor_config={"url": "https://e.com", "method": "GET", "timeout": "3600"}),
        job(name="g", executor="shell", executor_config={"command": "c", "timeout": "2h"}),
    ]
    yield from_json("dkron", json.dumps(jobs))


def xxl_job() -> Iterator[Import]:
    yield rows(
        row(alarm_email="a@b", child_jobid="2", executor_fail_retry_count="30", schedule_conf="0 */5 1 15W * ? 2027"),
        row(id="2", trigger_status="0", executor_timeout="0", schedule_conf="0 0 3 * * ?"),
        row(id="3", trigger_status="0", executor_timeout="3600", schedule_type="NONE"),
        row(id="4", schedule_type="FIX_RATE", schedule_conf="5", trigger_next_time="1795167017123"),
        row(id="5", schedule_type="FIX_DELAY", schedule_conf="5"),
        *(row(id=name, executor_route_strategy=name) for name in ROUTES),
        *(row(id=name, executor_block_strategy=name) for name in BLOCKS),
        *(row(id=name, misfire_strategy=name) for name in MISFIRES),
        timezone="Europe/Paris",
    )


def celery() -> Iterator[Import]:
    yield from_text("celery", ".py", MODULE)
    yield from_json("celery", entry(args=[1], kwargs={"args": 2}, schedule={"hour": 4}))
    yield from_json("celery", entry(options={"expires": 5, "time_limit": 5, "soft_time_limit": 4}))
    dates = {"start_time": "2026-12-01T00:00:00Z", "expires": "2027-12-01T00:00:00Z"}
    yield from_json("celery", fixture(queue="q", expire_seconds=60, one_off=True, enabled=False, **dates))
    yield from_json("celery", fixture(crontab=None, clocked=1))


def kubernetes() -> Iterator[Import]:
    def one(**parts: dict[str, Any]) -> Import:
        return from_json("kubernetes", json.dumps(cron_job(**parts)))

    history = {"successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1}
    yield one(spec={"suspend": True, "concurrencyPolicy": "Forbid", **history}, pod={"restartPolicy": "OnFailure"})
    yield one(spec={"timeZone": None, "concurrencyPolicy": "Replace", "startingDeadlineSeconds": None})
    yield one(spec={"schedule": "@every 1h"}, job={"backoffLimit": 30, "activeDeadlineSeconds": None})


EXPORTS = {"eventbridge": eventbridge, "dkron": dkron, "xxl-job": xxl_job, "celery": celery, "kubernetes": kubernetes}


@pytest.mark.parametrize("system", list(SYSTEMS))
def test_every_rule_that_keeps_something_is_reached(system: str) -> None:
    reached = {
        (found.field, found.outcome, found.into, found.reason)
        for done in EXPORTS[system]()
        for draft in done.kept
        for found in draft.findings
    }
    kept = {Outcome.CARRIED, Outcome.CHANGED}
    wanted = {(r.field, r.outcome, r.into, r.whole_reason) for r in SYSTEMS[system].rules.all if r.outcome in kept}
    assert wanted - reached == set()


@pytest.mark.parametrize("system", list(SYSTEMS))
def test_every_change_and_every_loss_has_a_reason(system: str) -> None:
    for each in SYSTEMS[system].rules.all:
        assert each.reason or each.outcome is Outcome.CARRIED, each.field


def test_the_guide_has_the_tables_of_all_systems() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for system in SYSTEMS.values():
        assert table(system) in page, "run python -m tests.unit.tools.importers.guide"
    assert with_tables(page) == page
