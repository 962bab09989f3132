"""A package's handlers in a Lambda function of the team's own, saved by `sync` and invoked by the deployed stack."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from localstack.clients import Clients

from minutehand.client import wait_for_run
from tests.e2e.conftest import Stack, eventually, root

pytestmark = pytest.mark.services

APP = """
import minutehand
from minutehand import App, Context, job, lambda_handler

app = App(__name__, retry={"max_attempts": 1})


@app.init
def connect() -> dict[str, int]:
    return {"rows_of_a_day": 3}


@job("sum", timeout="1h", schedule="@manual")
def sum_up(context: Context, days: int = 1) -> dict[str, object]:
    context.progress(50, "half of it")
    return {"rows": days * context.state["rows_of_a_day"], "attempt": context.attempt, "code": minutehand.__file__}


@job("tell", depends_on=[sum_up])
def tell(context: Context) -> str:
    return f"{context.parents[0].job} has {context.parents[0].result['rows']} rows"


@job("broken", schedule="@manual")
def broken() -> None:
    raise ValueError("as asked")


handler = lambda_handler(app)
"""
PROGRAM = Path(sys.executable).with_name("minutehand")
PARTS = ("__init__.py", "client", "handlers")
"""What a team's function needs of Minutehand."""


class Jobs(NamedTuple):
    """The function's jobs, by the namespace that they are in."""

    stack: Stack
    namespace: str

    def run(self, name: str, payload: Any = None) -> Any:
        """The run of a job, once it has ended."""
        triggered = self.stack.client.trigger(f"{self.namespace}/{name}", payload=payload)
        return wait_for_run(self.stack.client, triggered, timeout=60)


@pytest.fixture
def jobs(stack: Stack, namespace: str, tmp_path: Path) -> Iterator[Jobs]:
    """The jobs of the app, whose handlers run in a function."""
    (tmp_path / "teamjobs.py").write_text(APP, encoding="utf-8")
    clients = Clients(stack.record.endpoint_url)
    trust = {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}]}
    role = clients.iam.create_role(RoleName=namespace, AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    function = clients.functions.create_function(
        FunctionName=f"job-{namespace}",
        Runtime="python3.13",
        Role=role,
        Handler="teamjobs.handler",
        Code={"ZipFile": archive(tmp_path / "teamjobs.py")},
        Timeout=30,
    )
    settings = {"MINUTEHAND_URL": stack.record.url, "MINUTEHAND_TOKEN": stack.record.token}
    command = [str(PROGRAM), "sync", "teamjobs", "-n", namespace, "--target", function["FunctionArn"]]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    yield Jobs(stack, namespace)
    clients.functions.delete_function(FunctionName=function["FunctionName"])


def archive(app: Path) -> bytes:
    """The function's code: the app, and what it needs of Minutehand."""
    package = root() / "functions" / "minutehand"
    files = [file for part in PARTS for file in sorted([package / part, *(package / part).rglob("*.py")])]
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as written:
        written.write(app, app.name)
        for file in files:
            if file.suffix == ".py":
                written.write(file, file.relative_to(package.parent))
    return data.getvalue()


def test_a_handler_runs_in_the_function_and_its_result_starts_the_next_one(jobs: Jobs) -> None:
    run = jobs.run("sum", {"days": 7})
    assert (run["state"], run["result"]["type"]) == ("succeeded", "callback")
    result = json.loads(run["result"]["body"])
    assert (result["rows"], result["attempt"]) == (21, 1)
    assert str(root()) not in result["code"]  # its own copy, of the archive
    assert run["progress"] == {"percent": 50, "text": "half of it"}
    child = eventually(
        lambda: next((each for each in jobs.stack.runs(f"{jobs.namespace}/tell") if each["finished_at"]), None),
        seconds=60,
        what="the child ends",
    )
    whole: Any = jobs.stack.client.run(f"{jobs.namespace}/tell", child["run_id"])
    assert json.loads(whole["result"]["body"]) == f"{jobs.namespace}/sum has 21 rows"


def test_a_handler_that_raises_fails_its_run_with_type_message_and_trace(jobs: Jobs) -> None:
    run = jobs.run("broken")
    assert run["state"] == "failed"
    assert (run["error"]["type"], run["error"]["message"]) == ("ValueError", "as asked")
    assert 'raise ValueError("as asked")' in run["error"]["stack"]
    assert "minutehand/handlers" not in run["error"]["stack"]


def test_a_payload_that_does_not_fit_fails_the_run_and_says_what_would(jobs: Jobs) -> None:
    run = jobs.run("sum", {"days": "seven"})
    assert (run["state"], run["error"]["type"]) == ("failed", "InvalidPayload")
    assert run["error"]["message"] == 'argument days is "seven"; write a whole number'
