"""`minutehand agent` as a process of its own, against a server that speaks as the product and SQS do."""

from __future__ import annotations

import json
import os
import pwd
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from minutehand.agent.accounts import Account, own_account
from minutehand.cli.commands import agent
from minutehand.cli.main import app
from tests.support.agent_server import AgentServer

PERSON = Account("ada", 4242, 4242, (4242,), "/home/ada")
OWN = pwd.getpwuid(os.getuid()).pw_name
POOL = ("--pool", "shop/web", "--name", "web-1")


@pytest.fixture
def server() -> Iterator[AgentServer]:
    with AgentServer() as server:
        yield server


class Process:
    """An agent in a process of its own."""

    def __init__(self, server: AgentServer, *options: str) -> None:
        Path("agent.toml").write_text(f'users = ["{OWN}"]\n')
        variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(Path.cwd()),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "MINUTEHAND_URL": server.url,
            "MINUTEHAND_TOKEN": "the-agent-s-token",
        }
        line = ["agent", *POOL, "--config", "agent.toml", *options]
        program = "from minutehand.cli.main import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *line], env=variables, stderr=subprocess.PIPE, text=True
        )

    def term(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def ended(self) -> tuple[int, str]:
        """Wait for its end. Returns its exit code, and what it has written."""
        _, written = self.process.communicate(timeout=60)
        return self.process.returncode, written


Begin = Callable[..., Process]


@pytest.fixture
def begin(server: AgentServer) -> Iterator[Begin]:
    begun: list[Process] = []

    def begin(*options: str) -> Process:
        begun.append(Process(server, *options))
        return begun[-1]

    yield begin
    for each in begun:
        with each.process as process:  # closes its pipe
            if process.poll() is None:
                process.kill()


def running(server: AgentServer, *runs: str) -> None:
    server.wait(lambda: server.beats and {each["run_id"] for each in server.beats[-1]["running"]} >= set(runs))


@pytest.mark.thorough
def test_it_runs_commands_and_ends_with_them_at_term(server: AgentServer, begin: Begin, tmp_path: Path) -> None:
    server.order("r1", "while [ ! -e go ]; do sleep 0.01; done; env", directory=str(tmp_path), inbox=True)
    server.order("r2", ["echo", "hello"])
    process = begin("-o", "json", "--tag", "zone=a", "--concurrency", "2")
    assert server.reported("r2")["result"]["output"] == "hello\n"
    running(server, "r1")
    process.term()
    (tmp_path / "go").touch()
    code, written = process.ended()
    assert code == 0
    output = server.reported("r1")["result"]["output"]
    assert "the-agent-s-token" not in output
    assert "MINUTEHAND_RUN_ID=r1" in output
    events = [json.loads(line) for line in written.splitlines()]
    assert {"pool": "shop/web", "node": "web-1", "level": "info", "action": "register"}.items() <= events[0].items()
    assert {event["action"] for event in events} == {"register", "start", "end", "stop", "leave"}
    assert [event["text"] for event in events if event["action"] == "start" and event["run_id"] == "r2"] == [
        "echo hello"
    ]
    [registered] = server.registered
    assert (registered["slots"], registered["tags"]) == (2, {"zone": "a"})
    assert server.session is None


@pytest.mark.slow
def test_a_second_term_ends_commands_at_once(server: AgentServer, begin: Begin) -> None:
    server.order("r1", "trap '' TERM; echo begun; sleep 600 & while :; do sleep 0.05; done")
    process = begin()
    running(server, "r1")
    process.term()
    while "told to stop" not in (line := process.process.stderr.readline()):  # type: ignore[union-attr]  # it is a pipe
        assert line
    process.term()
    code, written = process.ended()
    assert (code, server.reported("r1")["error"]["type"]) == (0, "AgentStopped")
    assert "told to stop at once" in written


@pytest.mark.thorough
@pytest.mark.slow
def test_credentials_that_expire_while_it_runs_are_renewed(server: AgentServer, begin: Begin) -> None:
    server.order("r1", "true")
    process = begin("-o", "json")
    server.reported("r1")
    server.expired = {*server.given}
    server.order("r2", "true")
    assert server.reported("r2")["state"] == "succeeded"
    server.wait(lambda: len(server.given) > len(server.expired))  # an open poll may have brought the second run
    process.term()
    code, written = process.ended()
    assert code == 0
    assert "poll" not in {json.loads(line)["action"] for line in written.splitlines()}, "nothing was wrong"


APP = """
import os
from minutehand import Context, job

@job("reports.nightly")
def nightly(context: Context, days: int) -> object:
    context.progress(50, "half")
    print("summed up")
    try:
        open(f"/proc/{os.getppid()}/environ", "rb").close()
        seen = os.getuid() != 0
    except OSError:
        seen = False
    return {"days": days, "token": "the-agent-s-token" in str(os.environ), "seen": seen}
"""


@pytest.mark.thorough
def test_with_an_app_it_also_runs_handlers(server: AgentServer, begin: Begin) -> None:
    Path("team.py").write_text(APP, encoding="utf-8")
    server.order("r1", None, handler={"name": "reports.nightly", "payload": {"days": 3}})
    server.order("r2", None, handler={"name": "reports.weekly", "payload": None})
    process = begin("--app", "team", "-o", "json")
    report = server.reported("r1")
    assert report["error"] is None
    assert report["result"]["result"] == {"days": 3, "token": False, "seen": False}
    assert "summed up\n" in report["result"]["output"]
    assert server.reported("r2")["error"]["type"] == "UnknownHandler"
    process.term()
    code, written = process.ended()
    assert code == 0
    events = [json.loads(line) for line in written.splitlines()]
    assert [event["text"] for event in events if event["action"] == "app"] == [
        "the app team has the handlers reports.nightly"
    ]
    assert "handler reports.nightly" in [event["text"] for event in events if event["action"] == "start"]


def test_an_app_that_does_not_load_keeps_the_agent_from_starting(server: AgentServer, begin: Begin) -> None:
    Path("team.py").write_text("import nothing_of_this_name", encoding="utf-8")
    code, written = begin("--app", "team").ended()
    assert code == 2
    assert "error: the app team cannot be loaded: team cannot be imported: ModuleNotFoundError" in written
    assert server.registered == []


def test_its_lines_are_for_people_by_default(server: AgentServer, begin: Begin) -> None:
    server.order("r1", ["printf", "a\x1b[31mb"], user="another")
    process = begin("--drain-for", "1s")
    server.reported("r1")
    process.term()
    _, written = process.ended()
    lines = written.splitlines()
    assert lines[0].endswith("Z register  registered with 4 slots")
    assert (
        f"Z refuse    shop/report r1 attempt 1 warning: CommandRefused: users: this agent runs commands as {OWN}"
        in written
    )


def test_a_stack_without_agents_is_told_with_its_exit_code(server: AgentServer, begin: Begin) -> None:
    server.say("/web-1", {"title": "not found", "detail": "this stack serves no agents"}, 404)
    assert begin().ended() == (3, "error: this stack serves no agents\n")


@pytest.mark.thorough
def test_a_token_that_does_not_count_any_more_ends_it(server: AgentServer, begin: Begin) -> None:
    process = begin()
    server.wait(lambda: server.beats)
    server.say("/beats", {"title": "no", "detail": "unknown token"}, 401)
    code, written = process.ended()
    assert code == 5
    assert "error: the token does not count any more; start the agent with another" in written


def refused(monkeypatch: pytest.MonkeyPatch, *arguments: str, own: Account = PERSON) -> Result:
    monkeypatch.setattr(agent, "own_account", lambda _: own)
    environment = {"MINUTEHAND_URL": "http://127.0.0.1:1", "MINUTEHAND_TOKEN": "a-token-of-this-test"}
    return CliRunner().invoke(app, ["agent", *arguments], env=environment)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing option '--pool'"),
        (("--pool", "web"), "'web' is not a pool: write NAMESPACE/NAME, such as shop/web"),
        (("--pool", "Shop/web"), "is not a pool"),
        (("--pool", "shop/web/x"), "is not a pool"),
        (("--pool", "shop/web", "--name", "Web 1"), "'Web 1' is not a valid name"),
        (("--pool", "shop/web", "--concurrency", "0"), "is not a whole number from 1 to 100"),
        (("--pool", "shop/web", "--tag", "zone"), "'zone' is not a label"),
        (("--pool", "shop/web", "--config", "none.toml"), "none.toml cannot be read"),
        (("--pool", "shop/web", "--drain-for", "0s"), "the minimum is 1s"),
    ],
)
def test_what_is_wrong_with_its_options_is_told(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    result = refused(monkeypatch, *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_as_root_it_refuses_to_start_without_a_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    result = refused(monkeypatch, *POOL, own=PERSON._replace(name="root", uid=0))
    assert result.exit_code == 2
    assert "the agent runs as root without a configuration" in result.stderr


def test_without_boto3_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent, "find_spec", lambda _: None)
    result = refused(monkeypatch, *POOL)
    assert result.exit_code == 2
    assert "pip install 'minutehand[agent]'" in result.stderr


def test_a_host_s_name_with_capitals_is_a_node_s_name_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent.socket, "gethostname", lambda: "Web-1.Example.COM")
    assert agent._name_of(None) == "web-1.example.com"


def test_commands_of_the_same_user_cannot_read_the_agent_s_variables() -> None:
    program = """
import ctypes, os, subprocess
from minutehand.agent.hardening import hide_memory
if os.getuid() == 0:  # root may read anything
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
read = lambda: subprocess.run(["cat", f"/proc/{os.getpid()}/environ"], capture_output=True).returncode
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as of a program that was not started by root
before = read()
hide_memory()
print(before, read(), os.path.exists(f"/proc/{os.getpid()}/fd"), subprocess.run(["true"]).returncode)
"""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "0 1 True 0\n"


def test_an_account_without_a_name_has_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: int) -> Any:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    found = own_account({"HOME": "/home/app"})
    assert (found.name, found.home) == (str(os.getuid()), "/home/app")
    assert own_account({}).home == "/"
