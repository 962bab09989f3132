"""The command, with a stack that comes up at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from localstack.place import CHECKOUT

PROGRAM = """
import sys
from dataclasses import replace
from pathlib import Path
from localstack import __main__ as command
from localstack.place import Place
from tests.unit.localstack.test_place import RECORD

folder = Path(sys.argv.pop(1))

def bring_up(place, wish, say):
    for n in range(3000):
        say(f"step {n}")
    (folder / "up").write_text(str(wish.port))
    return RECORD

def follow(record, *, say, **_):
    while True:
        say("line")

command.bring_up, command.follow = bring_up, follow
command.Place = lambda: Place(state=folder)
command._record = lambda place: RECORD
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


def _nobody_reads(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return _run(folder, *arguments, stdout=writing)
    finally:
        os.close(writing)


@pytest.mark.parametrize("port", ["99999", ""])
def test_a_port_that_is_none_is_refused_in_a_line_and_nothing_is_started(tmp_path: Path, port: str) -> None:
    done = _run(tmp_path, "up", "--port", port)
    assert done.returncode != 0
    assert done.stderr.startswith("error: PORT must be a number from 1 to 65535")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "up").exists()


def test_a_port_that_is_one_is_taken(tmp_path: Path) -> None:
    assert _run(tmp_path, "up", "--port", "4570").returncode == 0
    assert (tmp_path / "up").read_text() == "4570"


def test_the_stack_comes_up_though_nobody_reads_the_progress_to_its_end(tmp_path: Path) -> None:
    done = _nobody_reads(tmp_path, "up")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "up").exists()


def test_the_logs_end_when_nobody_reads_them(tmp_path: Path) -> None:
    done = _nobody_reads(tmp_path, "logs")
    assert (done.returncode, done.stderr) == (0, "")
