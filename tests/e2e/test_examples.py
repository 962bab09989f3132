"""The worked examples as `make example` shows them, on the deployed stack, and the tests that they have of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest
from examples.stage import FOLDER, SHOWN, Stage, load
from localstack.postgres import PostgresAbsentError, postgres
from psycopg.rows import TupleRow

from tests.e2e.conftest import Stack
from tests.support.needs import not_run

pytestmark = pytest.mark.services


@pytest.fixture
def database() -> Iterator[str]:
    """The URL of a PostgreSQL of the test's own."""
    try:
        with postgres() as url:
            yield url
    except PostgresAbsentError:
        not_run("PostgreSQL (Debian: apt-get install postgresql)")


def stage(stack: Stack, name: str, database: str = "") -> Stage:
    return Stage(stack=stack.record, folder=FOLDER / name, database=database)


def column(database: str, query: str) -> list[object]:
    with psycopg.connect(database) as connection:
        rows: list[TupleRow] = connection.execute(query.encode()).fetchall()
        return [row[0] for row in rows]


@pytest.mark.parametrize("name", ["user-service", "pending-rows"])
def test_the_tests_of_an_example_pass(name: str, database: str) -> None:
    folder = FOLDER / name
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=folder,
        env=os.environ | {"DATABASE_URL": database, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_jobs_of_the_user_service_are_run_by_its_own_web_server(
    stack: Stack, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    load("user-service").play(stage(stack, "user-service", database))
    assert column(database, "SELECT count(*) FROM users WHERE disabled_at IS NULL") == [180]
    assert column(database, "SELECT count(*) FROM secrets WHERE revoked_at IS NOT NULL") == [100]
    assert column(database, "SELECT count(*) FROM audit WHERE action = 'disabled'") == [185]
    printed = capsys.readouterr().out
    assert printed.count("succeeded  demo/") == 3
    assert '"deleted": ' in printed
    assert [job["name"] for job in stack.client.list_jobs("demo")] == []


def test_pending_orders_are_shipped_once_although_their_web_server_is_killed(
    stack: Stack, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    load("pending-rows").play(stage(stack, "pending-rows", database))
    assert sorted(column(database, "SELECT order_id FROM shipments")) == list(range(1, 201))
    assert column(database, "SELECT max(tries) FROM orders") == [2]
    printed = capsys.readouterr().out
    assert "timed_out" in printed


def test_a_service_that_answers_later_reports_its_progress_and_stops_when_its_run_is_cancelled(
    stack: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    load("answers-later").play(stage(stack, "answers-later"))
    printed = capsys.readouterr().out
    assert '{"files":5}' in printed
    assert re.search("state +cancelled\n", printed)
    assert printed.count("stopped after") == 1


def test_handlers_behind_a_web_service_hand_on_their_results_and_refuse_a_wrong_payload(
    stack: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    load("python-handlers").play(stage(stack, "python-handlers"))
    printed = capsys.readouterr().out
    assert '{"rows":1190}' in printed
    assert 'InvalidPayload: argument day is "soon"; write a date such as "2026-11-20"' in printed


def test_a_child_of_the_chain_runs_once_both_parents_have_succeeded(
    stack: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    load("chain").play(stage(stack, "chain"))
    printed = capsys.readouterr().out
    assert re.search("parents +demo/extract .+, demo/stock ", printed)


def test_every_example_can_be_shown_and_has_a_readme_that_says_how() -> None:
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir() and not path.name.startswith("_")}
    # Every local stack has the jobs of demo; the workflow of ci and the files of agent are for elsewhere.
    assert set(SHOWN) == folders - {"demo", "ci", "agent"}
    missing = [name for name in SHOWN if f"$ make example NAME={name}" not in readme(name)]
    assert not missing


def readme(name: str) -> str:
    return (FOLDER / name / "README.md").read_text(encoding="utf-8")


def test_the_jobs_of_the_pipeline_go_from_a_function_over_a_queue_to_a_state_machine(
    stack: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    load("aws-pipeline").play(stage(stack, "aws-pipeline"))
    printed = capsys.readouterr().out
    assert re.search(r'"published": ?"\d{4}-\d\d-\d\d", ?"rows": ?1200', printed)
    assert re.search("error +NoRows: .+: the day has no orders\n", printed)
    collected = [
        json.loads(json.loads(line)["parents"][0]["result"]["body"])
        for line in printed.splitlines()
        if '"parents"' in line
    ]
    assert sorted(each["rows"] for each in collected) == [0, 1200]


def test_a_stack_declares_its_job_and_a_wrong_schedule_is_rolled_back(
    stack: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    load("job-in-sam").play(stage(stack, "job-in-sam"))
    printed = capsys.readouterr().out
    assert re.search(r"succeeded +shop/nightly-report", printed)
    assert "schedule: hour" in printed
    after = printed.partition("UPDATE_ROLLBACK_COMPLETE")[2]
    assert "0 5 * * *" in after, "the update before stays"
    assert [job["name"] for job in stack.client.list_jobs("shop")] == []
