"""The ready hook of the emulators' containers, run against MiniStack without a container."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from localstack import processes
from localstack.ministack import PROGRAM, MiniStack
from localstack.ports import next_free
from localstack.workspace import CHECKOUT, Workspace

from minutehand.client import Client

HOOK = CHECKOUT / "localstack" / "compose" / "ready.d" / "minutehand.sh"

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MiniStack]:
    workspace = Workspace(state=tmp_path_factory.mktemp("hook"))
    emulator = MiniStack(workspace=workspace, port=next_free(4700))
    try:
        emulator.start()
        yield emulator
    finally:
        processes.stop(workspace.pid_file(PROGRAM), timeout=60)


def _run(emulator: MiniStack, **environment: str) -> subprocess.CompletedProcess[str]:
    given = {
        "PATH": os.defpath,
        "MINUTEHAND_HOME": str(CHECKOUT),
        "MINUTEHAND_FUNCTIONS": str(CHECKOUT / "functions"),
        "MINUTEHAND_ENDPOINT_URL": emulator.endpoint_url,
        "MINUTEHAND_PUBLIC_URL": f"http://localhost:{emulator.port}",
        "MINUTEHAND_ECHO_URL": "http://127.0.0.1:9",
        "MINUTEHAND_PYTHON": sys.executable,
    }
    return subprocess.run(["/bin/sh", str(HOOK)], env=given | environment, capture_output=True, text=True, check=False)


def _printed(output: str, word: str) -> str:
    return next(line.split()[1] for line in output.splitlines() if line.startswith(word))


def test_the_hook_deploys_and_saves_the_demo_jobs_and_a_second_run_changes_nothing(emulator: MiniStack) -> None:
    first = _run(emulator)
    assert first.returncode == 0, first.stderr
    url = _printed(first.stdout, "API")
    assert url.startswith(f"http://localhost:{emulator.port}/_aws/execute-api/")
    with Client(url, _printed(first.stdout, "token")) as client:
        before = {job["name"]: job["status"]["revision"] for job in client.list_jobs("demo")}
        assert set(before) == {"broken", "heartbeat", "new-york-minute"}

        again = _run(emulator)
        assert again.returncode == 0, again.stderr
        assert _printed(again.stdout, "API") == url
        assert _printed(again.stdout, "token") == _printed(first.stdout, "token")
        assert {job["name"]: job["status"]["revision"] for job in client.list_jobs("demo")} == before


def test_without_a_bundle_the_message_says_how_to_make_one(emulator: MiniStack, tmp_path: Path) -> None:
    failed = _run(emulator, MINUTEHAND_FUNCTIONS=str(tmp_path))
    assert failed.returncode == 1
    assert "holds no functions; make them first: python -m localstack bundle" in failed.stderr


def test_without_an_emulator_the_message_names_its_address(emulator: MiniStack) -> None:
    port = next_free(20000)
    failed = _run(emulator, MINUTEHAND_ENDPOINT_URL=f"http://127.0.0.1:{port}")
    assert failed.returncode == 1
    assert failed.stderr == f"error: No emulator answers at http://127.0.0.1:{port}\n"
