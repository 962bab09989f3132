"""Files of a local stack."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from localstack.workspace import StackInfo, Workspace

INFO = StackInfo(
    url="http://127.0.0.1:4566/_aws/execute-api/abc/prod",
    token="secret",
    endpoint_url="http://127.0.0.1:4566",
    region="us-east-1",
    stack="minutehand",
    jobs_table="Jobs",
    runs_table="Runs",
    port=4566,
    echo_port=4600,
    echo_url="http://127.0.0.1:4600",
    demo="",
    outputs={"TickFunction": "tick"},
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(state=tmp_path)


def test_the_saved_info_is_loaded_unchanged(workspace: Workspace) -> None:
    INFO.save(workspace.info_file)
    assert StackInfo.load(workspace.info_file) == INFO


def test_only_its_owner_may_read_the_info_file_since_it_holds_a_token(workspace: Workspace) -> None:
    workspace.info_file.touch(mode=0o644)
    INFO.save(workspace.info_file)
    assert workspace.info_file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("written", ["", "{", "[]", "null", '{"url": "http://127.0.0.1:4566"}'])
def test_an_unreadable_or_incomplete_info_file_counts_as_missing(workspace: Workspace, written: str) -> None:
    workspace.info_file.write_text(written)
    assert StackInfo.load(workspace.info_file) is None


def test_before_the_first_start_there_is_no_info(workspace: Workspace) -> None:
    assert StackInfo.load(workspace.info_file) is None


def test_unknown_fields_of_a_newer_version_are_ignored(workspace: Workspace) -> None:
    INFO.save(workspace.info_file)
    workspace.info_file.write_text(json.dumps(json.loads(workspace.info_file.read_text()) | {"new": 1}))
    assert StackInfo.load(workspace.info_file) == INFO


def test_the_digest_of_the_demo_jobs_changes_and_nothing_else() -> None:
    assert INFO.with_demo("d1") != INFO
    assert INFO.with_demo("d1").with_demo("") == INFO


def test_two_workspaces_share_no_file(tmp_path: Path) -> None:
    one, two = (Workspace(state=tmp_path / name) for name in ("one", "two"))
    files = [(p.info_file, p.pid_file("echo"), p.log_file("echo")) for p in (one, two)]
    assert not set(files[0]) & set(files[1])
    assert len(set(files[0])) == 3
