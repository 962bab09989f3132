"""The command line, over a stack that starts at once."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from localstack.workspace import CHECKOUT

from minutehand.cli.main import app
from tests.unit.localstack.test_workspace import INFO

PROGRAM = """
import sys
from dataclasses import replace
from pathlib import Path
from localstack import __main__ as command
from localstack.workspace import Workspace
from tests.unit.localstack.test_workspace import INFO

folder = Path(sys.argv.pop(1))

def up(workspace, report, *, port):
    for n in range(3000):
        report(f"step {n}")
    (folder / "up").write_text(str(port))
    return INFO

def follow(info, *, write, **_):
    while True:
        write("line")

command.up, command.follow = up, follow
command.Workspace = lambda: Workspace(state=folder)
command._info = lambda workspace: INFO
sys.exit(command.main())
"""


def _run(folder: Path, *arguments: str, **given: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), *arguments],
        cwd=CHECKOUT,
        stdout=given.get("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def _run_into_closed_pipe(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return _run(folder, *arguments, stdout=writing)
    finally:
        os.close(writing)


@pytest.mark.parametrize("port", ["99999", ""])
@pytest.mark.thorough
def test_an_invalid_port_is_refused_in_one_line_and_nothing_is_started(tmp_path: Path, port: str) -> None:
    done = _run(tmp_path, "up", "--port", port)
    assert done.returncode != 0
    assert done.stderr.startswith("error: PORT must be a number from 1 to 65535")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "up").exists()


@pytest.mark.thorough
def test_a_valid_port_is_used(tmp_path: Path) -> None:
    assert _run(tmp_path, "up", "--port", "4570").returncode == 0
    assert (tmp_path / "up").read_text() == "4570"


@pytest.mark.thorough
def test_the_stack_starts_although_its_output_is_closed(tmp_path: Path) -> None:
    done = _run_into_closed_pipe(tmp_path, "up")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "up").exists()


@pytest.mark.thorough
def test_logs_end_when_their_output_is_closed(tmp_path: Path) -> None:
    done = _run_into_closed_pipe(tmp_path, "logs")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.thorough
def test_make_up_prints_the_url_the_token_and_three_commands_to_try(tmp_path: Path) -> None:
    printed = _run(tmp_path, "up").stdout
    for name, value in {"API": INFO.url, "token": INFO.token, "echo": INFO.echo_url}.items():
        assert f"\n{name:<6} {value}\n" in printed
    commands = printed.partition("Try:\n")[2].splitlines()
    assert len(commands) == 3
    for command in commands:
        program, name, *arguments = shlex.split(command)
        assert program == ".venv/bin/minutehand"
        known = app.get_command(click.Context(app), name)
        assert known, name
        known.make_context(name, arguments)  # fails for an option or argument that the command does not have
