"""The port of the echo service: it stays the same, because jobs call it."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from localstack import echo_process, processes
from localstack.echo_process import PROGRAM, start_echo
from localstack.errors import LocalStackError
from localstack.ports import LOOPBACK, next_free
from localstack.workspace import StackInfo, Workspace

from tests.unit.localstack.test_workspace import INFO


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    workspace = Workspace(state=tmp_path)
    yield workspace
    processes.stop(workspace.pid_file(PROGRAM), timeout=30)


def _free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as server:
        port: int = server.getsockname()[1]
    return port


def _start(workspace: Workspace, before: StackInfo | None = None) -> tuple[int, list[str]]:
    """The port, and the reported lines."""
    lines: list[str] = []
    return start_echo(workspace, before, lines.append), lines


def test_the_last_port_is_used_again_even_if_a_lower_one_is_free_and_the_info_file_is_missing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(echo_process, "FIRST_PORT", _free_port())
    first, _ = _start(workspace)
    processes.stop(workspace.pid_file(PROGRAM), timeout=30)
    monkeypatch.setattr(echo_process, "FIRST_PORT", _free_port())
    second, lines = _start(workspace)
    assert second == first
    assert lines == [f"echo service started at http://127.0.0.1:{first}"]


def test_a_running_echo_service_keeps_its_port_if_the_info_file_names_another_service(workspace: Workspace) -> None:
    port, _ = _start(workspace)
    other = replace(INFO, echo_port=port + 1, echo_url="http://echo:4600")
    assert _start(workspace, other) == (port, [f"echo service runs at http://127.0.0.1:{port}"])


def test_the_port_of_the_info_file_is_used_if_there_is_no_port_file(workspace: Workspace) -> None:
    port = _free_port()
    assert _start(workspace, replace(INFO, echo_port=port, echo_url=f"http://127.0.0.1:{port}"))[0] == port


def test_if_the_last_port_is_in_use_a_note_names_the_old_and_the_new_address(workspace: Workspace) -> None:
    with socket.create_server((LOOPBACK, 0)) as other:
        taken = other.getsockname()[1]
        (workspace.state / "echo.port").write_text(f"{taken}\n")
        port, lines = _start(workspace)
    assert port != taken
    started, note = lines
    assert started == f"echo service started at http://127.0.0.1:{port}"
    assert note.startswith(f"note: another program now uses port {taken}")
    assert f"Your jobs that call http://127.0.0.1:{taken} no longer reach it" in note
    assert note.endswith(f"save them again with http://127.0.0.1:{port}")


def test_the_next_port_is_used_if_another_program_takes_the_free_one_first(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server((LOOPBACK, 0)) as other:
        taken = other.getsockname()[1]
        monkeypatch.setattr(echo_process, "FIRST_PORT", taken)
        found_free = iter([taken])
        monkeypatch.setattr(echo_process, "next_free", lambda start: next(found_free, None) or next_free(start))
        port, lines = _start(workspace)
    assert port > taken
    assert lines == [f"echo service started at http://127.0.0.1:{port}"]


def test_an_echo_service_that_cannot_listen_is_an_error_with_its_log(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = _free_port()
    monkeypatch.setattr(echo_process, "FIRST_PORT", port)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(LocalStackError, match=f"does not listen at http://127.0.0.1:{port}. The end of .*echo.log"):
        _start(workspace)
