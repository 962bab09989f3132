"""Background programs."""

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
    """A background program for one test."""

    def __init__(self, folder: Path) -> None:
        self.pid_file = folder / "program.pid"
        self.log_file = folder / "program.log"

    def start(self, code: str) -> int:
        """Start it and wait for its first line: before that it may not handle signals as its code says."""
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


def test_a_started_program_runs_until_it_is_stopped(program: Program) -> None:
    pid = program.start(WAITS)
    assert processes.running(program.pid_file) == pid
    assert processes.stop(program.pid_file, timeout=30)
    assert processes.running(program.pid_file) is None
    assert not program.pid_file.exists()


def test_stopping_a_program_that_does_not_run_returns_false(program: Program) -> None:
    assert not processes.stop(program.pid_file, timeout=1)


def test_a_program_has_its_own_session_so_that_ctrl_c_does_not_reach_it(program: Program) -> None:
    pid = program.start(WAITS)
    assert os.getsid(pid) == pid != os.getsid(0)


def test_a_program_that_exited_is_not_running(program: Program) -> None:
    pid = program.start("print('up')")
    while processes.running(program.pid_file):
        pass
    assert processes.running(program.pid_file) is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_reused_pid_is_not_taken_for_our_program(program: Program) -> None:
    program.start(WAITS)
    kept = program.pid_file.read_text()
    stored = json.loads(kept)
    program.pid_file.write_text(json.dumps(stored | {"started": "another time"}))
    assert processes.running(program.pid_file) is None
    assert not processes.stop(program.pid_file, timeout=1)
    os.kill(stored["pid"], 0)
    program.pid_file.write_text(kept)


@pytest.mark.parametrize("written", ["", "4711", "{}", '{"pid": null, "started": ""}', '{"pid": "x", "started": "y"}'])
def test_an_unreadable_pid_file_names_no_program(program: Program, written: str) -> None:
    program.pid_file.write_text(written)
    assert processes.running(program.pid_file) is None


def test_a_program_that_ignores_sigterm_is_not_killed_and_the_message_says_how_to(program: Program) -> None:
    pid = program.start(STUBBORN)
    with pytest.raises(LocalStackError, match=f"Process {pid} (?s:.)* 'kill -9 {pid}' stops it and loses its data"):
        processes.stop(program.pid_file, timeout=0)
    assert processes.running(program.pid_file) == pid


def test_a_program_has_only_the_given_environment(program: Program) -> None:
    program.start("import os; print(sorted(set(os.environ) - {'LC_CTYPE'}), 'up')")
    assert processes.tail(program.log_file) == "['PATH'] up"


def test_tail_returns_the_last_lines_and_nothing_for_a_missing_log(program: Program) -> None:
    assert processes.tail(program.log_file) == ""
    program.log_file.write_bytes(b"\xff\n" + b"\n".join(b"line %d" % n for n in range(100)))
    assert processes.tail(program.log_file, lines=2) == "line 98\nline 99"
