"""Commands that are ended: by their time limit, a cancel, a lease or the agent; and what they leave behind."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from minutehand.agent import session
from minutehand.agent.attendance import Patience
from minutehand.agent.command import Command, boot_seconds
from minutehand.agent.ending import Outcome
from minutehand.agent.not_launched import NotLaunched
from minutehand.agent.stopping import Stop, StopRequest
from tests.unit.agent.conftest import command_of, error_of, no_threads, outcome_of, result_of

pytestmark = pytest.mark.slow

PATIENT = Patience(term=60, kill=60, look=0.02, lease=60, limit=60)
IGNORES_TERM = "trap '' TERM; echo begun > begun; while :; do sleep 0.05; done"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Path]:
    """A folder for a test; whoever has written its id into a file `pid…` there is ended afterwards."""
    yield tmp_path
    for file in tmp_path.glob("pid*"):
        try:
            os.kill(int(file.read_text()), signal.SIGKILL)
        except (ProcessLookupError, ValueError):
            continue


class Later:
    """A command that runs in a thread."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.outcome: Outcome | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.outcome = self.command.run()

    def ended(self) -> Outcome:
        self._thread.join(60)
        assert self.outcome is not None
        return self.outcome


def begun(file: Path) -> str:
    """What a process has written into a file; waits for it."""
    for _ in range(6000):
        if file.exists() and (text := file.read_text()):
            return text.strip()
        threading.Event().wait(0.01)
    raise AssertionError(f"{file} was not written")


def alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_command_beyond_its_time_is_ended_and_says_so_with_its_output() -> None:
    outcome = outcome_of("echo working; exec sleep 600", limit=boot_seconds() + 0.2, patience=PATIENT, timeout=90)
    limit = "the command was ended, so that this is reported within its timeout of 90 s"
    assert error_of(outcome) == f"TimedOut: {limit}; its last line: working"
    result = result_of(outcome)
    assert (result["output"], result["signal"]) == ("working\n", "SIGTERM")


def test_a_command_that_ends_well_at_term_has_timed_out_nevertheless() -> None:
    outcome = outcome_of("trap 'exit 0' TERM; while :; do sleep 0.05; done", limit=boot_seconds(), patience=PATIENT)
    assert error_of(outcome).startswith("TimedOut: ")
    assert result_of(outcome)["exit_code"] in (0, None)


def test_a_command_that_ignores_term_is_killed(here: Path) -> None:
    later = Later(command_of(IGNORES_TERM, directory=str(here)))
    begun(here / "begun")
    later.command.request.ask(Stop.AGENT)
    outcome = later.ended()
    assert error_of(outcome) == "AgentStopped: the agent was stopped, and ended the command"
    assert result_of(outcome)["signal"] == "SIGKILL"


def test_a_second_request_shortens_the_time_to_kill(here: Path) -> None:
    later = Later(command_of(IGNORES_TERM, directory=str(here), patience=PATIENT))
    begun(here / "begun")
    later.command.request.ask(Stop.AGENT)
    later.command.request.ask(Stop.AGENT, grace=0.05)
    assert result_of(later.ended())["signal"] == "SIGKILL"


def test_the_first_reason_counts(here: Path) -> None:
    later = Later(command_of(IGNORES_TERM, directory=str(here), limit=boot_seconds() + 600))
    begun(here / "begun")
    later.command.request.ask(Stop.UNWANTED)
    later.command.request.ask(Stop.AGENT)
    later.ended()
    assert later.command.request.why is Stop.UNWANTED


def test_a_request_before_the_start_ends_the_command_as_soon_as_it_runs() -> None:
    command = command_of("exec sleep 600", patience=PATIENT)
    command.request.ask(Stop.AGENT)
    assert error_of(command.run()).startswith("AgentStopped: ")


def test_a_stopped_command_is_ended_too() -> None:
    outcome = outcome_of("kill -STOP $$; sleep 600", limit=boot_seconds() + 0.2, patience=PATIENT)
    assert result_of(outcome)["signal"] == "SIGTERM"


def test_a_command_is_ended_before_its_lease_is_over_unless_heartbeats_move_that() -> None:
    ends = [boot_seconds() + 0.1, boot_seconds() + 0.2]
    asked: list[float] = []

    def lease_end() -> float:
        asked.append(boot_seconds())
        return ends[0] if len(asked) < 5 else ends[1]

    command = command_of("exec sleep 600", lease_end=lease_end, patience=PATIENT)
    command.run()
    assert command.request.why is Stop.LEASE


def test_children_in_groups_of_their_own_are_ended_with_the_command(here: Path) -> None:
    # timeout(1) and shells with job control give their children groups of their own, in the same session.
    text = "timeout 600 sh -c 'echo $$ > pid1; while :; do sleep 0.05; done' & set -m; sleep 600 & echo $! > pid2; wait"
    later = Later(command_of(text, shell="/bin/bash", directory=str(here), patience=PATIENT))
    children = begun(here / "pid1"), begun(here / "pid2")
    assert all(map(alive, children))
    later.command.request.ask(Stop.UNWANTED)
    later.ended()
    assert not any(map(alive, children))


def test_children_that_ignore_term_are_killed_although_their_leader_has_ended(here: Path) -> None:
    text = f"(echo $$ > leader; sh -c 'echo $$ > pid; {IGNORES_TERM.replace(chr(39), chr(34))}' >/dev/null 2>&1) & exec sleep 600"
    later = Later(command_of(text, directory=str(here)))
    child = begun(here / "pid")
    begun(here / "begun")
    later.command.request.ask(Stop.UNWANTED)
    later.ended()
    assert not alive(child)


def test_a_shell_that_exits_while_its_child_writes_on_has_not_ended(here: Path) -> None:
    outcome = outcome_of(
        "(while [ ! -e go ]; do sleep 0.01; done; echo late) & (sleep 0.1; touch go) & echo early", directory=str(here)
    )
    assert (outcome.state, result_of(outcome)["output"]) == ("succeeded", "early\nlate\n")


def test_a_child_that_holds_the_output_open_is_ended_by_the_time_limit_although_the_shell_has_exited(
    here: Path,
) -> None:
    text = "(echo begun > begun; exec sleep 600) & echo $! > pid; exit 0"
    later = Later(command_of(text, directory=str(here), limit=boot_seconds() + 0.5, patience=PATIENT))
    child = begun(here / "pid")
    outcome = later.ended()
    assert error_of(outcome).startswith("TimedOut: ")
    assert result_of(outcome)["exit_code"] == 0
    assert not alive(child)


def test_what_a_command_leaves_in_the_background_without_its_output_is_left_alone(here: Path) -> None:
    outcome = outcome_of("sleep 600 >/dev/null 2>&1 & echo $! > pid", directory=str(here))
    assert outcome.state == "succeeded"
    assert alive(begun(here / "pid"))


def test_a_process_that_leaves_the_session_is_neither_waited_for_nor_ended(here: Path) -> None:
    # It holds the output open, which without more would keep the command from ending.
    text = "setsid sh -c 'echo $$ > pid; exec sleep 600' & while [ ! -s pid ]; do sleep 0.01; done; echo on"
    outcome = outcome_of(text, directory=str(here))
    assert (outcome.state, result_of(outcome)["output"]) == ("succeeded", "on\n")
    assert alive(begun(here / "pid"))


def test_a_process_that_leaves_the_session_survives_the_time_limit(here: Path) -> None:
    text = "setsid sh -c 'echo $$ > pid; exec sleep 600' & exec sleep 600"
    later = Later(command_of(text, directory=str(here), limit=boot_seconds() + 0.5, patience=PATIENT))
    child = begun(here / "pid")
    assert error_of(later.ended()).startswith("TimedOut: ")
    assert alive(child)


def test_output_without_end_is_cut_off_by_the_time_limit_in_bounded_memory() -> None:
    command = command_of(["cat", "/dev/zero"], limit=boot_seconds() + 0.5, patience=PATIENT)
    outcome = command.run()
    assert error_of(outcome).startswith("TimedOut: ")
    assert result_of(outcome)["output_bytes"] > 1_000_000
    assert len(command.output._end) <= 3 * 65_536


def test_a_command_that_writes_on_after_its_leader_ended_outside_the_session_ends(here: Path) -> None:
    text = "setsid sh -c 'echo $$ > pid; exec yes' & while [ ! -s pid ]; do sleep 0.01; done"
    outcome = outcome_of(text, directory=str(here))
    assert outcome.state == "succeeded"
    assert result_of(outcome)["output_bytes"] > 0


def test_the_id_of_an_ended_leader_stays_its_own_until_the_command_is_over(here: Path) -> None:
    later = Later(command_of("echo $$ > leader; (while [ ! -e go ]; do sleep 0.01; done) &", directory=str(here)))
    leader = begun(here / "leader")
    while alive(leader):
        threading.Event().wait(0.01)
    assert Path(f"/proc/{leader}").exists(), "a zombie, whose id no other process gets"
    (here / "go").touch()
    later.ended()
    assert not Path(f"/proc/{leader}").exists()


def test_a_defect_while_a_command_runs_leaves_no_process_behind(here: Path) -> None:
    def lease_end() -> float:
        if (here / "pid").exists():
            raise ZeroDivisionError
        return float("inf")

    with pytest.raises(ZeroDivisionError):
        command_of("echo $$ > pid; echo on; exec sleep 600", directory=str(here), lease_end=lease_end).run()
    assert not alive(begun(here / "pid"))


def test_a_defect_just_after_the_launch_leaves_no_process_behind(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(self: StopRequest, wake: Callable[[], None]) -> None:
        begun(here / "pid")
        raise ZeroDivisionError

    monkeypatch.setattr(StopRequest, "tell", tell)
    with pytest.raises(ZeroDivisionError):
        outcome_of("echo $$ > pid; exec sleep 600", directory=str(here))
    assert not alive(begun(here / "pid"))


def test_a_machine_without_room_for_a_thread_starts_no_command(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = len([*Path("/proc/self/fd").iterdir()])
    no_threads(monkeypatch, "waiter")
    with pytest.raises(NotLaunched, match="cannot start another thread now") as raised:
        outcome_of("touch begun", directory=str(here), stdin="x")
    assert raised.value.type == "NotStarted"
    assert not (here / "begun").exists()
    assert len([*Path("/proc/self/fd").iterdir()]) == before


def test_members_are_those_of_one_session_and_zombies_are_none() -> None:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        assert [each.pid for each in session.members(process.pid)] == [process.pid]
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert session.members(process.pid) == []
        session.send(process.pid, signal.SIGTERM)  # nobody is left, which is no error
