"""The command line against the deployed stack, as a user types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from localstack.echo import EchoServer

from tests.e2e.conftest import Stack

pytestmark = pytest.mark.services

PROGRAM = Path(sys.executable).with_name("minutehand")


def _minutehand(stack: Stack, *words: str, stdin: str = "", code: int = 0) -> str:
    environment = os.environ | {"MINUTEHAND_URL": stack.record.url, "MINUTEHAND_TOKEN": stack.record.token}
    done = subprocess.run(
        [str(PROGRAM), *words], input=stdin, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stdout + done.stderr


def test_a_job_is_applied_looked_at_run_paused_and_deleted(
    stack: Stack, target: EchoServer, namespace: str, tmp_path: Path
) -> None:
    file = tmp_path / "jobs.yaml"
    file.write_text(
        f"namespace: {namespace}\nname: hello\nschedule: 0 9 * * mon-fri\ntimezone: Europe/Paris\n"
        f"target: {{type: http, method: POST, url: '{target.url}/hello'}}\n"
    )
    job = f"{namespace}/hello"
    assert "created" in _minutehand(stack, "apply", "-f", str(file))
    assert "unchanged" in _minutehand(stack, "apply", "-f", str(file))
    shown = json.loads(_minutehand(stack, "show", job, "--output", "json"))
    assert shown["status"]["next_run_at"]
    first = json.loads(_minutehand(stack, "next", "--job", job, "--output", "json"))["items"][0]["at"]
    assert first == shown["status"]["next_run_at"]
    run = json.loads(_minutehand(stack, "trigger", job, "--wait", "--output", "json"))
    assert run["state"] == "succeeded"
    assert run["run_id"] in _minutehand(stack, "runs", "hello", "-n", namespace)
    _minutehand(stack, "pause", job)
    assert "paused" in _minutehand(stack, "show", job)
    _minutehand(stack, "resume", job)
    _minutehand(stack, "delete", job, "--yes")
    _minutehand(stack, "show", job, code=3)
    assert json.loads(_minutehand(stack, "list", "-n", namespace, "--output", "json"))["items"] == []


def test_a_folder_with_one_bad_job_saves_none_of_it(stack: Stack, namespace: str, tmp_path: Path) -> None:
    good = "{type: http, method: GET, url: 'https://example.com/'}"
    (tmp_path / "a.yaml").write_text(f"namespace: {namespace}\nname: a\nschedule: '@daily'\ntarget: {good}\n")
    (tmp_path / "b.yaml").write_text(f"namespace: {namespace}\nname: b\nschedule: '0 25 * * *'\ntarget: {good}\n")
    said = _minutehand(stack, "apply", "-f", str(tmp_path), code=2)
    assert "b.yaml" in said
    assert "25" in said
    assert json.loads(_minutehand(stack, "list", "-n", namespace, "--output", "json"))["items"] == []
