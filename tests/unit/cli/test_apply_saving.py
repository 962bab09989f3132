"""`apply` saves jobs, tells of each what it did, and what is saved when it cannot go on."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Barrier, Event

import pytest

from minutehand.cli.parallel import THREADS
from minutehand.client import bulk
from minutehand.domain.errors import Conflict
from minutehand.domain.token import Role
from tests.support.api_server import TARGET, TOKEN, ApiServer
from tests.support.http_server import Canned, Request
from tests.unit.cli.conftest import Cli, Unsaved
from tests.unit.cli.files import job, write


def test_apply_says_per_job_what_it_did(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", f"{job('one')}---\n{job('two', more='namespace: demo')}")
    assert (
        cli("apply", "-f", "jobs.yaml").stdout
        == "created    default/one  revision 1\ncreated    demo/two  revision 1\n"
    )
    write("jobs.yaml", f"{job('one')}---\n{job('two', '0 9 * * *', more='namespace: demo')}")
    assert (
        cli("apply", "-f", "jobs.yaml").stdout
        == "unchanged  default/one  revision 1\nupdated    demo/two  revision 2\n"
    )


def test_apply_in_json_has_job_result_and_revision(cli: Cli) -> None:
    write("jobs.yaml", job("one"))
    result = cli("apply", "-f", "jobs.yaml", "-o", "json")
    item = {"job": "default/one", "result": "created", "revision": 1, "warnings": []}
    assert json.loads(result.stdout) == {"items": [item]}
    assert result.stderr == ""


def test_several_calls_are_made_at_a_time_and_jobs_printed_in_the_order_of_the_files(
    api: ApiServer, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "JOBS_A_CALL", 2)
    write("jobs.yaml", "---\n".join(job(f"job-{n:02}") for n in range(THREADS * 2)))
    together = Barrier(THREADS, timeout=10)  # each request waits until so many others are there

    def before(request: Request) -> None:
        if request.query:
            together.wait()

    api.before = before
    result = cli("apply", "-f", "jobs.yaml")
    assert result.stdout.splitlines() == [f"created    default/job-{n:02}  revision 1" for n in range(THREADS * 2)]
    assert (result.exit_code, result.stderr) == (0, "")


def test_an_internal_error_is_not_held_against_the_file(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", "---\n".join(job(f"job-{n}") for n in range(40)))
    api.instead = lambda request: Canned(status=500, body=b'{"title": "Internal error", "detail": "our fault"}')
    result = cli("apply", "-f", "jobs.yaml")
    assert (result.exit_code, result.stderr) == (1, "error: our fault\n")
    assert len(api.requests) <= THREADS  # none is begun behind the first failure


def test_a_role_that_may_not_save_is_not_allowed(api: ApiServer, cli: Cli) -> None:
    write("jobs.yaml", job("a"))
    api.allow(Role.VIEWER)
    result = cli("apply", "-f", "jobs.yaml")
    assert result.exit_code == 5
    assert "the token 'admin' is viewer" in result.stderr


def test_a_failure_in_the_middle_of_saving_shows_what_is_saved(api: ApiServer, cli: Cli, unsaved: Unsaved) -> None:
    write("jobs.yaml", f"{job('a')}---\n{job('b')}")
    unsaved("b", Conflict("somebody else was first"))
    result = cli("apply", "-f", "jobs.yaml")
    assert (result.exit_code, list(api.jobs)) == (4, ["default/a"])
    assert result.stdout.startswith("created    default/a")
    assert "1 of 2 jobs saved as in the files" in result.stderr
    assert "somebody else was first" in result.stderr


@pytest.mark.thorough
def test_ctrl_c_while_saving_begins_nothing_more_and_shows_what_is_saved(api: ApiServer) -> None:
    write("jobs.yaml", "---\n".join(job(f"job-{n:03}") for n in range(600)))
    env = {"MINUTEHAND_URL": api.url, "MINUTEHAND_TOKEN": TOKEN, "PATH": ""}
    command = [str(Path(sys.executable).parent / "minutehand"), "apply", "-f", "jobs.yaml"]
    sent = Event()
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:

        def before(request: Request) -> None:
            if request.query:
                return
            if not sent.is_set():
                process.send_signal(signal.SIGINT)
                sent.set()
            Event().wait(1)  # so that the signal arrives before all is saved

        api.before = before
        out, err = process.communicate(timeout=60)
    lines = [line.split()[1] for line in out.splitlines()]
    assert lines == sorted(api.jobs)
    assert 0 < len(lines) < 600
    assert f"{len(lines)} of 600 jobs saved as in the files" in err
    assert (process.returncode, "interrupted" in err) == (130, True)


@pytest.mark.thorough
def test_a_terminal_sees_how_far_it_is_and_a_pipe_does_not(api: ApiServer) -> None:
    write("jobs.yaml", f"{job('a')}---\n{job('b')}")
    env = {"MINUTEHAND_URL": api.url, "MINUTEHAND_TOKEN": TOKEN, "PATH": "", "TERM": "xterm"}
    ours, theirs = os.openpty()
    command = [str(Path(sys.executable).parent / "minutehand"), "apply", "-f", "jobs.yaml"]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=theirs, check=True, timeout=60)
    os.close(theirs)
    seen = os.read(ours, 10_000).decode()
    os.close(ours)
    assert b"\r" not in done.stdout
    assert "checking 2 of 2" in seen
    assert "saving 2 of 2" in seen
    assert seen.endswith("\r\x1b[K")


@pytest.mark.parametrize("of_namespace", [False, True])
def test_a_save_of_a_job_that_a_pause_keeps_from_running_says_so(api: ApiServer, cli: Cli, of_namespace: bool) -> None:
    api.ask("PUT", "namespaces/default/jobs/a", {"schedule": "@hourly", "target": TARGET})
    api.ask("POST", f"namespaces/default{'' if of_namespace else '/jobs/a'}/pause")
    write("jobs.yaml", job("a"))
    began = "2026-11-20T08:30:00Z"
    reason = (
        f"default/a: the namespace default is paused (by admin at {began}); resume the namespace to let its jobs run"
        if of_namespace
        else f"default/a: paused since {began} by admin; resume it to let it run"
    )
    assert cli("apply", "-f", "jobs.yaml", "--dry-run").stderr.splitlines()[0] == reason
    assert cli("apply", "-f", "jobs.yaml").stderr.splitlines()[0] == reason
    write("jobs.yaml", job("a", "0 5 * * *"))
    tried = cli("apply", "-f", "jobs.yaml", "--dry-run").stderr.splitlines()
    assert tried[0] == f"{reason}; the runs above are those without the pause"


def test_a_save_of_several_jobs_marks_those_that_are_paused(cli: Cli) -> None:
    write("jobs.yaml", f"{job('a')}paused: true\n---\n{job('b')}")
    first, second = cli("apply", "-f", "jobs.yaml").stdout.splitlines()
    assert first.endswith("paused")
    assert not second.endswith("paused")
