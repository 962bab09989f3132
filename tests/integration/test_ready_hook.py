"""The hook that an emulator's container runs when it is ready, run against MiniStack outside a container."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from localstack import processes
from localstack.ministack import PROGRAM, MiniStack
from localstack.place import CHECKOUT, Place
from localstack.ports import next_free

from minutehand.client import Client

HOOK = CHECKOUT / "localstack" / "compose" / "ready.d" / "minutehand.sh"

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MiniStack]:
    place = Place(state=tmp_path_factory.mktemp("hook"))
    emulator = MiniStack(place=place, port=next_free(4700))
    try:
        emulator.start()
        yield emulator
    finally:
        processes.stop(place.pid_file(PROGRAM), patience=60)


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


def _said(output: str, word: str) -> str:
    return next(line.split()[1] for line in output.splitlines() if line.startswith(word))


def test_the_hook_deploys_and_seeds_and_doing_it_again_changes_nothing(emulator: MiniStack) -> None:
    first = _run(emulator)
    assert first.returncode == 0, first.stderr
    url = _said(first.stdout, "API")
    assert url.startswith(f"http://localhost:{emulator.port}/_aws/execute-api/")
    with Client(url, _said(first.stdout, "token")) as client:
        before = {job["name"]: job["status"]["revision"] for job in client.list_jobs("demo")}
        assert set(before) == {"broken", "heartbeat", "new-york-minute"}

        again = _run(emulator)
        assert again.returncode == 0, again.stderr
        assert _said(again.stdout, "API") == url
        assert _said(again.stdout, "token") == _said(first.stdout, "token")
        assert {job["name"]: job["status"]["revision"] for job in client.list_jobs("demo")} == before


def test_without_a_bundle_the_hook_says_how_to_make_one(emulator: MiniStack, tmp_path: Path) -> None:
    failed = _run(emulator, MINUTEHAND_FUNCTIONS=str(tmp_path))
    assert failed.returncode == 1
    assert "holds no functions; make them first: python -m localstack bundle" in failed.stderr


def test_without_an_emulator_the_hook_says_where_it_looked(emulator: MiniStack) -> None:
    port = next_free(20000)
    failed = _run(emulator, MINUTEHAND_ENDPOINT_URL=f"http://127.0.0.1:{port}")
    assert failed.returncode == 1
    assert failed.stderr == f"error: No emulator answers at http://127.0.0.1:{port}\n"
