"""Commands in real processes: what they get, what is kept of them, and how they end by themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from minutehand.agent.accounts import account_named
from minutehand.agent.not_launched import NotLaunched
from minutehand.agent.output import KEPT, LONGEST_REPORTED
from minutehand.agent.rules import Rules
from tests.unit.agent.conftest import OWN, command_of, error_of, outcome_of, result_of

pytestmark = pytest.mark.slow

AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="only root can run commands as another user")


def test_a_text_is_run_by_a_shell_and_both_streams_are_kept_in_order() -> None:
    outcome = outcome_of("echo one; echo two >&2; echo three")
    assert (outcome.state, outcome.error) == ("succeeded", None)
    result = result_of(outcome)
    assert (result["output"], result["output_bytes"]) == ("one\ntwo\nthree\n", 14)
    assert (result["exit_code"], result["signal"]) == (0, None)
    assert result["seconds"] >= 0


def test_a_list_is_run_as_it_is_without_a_shell() -> None:
    outcome = outcome_of(["printf", "%s.", "$HOME", "a b", "; echo x", ""])
    assert result_of(outcome)["output"] == "$HOME.a b.; echo x.."


def test_the_job_chooses_the_shell_and_the_directory(tmp_path: Path) -> None:
    outcome = outcome_of("pwd; echo $0", shell="/bin/bash", directory=str(tmp_path))
    assert result_of(outcome)["output"] == f"{tmp_path}\n/bin/bash\n"


def test_without_a_directory_a_command_runs_in_the_home_of_its_user() -> None:
    assert result_of(outcome_of(["pwd"]))["output"] == f"{os.path.realpath(OWN.home)}\n"


def test_the_environment_is_clean_but_for_what_is_documented() -> None:
    own = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TZ": "Europe/Rome", "MINUTEHAND_TOKEN": "t", "SECRET": "s"}
    outcome = outcome_of(["env"], variables=own, environment={"DAY": "monday", "TZ": "Asia/Tokyo"})
    assert dict(line.split("=", 1) for line in result_of(outcome)["output"].splitlines()) == {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "TZ": "Asia/Tokyo",
        "DAY": "monday",
        "HOME": OWN.home,
        "USER": OWN.name,
        "LOGNAME": OWN.name,
        "MINUTEHAND_JOB": "shop/report",
        "MINUTEHAND_RUN_ID": "20261120T090000Z",
        "MINUTEHAND_SCHEDULED_FOR": "2026-11-20T09:00:00Z",
        "MINUTEHAND_ATTEMPT": "1",
        "MINUTEHAND_ATTEMPTS_LEFT": "2",
        "MINUTEHAND_DEADLINE": "2026-11-20T10:00:00Z",
        "MINUTEHAND_NODE": "web-1",
    }


def test_the_job_s_variables_do_not_replace_what_the_run_is() -> None:
    outcome = outcome_of('echo "$MINUTEHAND_JOB"', environment={"MINUTEHAND_JOB": "another"})
    assert result_of(outcome)["output"] == "shop/report\n"


def test_texts_are_utf_8_whatever_the_agent_s_locale() -> None:
    outcome = outcome_of(["printf", "%s", "早上好"], variables={"PATH": os.environ["PATH"], "LANG": "C"})
    assert result_of(outcome)["output"] == "早上好"


def test_standard_input_is_the_given_text_however_long_and_then_ends() -> None:
    text = "早上好\n" * 100_000
    assert result_of(outcome_of(["wc", "-c"], stdin=text))["output"].strip() == str(len(text.encode()))
    assert result_of(outcome_of(["cat"]))["output"] == ""


def test_a_command_that_reads_none_of_its_input_ends_as_any_other() -> None:
    assert outcome_of("exec true", stdin="x" * 1_000_000).state == "succeeded"
    assert result_of(outcome_of("exec 0<&-; echo on", stdin="x" * 1_000_000))["output"] == "on\n"


def test_a_command_leads_a_session_of_its_own_without_a_terminal() -> None:
    program = "import os; print(os.getsid(0) == os.getpid() == os.getpgrp()); os.open('/dev/tty', os.O_RDWR)"
    outcome = outcome_of([sys.executable, "-c", program])
    assert result_of(outcome)["output"].endswith("True\n"), "Python writes it at its end"
    assert "No such device or address" in result_of(outcome)["output"]


def test_signals_that_the_agent_handles_or_ignores_have_their_usual_meaning_in_commands() -> None:
    program = "import signal; print(*(signal.getsignal(n).name for n in (15, 25)), signal.pthread_sigmask(0, []))"
    outcome = outcome_of([sys.executable, "-I", "-c", program])
    assert result_of(outcome)["output"] == "SIG_DFL SIG_IGN set()\n"  # Python itself ignores XFSZ
    assert result_of(outcome_of("yes | head -n 1"))["output"] == "y\n", "a broken pipe ends a writer without a word"


def test_only_the_standard_streams_are_open_in_a_command() -> None:
    outcome = outcome_of(["ls", "-l", "/proc/self/fd"])
    names = {line.split()[8] for line in result_of(outcome)["output"].splitlines() if " -> " in line}
    assert names == {"0", "1", "2", "3"}, "the last is ls's own, of the folder that it lists"


@pytest.mark.parametrize(
    ("command", "more", "state", "error"),
    [
        ("exit 3", {}, "failed", "ExitCode: the command ended with exit code 3"),
        ("echo; echo no room; echo; exit 3", {}, "failed", "ExitCode: the command ended with exit code 3; its last line: no room"),
        ("exit 3", {"success_codes": [0, 3]}, "succeeded", None),
        ("exit 0", {"success_codes": [3]}, "failed", "ExitCode: the command ended with exit code 0"),
        ("exit 75", {"skipped_codes": [75]}, "skipped", None),
        ("kill -TERM $$", {}, "failed", "Signal: the command was ended by SIGTERM"),
        ("kill -KILL $$", {}, "failed", "Signal: the command was ended by SIGKILL (perhaps the machine was short of memory)"),
        ("sh -c 'kill -KILL $$'", {}, "failed", "ExitCode: the command ended with exit code 137"),
    ],
)  # fmt: skip
def test_exit_codes_and_signals(command: str, more: dict[str, object], state: str, error: str | None) -> None:
    outcome = outcome_of(f"{command}; exit $?" if command.startswith("sh") else command, **more)
    said = None if outcome.error is None else error_of(outcome)
    assert (outcome.state, said and said.replace("; its last line: Killed", "")) == (state, error)


def test_a_signal_is_named_in_the_result() -> None:
    result = result_of(outcome_of("kill -USR1 $$"))
    assert (result["exit_code"], result["signal"]) == (None, "SIGUSR1")


def test_of_a_long_output_the_end_is_kept_and_all_bytes_are_counted() -> None:
    result = result_of(outcome_of("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo end"))
    assert result["output_bytes"] == 5_000_005
    assert len(result["output"]) == KEPT
    assert result["output"].endswith("xxx\nend\n")


def test_output_in_no_encoding_is_kept_with_replacements_and_fits_a_report() -> None:
    result = result_of(outcome_of("printf 'a\\377b\\303'"))
    assert (result["output"], result["output_bytes"]) == ("a�b�", 4)
    result = result_of(outcome_of("head -c 300000 /dev/zero; echo end"))
    assert result["output_bytes"] == 300_004
    assert result["output"].endswith("\0end\n")
    assert len(json.dumps(result["output"], ensure_ascii=False).encode()) <= LONGEST_REPORTED


@AS_ROOT
def test_on_a_full_disk_a_command_fails_with_its_own_words(tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine cannot mount a tmpfs")
    try:
        outcome = outcome_of(["dd", "if=/dev/zero", "of=file", "bs=1k", "count=1000"], directory=str(tmp_path))
        assert error_of(outcome).startswith("ExitCode: the command ended with exit code 1")
        assert "No space left on device" in result_of(outcome)["output"]
        assert result_of(outcome_of("echo on", directory=str(tmp_path)))["output"] == "on\n"
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_lines_of_progress_are_no_output() -> None:
    command = command_of("echo ::progress 40 forty; echo on; echo ::progress done >&2")
    result = result_of(command.run())
    assert (result["output"], result["output_bytes"]) == ("on\n", 3)
    assert command.output.step == (None, "done")


@pytest.mark.parametrize(
    ("command", "more", "error"),
    [
        (["no-such-program"], {}, "CommandNotFound: this machine has no program no-such-program in PATH ("),
        (["/no/such/program"], {}, "CommandNotFound: this machine has no program /no/such/program"),
        ("echo", {"shell": "/no/shell"}, "CommandNotFound: this machine has no program /no/shell"),
        ("echo", {"directory": "/no/such/place"}, "NoDirectory: this machine has no directory /no/such/place"),
        ("echo", {"directory": "/etc/passwd"}, "NoDirectory: this machine has no directory /etc/passwd"),
        (["/etc/passwd"], {}, f"NotExecutable: {OWN.name} cannot execute /etc/passwd: Permission denied"),
        (["/etc"], {}, f"NotExecutable: {OWN.name} cannot execute /etc: Permission denied"),
        (["echo", "a\0b"], {}, "CommandRefused: no program can get these arguments or variables: embedded null byte"),
        (["echo", "\ud800"], {}, "CommandRefused: no program can get these arguments or variables: "),
        (["echo", "x" * 200_000], {}, "NotStarted: this machine cannot start echo now: Argument list too long"),
    ],
)  # fmt: skip
def test_what_cannot_be_started_says_what_is_missing(command: object, more: dict[str, object], error: str) -> None:
    with pytest.raises(NotLaunched) as raised:
        outcome_of(command, **more)
    assert f"{raised.value.type}: {raised.value.message}".startswith(error)


def test_a_script_without_its_interpreter_is_not_executable(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(NotLaunched, match="names an interpreter that this machine does not have"):
        outcome_of(["./script"], directory=str(tmp_path))
    script.write_text("neither a script nor a program")
    with pytest.raises(NotLaunched, match=r"cannot execute \./script: Exec format error"):
        outcome_of(["./script"], directory=str(tmp_path))


def test_what_is_not_started_leaves_no_file_open() -> None:
    before = len([*Path("/proc/self/fd").iterdir()])
    for _ in range(3):
        with pytest.raises(NotLaunched):
            outcome_of(["no-such-program"], stdin="x")
        outcome_of("true", stdin="x")
    assert len([*Path("/proc/self/fd").iterdir()]) == before


@AS_ROOT
def test_root_runs_commands_as_another_user_with_the_groups_of_that_user(tmp_path: Path) -> None:
    nobody = account_named("nobody")
    assert nobody is not None
    outcome = outcome_of("id -u; id -g; id -G; echo $HOME $USER $LOGNAME", rules=Rules(users=("nobody",)))
    groups = " ".join(map(str, nobody.groups))
    expected = f"{nobody.uid}\n{nobody.gid}\n{groups}\n{nobody.home} nobody nobody\n"
    assert result_of(outcome)["output"] == expected
    with pytest.raises(NotLaunched, match="no program no-such-program") as raised:
        outcome_of(["no-such-program"], rules=Rules(users=("nobody",)), variables={"PATH": "/usr/bin"})
    assert raised.value.type == "CommandNotFound"


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user sees, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@AS_ROOT
def test_a_directory_is_entered_as_the_user_who_runs_there(public: Path) -> None:
    secret, own, link = public / "secret", public / "own", public / "own" / "link"
    (secret / "below").mkdir(parents=True)
    own.mkdir()
    link.symlink_to(secret / "below")
    nobody = account_named("nobody")
    assert nobody is not None
    secret.chmod(0o700)
    os.chown(own, nobody.uid, nobody.gid)
    own.chmod(0o700)
    rules = Rules(users=("nobody",))
    assert result_of(outcome_of(["pwd"], rules=rules, directory=str(own)))["output"] == f"{own}\n"
    for hidden in (secret, secret / "below", secret / "none", link):
        with pytest.raises(NotLaunched) as raised:
            outcome_of("cat *", rules=rules, directory=str(hidden))
        why = f"nobody cannot enter the directory {hidden}: Permission denied"
        assert (raised.value.type, raised.value.message) == ("NoDirectory", why), "the same, whether it is there or not"
    with pytest.raises(NotLaunched, match=f"this machine has no directory {own}/none"):
        outcome_of("true", rules=rules, directory=str(own / "none"))
    link.unlink()
    link.symlink_to("/usr")
    with pytest.raises(NotLaunched, match="link leads elsewhere"):
        outcome_of("true", rules=Rules(users=("nobody",), directories=(str(own),)), directory=str(link))


def test_a_command_begins_in_the_directory_that_was_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allowed, link = tmp_path / "allowed", tmp_path / "link"
    allowed.mkdir()
    link.symlink_to(allowed)

    def judged(self: Rules, *args: Any) -> str | None:
        found = refused_place(self, *args)
        link.unlink()
        link.symlink_to("/")
        return found

    refused_place = Rules.refused_place
    monkeypatch.setattr(Rules, "refused_place", judged)
    rules = Rules(users=(OWN.name,), directories=(str(allowed),))
    assert result_of(outcome_of(["pwd"], rules=rules, directory=str(link)))["output"] == f"{allowed}\n"


def test_an_unknown_user_is_named() -> None:
    with pytest.raises(NotLaunched, match="this machine has no user no-such-user") as raised:
        outcome_of("true", rules=Rules(users=("no-such-user",)), user="no-such-user")
    assert raised.value.type == "UnknownUser"


def test_an_order_does_not_show_its_secrets() -> None:
    shown = repr(command_of("true", environment={"DB_PASSWORD": "hunter2"}, stdin="hunter2")._order)
    assert "hunter2" not in shown
    assert "token of" not in shown
