"""Rows of XXL-JOB's table become jobs, column by column."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.tools.importers.imports import changed, from_json, from_text, imported, instants, lost, only, refused

COLUMNS = (
    "`id`, `job_group`, `job_desc`, `add_time`, `update_time`, `author`, `alarm_email`, `schedule_type`, `schedule_conf`, "
    "`misfire_strategy`, `executor_route_strategy`, `executor_handler`, `executor_param`, `executor_block_strategy`, "
    "`executor_timeout`, `executor_fail_retry_count`, `glue_type`, `glue_source`, `glue_remark`, `glue_updatetime`, "
    "`child_jobid`, `trigger_status`, `trigger_last_time`, `trigger_next_time`"
)


def row(**fields: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "job_group": "1",
        "job_desc": "Nightly report",
        "add_time": "2026-01-01 00:00:00",
        "update_time": "2026-01-01 00:00:00",
        "author": "ada",
        "alarm_email": "",
        "schedule_type": "CRON",
        "schedule_conf": "0 30 4 * * ?",
        "misfire_strategy": "DO_NOTHING",
        "executor_route_strategy": "ROUND",
        "executor_handler": "reportHandler",
        "executor_param": "all",
        "executor_block_strategy": "DISCARD_LATER",
        "executor_timeout": "120",
        "executor_fail_retry_count": "2",
        "glue_type": "BEAN",
        "glue_source": "",
        "glue_remark": "",
        "glue_updatetime": "2026-01-01 00:00:00",
        "child_jobid": "",
        "trigger_status": "1",
        "trigger_last_time": "0",
        "trigger_next_time": "0",
    } | fields


def rows(*several: dict[str, Any], **options: Any) -> Any:
    return imported(
        "xxl-job", [(n, {"table": "xxl_job_info", "row": each}) for n, each in enumerate(several, 1)], **options
    )


def document(**fields: Any) -> dict[str, Any]:
    return only(rows(row(**fields))).document


def test_a_row_becomes_a_job() -> None:
    assert document() == {
        "namespace": "default",
        "name": "nightly-report",
        "description": "Nightly report",
        "owner": "ada",
        "labels": {
            "imported/from": "xxl-job",
            "imported/name": "Nightly report",
            "xxl-job/id": "1",
            "xxl-job/group": "1",
        },
        "schedule": "30 4 * * *",
        "timezone": "UTC",
        "dialect": "vixie",
        "target": {"type": "http", "method": "POST", "url": "to-be-completed"},
        "payload": {"handler": "reportHandler", "param": "all"},
        "catch_up": "skip",
        "overlap": "skip",
        "timeout": "2m",
        "retry": {"max_attempts": 3, "backoff": {"initial": "1s", "factor": 1, "max": "1s"}},
    }


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"schedule_type": "NONE", "schedule_conf": ""}, {"schedule": "@manual"}),
        ({"schedule_type": "FIX_RATE", "schedule_conf": "90"}, {"schedule": "@every 90s"}),
        ({"schedule_type": "FIX_DELAY", "schedule_conf": "90"}, {"schedule": "@after 90s"}),
        ({"trigger_status": "0"}, {"paused": True}),
        ({"misfire_strategy": "FIRE_ONCE_NOW"}, {"catch_up": "latest"}),
        ({"executor_block_strategy": "SERIAL_EXECUTION"}, {"overlap": "queue_all"}),
        ({"executor_block_strategy": "COVER_EARLY"}, {"overlap": "replace"}),
        ({"executor_timeout": "0"}, {"timeout": "14m"}),
        ({"executor_timeout": "3600"}, {"timeout": "1h"}),
        (
            {"schedule_conf": "0 0 12 ? * 2 2027-2028"},
            {"schedule": "0 12 * * MON", "start_at": "2027-01-01T00:00:00Z", "end_at": "2028-12-31T23:59:59Z"},
        ),
        ({"job_desc": "测试", "executor_handler": "h"}, {"name": "h", "description": "测试"}),
        ({"job_desc": "测试", "executor_handler": ""}, {"name": "job-1"}),
    ],
    ids=str,
)
def test_each_column_has_its_field(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    found = document(**fields)
    assert {name: found[name] for name in expected} == expected


def test_a_fixed_rate_keeps_its_seconds() -> None:
    found = document(schedule_type="FIX_RATE", schedule_conf="90", trigger_next_time="1795167017123")
    again = document(schedule_type="FIX_RATE", schedule_conf="90", trigger_next_time="1795167107123")
    assert found == again
    from datetime import UTC, datetime  # noqa: PLC0415

    [first] = instants(found, datetime.fromtimestamp(1795167016, UTC), 1)
    assert first.timestamp() == 1795167017


def test_children_run_after_their_parents() -> None:
    first, second, child = (
        row(child_jobid="3"),
        row(id="2", job_desc="two", child_jobid="3, 9"),
        row(id="3", job_desc="c"),
    )
    done = rows(first, second, child)
    assert done.kept[2].document["depends_on"] == [{"job": "nightly-report"}, {"job": "two"}]
    assert done.kept[2].document["join"] == "any"
    assert "child_jobid" in lost(done.kept[1])


def test_a_stopped_child_still_runs_after_its_parent() -> None:
    child = rows(row(child_jobid="2"), row(id="2", job_desc="c", trigger_status="0")).kept[1]
    assert "paused" not in child.document
    assert "schedule" not in child.document
    assert "trigger_status" in changed(child)


@pytest.mark.parametrize("strategy", ["CONSISTENT_HASH", "SHARDING_BROADCAST"])
def test_routes_without_a_counterpart_are_told(strategy: str) -> None:
    assert lost(only(rows(row(executor_route_strategy=strategy)))) == {f"executor_route_strategy: {strategy}"}


def test_a_glue_source_is_not_imported() -> None:
    draft = only(rows(row(glue_type="GLUE_SHELL", glue_source="#!/bin/sh\necho hi")))
    assert lost(draft) == {"glue_type: GLUE_…"}
    assert "echo" not in str(draft.document)


def test_the_time_zone_is_that_of_the_option_and_clock_changes_are_told() -> None:
    paris, tokyo = (only(rows(row(), timezone=zone)) for zone in ("Europe/Paris", "Asia/Tokyo"))
    assert paris.document["timezone"] == "Europe/Paris"
    assert "schedule_type: CRON" in changed(paris)
    assert "schedule_type: CRON" not in changed(tokyo)


def test_what_is_unknown_is_told() -> None:
    draft = only(
        rows(row(executor_route_strategy="NEWEST", misfire_strategy="LATER", glue_type="GLUE_COBOL", extra="1"))
    )
    assert lost(draft) == {"executor_route_strategy", "misfire_strategy", "glue_type", "extra"}
    assert "no type of schedule" in refused(rows(row(schedule_type="SUN")))
    assert "days before the last" in refused(rows(row(schedule_conf="0 0 0 L-3 * ?")))
    assert "no number of seconds" in refused(rows(row(schedule_type="FIX_RATE", schedule_conf="soon")))


def test_a_dump_names_groups_and_quotes_texts() -> None:
    values = "(1,2,'It''s \\'late\\'\\n','2026-01-01','2026-01-01','ada',NULL,'CRON','0 0 1 * * ? *','DO_NOTHING','FIRST','h','a,(b)','DISCARD_LATER',0,0,'BEAN','','','2026-01-01','',1,0,0)"
    statements = (
        "INSERT INTO `xxl_job_group`(`id`, `app_name`, `title`) VALUES (2, 'reports', 'Reports');",
        " ".join(("INSERT INTO `xxl_job_info`(", COLUMNS, ") VALUES", values, ";")),
        "INSERT INTO `xxl_job_user` VALUES (1,'admin','secret');",
    )
    draft = only(from_text("xxl-job", ".sql", "\n".join(statements)))
    assert draft.document["labels"]["xxl-job/group"] == "reports"
    assert draft.document["description"] == "It's 'late'\n"
    assert draft.document["payload"]["param"] == "a,(b)"
    assert draft.place == "export:2"


def test_csv_and_json_rows_are_read_too() -> None:
    one = row()
    csv = ",".join(one) + "\n" + ",".join(one.values()) + "\n"
    tsv = "\t".join(one) + "\n" + "\t".join("\\N" if value == "" else value for value in one.values()) + "\n"
    import json  # noqa: PLC0415

    documents = [
        only(from_text("xxl-job", ".csv", csv)).document,
        only(from_text("xxl-job", ".csv", tsv)).document,
        only(from_json("xxl-job", json.dumps([one]))).document,
    ]
    assert documents == [document()] * 3
