"""The demo jobs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from localstack import demo
from localstack.workspace import CHECKOUT

from minutehand.domain.job_key import JobKey
from minutehand.entrypoints.api.forms.accept import Terms, accept
from minutehand.targets.terms import TargetTerms

ECHO = "http://127.0.0.1:4600"


class Saved:
    """The part of the client that the demo needs."""

    def __init__(self) -> None:
        self.jobs: list[dict[str, Any]] = []

    def apply_job(self, job: dict[str, Any]) -> None:
        self.jobs.append(job)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b.yaml").write_text("{namespace: demo, name: b, target: {url: '${ECHO_URL}/b'}}")
    (tmp_path / "a.yaml").write_text("{namespace: demo, name: a, target: {url: '${ECHO_URL}/a'}}")
    (tmp_path / "notes.txt").write_text("no job")
    return tmp_path


def test_every_job_is_saved_and_calls_the_echo_service(folder: Path) -> None:
    saved = Saved()
    assert demo.apply(folder, ECHO, saved) == ["demo/a", "demo/b"]
    assert [job["target"]["url"] for job in saved.jobs] == [f"{ECHO}/a", f"{ECHO}/b"]


def test_the_digest_is_the_same_while_no_job_changes(folder: Path) -> None:
    before = demo.digest(folder, ECHO)
    (folder / "notes.txt").write_text("still no job")
    assert demo.digest(folder, ECHO) == before


def test_the_digest_changes_with_a_job_or_the_address(folder: Path) -> None:
    before = demo.digest(folder, ECHO)
    assert demo.digest(folder, "http://127.0.0.1:4601") != before
    (folder / "a.yaml").write_text("{namespace: demo, name: a2, target: {url: '${ECHO_URL}/a'}}")
    assert demo.digest(folder, ECHO) != before


def test_the_api_accepts_the_demo_jobs_of_this_checkout() -> None:
    saved = Saved()
    names = demo.apply(CHECKOUT / "examples" / "demo", ECHO, saved)
    assert "demo/heartbeat" in names
    for job in saved.jobs:
        key = JobKey(namespace=job["namespace"], name=job["name"])
        assert accept(job, key, Terms(targets=TargetTerms(allow_loopback=True)), now=datetime.now(UTC)).key == key
