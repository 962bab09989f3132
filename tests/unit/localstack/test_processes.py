"""Programs in the background."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from localstack import processes
from localstack.errors import LocalStackError

WAITS = "import sys, time; print('up', flush=True); time.sleep(600)"
STUBBORN = (
    "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
)


class Program:
    """A program of a test's own."""

    def __init__(self, folder: Path) -> None:
        self.pid_file = folder / "program.pid"
        self.log_file = folder / "program.log"

    def start(self, code: str) -> int:
        """Start it, and wait until it says that it is up: what it is told before then, it would not hear as meant."""
        pid = processes.start(
            [sys.executable, "-c", code], pid_file=self.pid_file, log_file=self.log_file, env={"PATH": os.defpath}
        )
        while "up" not in processes.tail(self.log_file) and processes.running(self.pid_file):
            pass
        return pid


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    program = Program(tmp_path)
    yield program
    pid = processes.running(program.pid_file)
    if pid is not None:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_a_program_that_was_started_runs_until_it_is_stopped(program: Program) -> None:
    pid = program.start(WAITS)
    assert processes.running(program.pid_file) == pid
    assert processes.stop(program.pid_file, patience=30)
    assert processes.running(program.pid_file) is None
    assert not program.pid_file.exists()


def test_stopping_what_does_not_run_does_nothing_and_says_so(program: Program) -> None:
    assert not processes.stop(program.pid_file, patience=1)


def test_a_program_is_in_a_session_of_its_own_so_that_ctrl_c_does_not_reach_it(program: Program) -> None:
    pid = program.start(WAITS)
    assert os.getsid(pid) == pid != os.getsid(0)


def test_a_program_that_ended_by_itself_is_not_running(program: Program) -> None:
    pid = program.start("print('up')")
    while processes.running(program.pid_file):
        pass
    assert processes.running(program.pid_file) is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_pid_used_again_by_a_stranger_is_not_taken_for_ours(program: Program) -> None:
    program.start(WAITS)
    kept = program.pid_file.read_text()
    stored = json.loads(kept)
    program.pid_file.write_text(json.dumps(stored | {"started": "another time"}))
    assert processes.running(program.pid_file) is None
    assert not processes.stop(program.pid_file, patience=1)
    os.kill(stored["pid"], 0)
    program.pid_file.write_text(kept)


@pytest.mark.parametrize("written", ["", "4711", "{}", '{"pid": null, "started": ""}', '{"pid": "x", "started": "y"}'])
def test_a_pid_file_that_cannot_be_read_names_no_program(program: Program, written: str) -> None:
    program.pid_file.write_text(written)
    assert processes.running(program.pid_file) is None


def test_a_program_that_does_not_end_is_not_killed_but_named_with_the_way_out(program: Program) -> None:
    pid = program.start(STUBBORN)
    with pytest.raises(LocalStackError, match=f"Process {pid} .* 'kill -9 {pid}' ends it and loses its data"):
        processes.stop(program.pid_file, patience=0)
    assert processes.running(program.pid_file) == pid


def test_a_program_has_the_environment_it_was_given_and_nothing_else(program: Program) -> None:
    program.start("import os; print(sorted(set(os.environ) - {'LC_CTYPE'}), 'up')")
    assert processes.tail(program.log_file) == "['PATH'] up"


def test_the_end_of_a_log_is_shown_and_a_missing_log_is_empty(program: Program) -> None:
    assert processes.tail(program.log_file) == ""
    program.log_file.write_bytes(b"\xff\n" + b"\n".join(b"line %d" % n for n in range(100)))
    assert processes.tail(program.log_file, lines=2) == "line 98\nline 99"
