"""Starting the emulator again: what `make up` says about it."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from localstack import lifecycle, ministack, processes
from localstack.errors import LocalStackError
from localstack.ministack import PROGRAM, MiniStack
from localstack.ports import LOOPBACK
from localstack.workspace import Workspace


@pytest.fixture
def last() -> int:
    """A free port: that of the emulator's last run."""
    with socket.create_server((LOOPBACK, 0)) as server:
        port: int = server.getsockname()[1]
    return port


@pytest.fixture
def workspace(tmp_path: Path, last: int) -> Workspace:
    (tmp_path / "ministack.port").write_text(f"{last}\n")
    return Workspace(state=tmp_path)


@pytest.fixture(autouse=True)
def emulator(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """An emulator without a process: whether it runs and answers."""
    state = {"runs": False, "answers": False}
    monkeypatch.setattr(processes, "running", lambda _: 1 if state["runs"] else None)
    monkeypatch.setattr(processes, "stop", lambda *_, **__: state["runs"])
    monkeypatch.setattr(MiniStack, "start", lambda _: None)
    monkeypatch.setattr(MiniStack, "answers", lambda _: state["answers"])
    return state


def said(workspace: Workspace, port: int | None = None) -> list[str]:
    """What is reported, without the last line, which says where the emulator runs."""
    lines: list[str] = []
    lifecycle._start_emulator(workspace, port, lines.append)
    assert lines[-1].startswith(("MiniStack started at", "MiniStack runs at"))
    return lines[:-1]


def test_an_emulator_that_runs_or_was_stopped_needs_no_explanation(
    workspace: Workspace, emulator: dict[str, Any]
) -> None:
    assert said(workspace) == []
    emulator.update(runs=True, answers=True)
    assert said(workspace) == []


def test_a_first_start_needs_no_explanation(tmp_path: Path, last: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "FIRST_PORT", last)
    assert ministack.last_port(Workspace(state=tmp_path / "new")) is None
    assert said(Workspace(state=tmp_path / "new")) == []


def test_a_first_start_at_another_port_than_the_usual_one_is_explained(
    tmp_path: Path, last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "FIRST_PORT", last)
    with socket.create_server((LOOPBACK, last)):
        [line] = said(Workspace(state=tmp_path / "new"))
    assert line.startswith(f"another program uses port {last}: MiniStack takes ")


def test_an_emulator_that_ended_by_itself_is_said_to_have_ended(workspace: Workspace) -> None:
    workspace.pid_file(PROGRAM).touch()
    assert said(workspace) == [
        "MiniStack ended without 'make down': it is started again with the data that it last saved"
    ]


def test_an_emulator_that_does_not_answer_is_said_to_be_restarted(
    workspace: Workspace, emulator: dict[str, Any]
) -> None:
    emulator["runs"] = True
    assert said(workspace) == ["MiniStack ran but did not answer: it is restarted, the data stay"]


@pytest.mark.parametrize("runs", [True, False])
def test_another_port_is_explained_if_it_was_asked_for(
    workspace: Workspace, emulator: dict[str, Any], last: int, runs: bool
) -> None:
    emulator.update(runs=runs, answers=runs)
    with socket.create_server((LOOPBACK, 0)) as server:
        other = server.getsockname()[1]
    assert said(workspace, other) == [
        f"MiniStack moves from port {last} to {other}, as PORT asks: the API's address changes, the data stay"
    ]


def test_another_port_is_explained_if_a_program_took_the_last(workspace: Workspace, last: int) -> None:
    with socket.create_server((LOOPBACK, last)):
        [line] = said(workspace)
    assert line.startswith(f"MiniStack moves from port {last} to ")
    assert ", since another program uses the old one: the API's address changes" in line


def test_a_given_port_that_is_busy_is_an_error_before_anything_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(lifecycle, "check_imports", lambda *_: None)
    monkeypatch.setattr(lifecycle, "start_echo", lambda *_: started.append("echo"))
    with socket.create_server((LOOPBACK, 0)) as other:
        taken = other.getsockname()[1]
        with pytest.raises(LocalStackError, match=f"Another program uses port {taken}"):
            lifecycle.up(Workspace(state=tmp_path), started.append, port=taken)
    assert not started
