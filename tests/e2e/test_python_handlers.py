"""A package's handlers behind a web service, saved by `sync` and run by the deployed stack."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from minutehand.client import wait_for_run
from tests.e2e.conftest import Stack, eventually, root

pytestmark = pytest.mark.services

FOLDER = root() / "examples" / "python-handlers"
PROGRAM = Path(sys.executable).with_name("minutehand")
SECRET = "the service's own"


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """The address of the example's service, in a process of its own."""
    command = [sys.executable, "service.py", "--port", "0"]
    environment = os.environ | {"REPORTS_SECRET": SECRET}
    with subprocess.Popen(command, cwd=FOLDER, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().removeprefix("listening at ").strip()
        process.terminate()


def sync(stack: Stack, namespace: str, url: str, *options: str) -> dict[str, str]:
    """Sync the example's jobs; the result of each."""
    environment = os.environ | {"MINUTEHAND_URL": stack.record.url, "MINUTEHAND_TOKEN": stack.record.token}
    words = [
        "sync",
        "reports",
        "-n",
        namespace,
        "--target",
        url,
        "--header",
        f"Authorization: Bearer {SECRET}",
        *options,
    ]
    command = [str(PROGRAM), *words, "-o", "json"]
    done = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {item["job"]: item["result"] for item in json.loads(done.stdout)["items"]}


def ended(stack: Stack, job: str, payload: Any) -> Any:
    """A run of a job, once it has ended."""
    return wait_for_run(stack.client, stack.client.trigger(job, payload=payload), timeout=60)


def test_the_jobs_of_a_package_are_synced_and_run_by_its_own_service(
    stack: Stack, namespace: str, service: str
) -> None:
    extract, nightly = f"{namespace}/reports.extract", f"{namespace}/reports.nightly"
    assert sync(stack, namespace, service) == {extract: "created", nightly: "created"}
    assert sync(stack, namespace, service) == {extract: "unchanged", nightly: "unchanged"}
    run = ended(stack, extract, {"day": "2026-11-20"})
    assert (run["state"], run["result"]["type"]) == ("succeeded", "callback")
    assert json.loads(run["result"]["body"]) == {"day": "2026-11-20", "rows": 200}
    child = eventually(
        lambda: next((each for each in stack.runs(nightly) if each["state"] == "succeeded"), None),
        seconds=60,
        what="the child of the extract succeeds",
    )
    assert json.loads(stack.client.run(nightly, child["run_id"])["result"]["body"]) == {"rows": 1190}


def test_a_wrong_payload_and_a_failure_are_in_the_run_s_record(stack: Stack, namespace: str, service: str) -> None:
    sync(stack, namespace, service)
    run = ended(stack, f"{namespace}/reports.nightly", {"days": "7"})
    assert (run["state"], run["error"]["type"]) == ("failed", "InvalidPayload")
    assert run["error"]["message"] == 'argument days is "7"; write a whole number'
    run = ended(stack, f"{namespace}/reports.nightly", {"days": 0, "seconds": 1})
    assert run["state"] == "succeeded"


def test_a_handler_stops_when_its_run_is_cancelled(stack: Stack, namespace: str, service: str) -> None:
    sync(stack, namespace, service)
    job = f"{namespace}/reports.nightly"
    run_id = stack.client.trigger(job, payload={"days": 200, "seconds": 200})["run_id"]
    eventually(lambda: stack.client.run(job, run_id)["progress"], seconds=60, what="the handler reports progress")
    stack.client.cancel(job, run_id)
    eventually(
        lambda: stack.client.run(job, run_id)["state"] == "cancelled",
        seconds=60,
        what="the handler hears of the cancel",
    )


def test_a_service_that_does_not_know_its_caller_runs_nothing(stack: Stack, namespace: str, service: str) -> None:
    sync(stack, namespace, service)
    job = stack.client.get_job(f"{namespace}/reports.extract")
    document: dict[str, Any] = {**job, "target": {**job["target"], "headers": {}}, "retry": {}}
    stack.client.apply_job(document)
    run = ended(stack, f"{namespace}/reports.extract", {"day": "2026-11-20"})
    assert (run["state"], run["result"]["status"]) == ("failed", 401)
