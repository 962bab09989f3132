"""What an agent's configuration lets jobs run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from minutehand.agent import rules_file
from minutehand.agent.accounts import Account
from minutehand.agent.not_launched import NotLaunched
from minutehand.agent.order import read_order
from minutehand.agent.rules import CommandPattern, Rules
from minutehand.agent.rules_file import rules_for
from minutehand.client import ConfigurationError
from tests.support.agent_server import order
from tests.unit.agent.conftest import OWN, outcome_of

ROOT = Account("root", 0, 0, (0,), "/root")
PERSON = Account("ada", 4242, 4242, (4242,), "/home/ada")


@pytest.fixture(autouse=True)
def _tester_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of these tests belong to whoever runs them, who need not be root."""
    monkeypatch.setattr(rules_file, "_TRUSTED", (os.getuid(),))


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(text: str) -> Path:
        path = tmp_path / "agent.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def refusal(rules: Rules, command: Any, **more: Any) -> str | None:
    found = read_order(order("20261120T090000Z", command, **more))
    return rules.refusal(found) or rules.refused_place(found, os.path.realpath(found.directory or "/"), "/home/ada")


@pytest.mark.parametrize(
    ("pattern", "allowed", "refused"),
    [
        (
            "/opt/report",
            ["/opt/report", ["/opt/report"]],
            ["/opt/report ", "/opt/report x", ["/opt/report", "x"], "/opt/reports", "x /opt/report"],
        ),
        (
            "/opt/report *",
            ["/opt/report x", ["/opt/report", "2026-11-20"], "/opt/report a/b=c,d", "/opt/report "],
            ["/opt/report a b", ["/opt/report", "a", "b"], ["/opt/report", "a b"], ["/opt/report", ""]],
        ),
        (
            "/opt/report **",
            ["/opt/report a b", ["/opt/report", "--day", "2026-11-20"]],
            [["/opt/report", "a b"], ["/opt/report", "$HOME"], "/opt/report 'a'"],
        ),
        ("cat /srv/*.*", ["cat /srv/a.txt"], ["cat /srv/../x", "cat /srv/a/..", "cat /srv/...", ["cat", "/srv/../x"]]),
        ("cat /srv/.*", ["cat /srv/.x"], ["cat /srv/..", "cat /srv/../x"]),
        ("/opt/*.*.sh", ["/opt/a.b.sh"], ["/opt/../x.sh"]),
        ("cat ../*.*", ["cat ../a.txt"], ["cat ../../x", "cat ../../.x", "cat ../a/.."]),
        ("/opt/jobs/*", ["/opt/jobs/a", "/opt/jobs/sub/a"], ["/opt/jobs/../../bin/sh", "/opt/jobs/a b", "/opt/jobs/..", ["/opt/jobs/a/../../x"]]),
        ("cd /srv/app && ./clean --days *", ["cd /srv/app && ./clean --days 7"], [["cd", "/srv/app", "&&", "./clean", "--days", "7"], "cd /srv/app && ./clean --days 7 && id"]),
        ("echo a.b [x]", ["echo a.b [x]"], ["echo aXb [x]", "echo a.b x"]),
        ("say 'a b'", [["say", "a b"], "say 'a b'"], [["say", "a", "b"]]),
    ],
)  # fmt: skip
def test_a_command_must_be_a_pattern_wholly(pattern: str, allowed: list[Any], refused: list[Any]) -> None:
    found = CommandPattern(pattern)
    for command in allowed:
        assert found.allows(tuple(command) if isinstance(command, list) else command), command
    for command in refused:
        assert not found.allows(tuple(command) if isinstance(command, list) else command), command


@pytest.mark.parametrize("meaning", [*"""\n;&|<>$`"'\\(){}[]*?!#~^\t""", "\0", "\xa0", "早"])
def test_a_wildcard_stands_for_nothing_that_means_something_to_a_shell(meaning: str) -> None:
    for pattern in ("report *", "report **", "**"):
        assert not CommandPattern(pattern).allows(f"report a{meaning}b")


def test_a_long_command_is_judged_in_linear_time() -> None:
    pattern = CommandPattern("** **a**a**a**a** x")
    assert not pattern.allows("a " * 16_000)
    assert pattern.allows("a " * 16_000 + "x")


def test_what_is_refused_says_by_which_rule() -> None:
    rules = Rules(
        users=("app",),
        directories=("/usr",),
        commands=(CommandPattern("echo *"),),
        environment=("DAY", "APP_*"),
        shells=("/bin/sh",),
    )
    assert refusal(rules, "echo x", directory="/usr/bin", environment={"DAY": "", "APP_X": ""}) is None
    assert refusal(rules, "echo x", user="root") == "users: this agent runs commands as app, not as root"
    assert refusal(rules, "rm x") == "commands: this agent runs echo *, and nothing else"
    assert refusal(rules, "echo x", shell="/bin/bash") == "shell: this agent runs texts by /bin/sh, not by /bin/bash"
    assert refusal(rules, ["echo", "x"], shell="/bin/bash") is None, "a list needs no shell"
    assert (
        refusal(rules, "echo x", directory="/etc")
        == "directories: this agent runs commands in /usr and below, not in /etc"
    )
    assert (
        refusal(rules, "echo x", environment={"PATH": "/x"})
        == "environment: this agent lets jobs set DAY, APP_*, not PATH"
    )
    assert refusal(rules, "echo x", environment={"A=B": "x"}) == "environment: 'A=B' cannot be the name of a variable"


def test_a_directory_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    inside, link = tmp_path / "inside", tmp_path / "inside" / "link"
    inside.mkdir()
    link.symlink_to("/etc")
    rules = Rules(users=(OWN.name,), directories=(str(inside),))
    assert refusal(rules, "true", directory=str(inside)) is None
    assert refusal(rules, "true", directory=f"{inside}/../inside") is None
    assert refusal(rules, "true", directory=str(tmp_path / "insider")) is not None
    assert str(refusal(rules, "true", directory=str(link))).endswith(f"and {link} leads elsewhere")
    assert outcome_of("true", directory=f"{inside}/../inside", rules=rules).state == "succeeded"
    with pytest.raises(NotLaunched, match=r"^directories: "):
        outcome_of("true", directory=str(link), rules=rules)


def test_without_a_configuration_an_agent_runs_anything_as_its_own_user_alone() -> None:
    rules = rules_for(None, PERSON)
    assert refusal(rules, "anything at all", directory="/etc", environment={"LD_PRELOAD": "x"}, user="ada") is None
    assert refusal(rules, "true", user="root") == "users: this agent runs commands as ada, not as root"


def test_root_needs_a_configuration_that_names_users(written: Any) -> None:
    with pytest.raises(ConfigurationError, match="the agent runs as root without a configuration") as raised:
        rules_for(None, ROOT)
    assert "--config" in str(raised.value.hint)
    with pytest.raises(ConfigurationError, match="users: missing, and the agent runs as root"):
        rules_for(written("shell = false"), ROOT)
    assert rules_for(written('users = ["root"]'), ROOT).users == ("root",)


def test_a_job_without_a_user_gets_the_first_that_is_allowed(written: Any) -> None:
    rules = rules_for(written('users = ["nobody", "daemon"]'), ROOT)
    assert rules.user_of(read_order(order("r", "true"))) == "nobody"
    assert rules.user_of(read_order(order("r", "true", user="daemon"))) == "daemon"


def test_commands_forbid_what_would_get_round_them_unless_it_is_allowed_by_name(written: Any) -> None:
    rules = rules_for(written('commands = ["report *"]'), PERSON)
    assert refusal(rules, "report x") is None
    assert (
        refusal(rules, "report x", shell="/usr/bin/env")
        == "shell: this agent runs texts by /bin/sh, not by /usr/bin/env"
    )
    assert (
        refusal(rules, "report x", environment={"LD_PRELOAD": "x"})
        == "environment: this agent lets jobs set no variable, not LD_PRELOAD"
    )
    assert refusal(rules, "report x", directory="/home/ada") is None
    home = "directories: this agent runs commands in the home directory of their user, not in /tmp"
    assert refusal(rules, "report x", directory="/tmp") == home  # noqa: S108 - any that others may write to
    more = 'commands = ["report *"]\nenvironment = ["DAY*"]\nshell = ["/bin/bash"]\ndirectories = ["/srv"]'
    rules = rules_for(written(more), PERSON)
    assert refusal(rules, "report x", shell="/bin/bash", environment={"DAY_OF": "x"}) is None
    assert rules.directories == ("/srv",)


def test_texts_may_be_forbidden(written: Any) -> None:
    rules = rules_for(written("shell = false"), PERSON)
    text = "shell: this agent runs no texts by a shell; write the command as a list of arguments"
    assert refusal(rules, "true") == text
    assert refusal(rules, ["true"]) is None
    assert refusal(rules_for(written("shell = true"), PERSON), "true", shell="/bin/zsh") is None


def test_handlers_are_allowed_by_name_whatever_commands_are(written: Any) -> None:
    of_reports = {"handler": {"name": "reports.nightly"}}
    of_others = {"handler": {"name": "clean"}}
    rules = rules_for(written('commands = ["report *"]\nhandlers = ["reports.*"]'), PERSON)
    assert refusal(rules, None, **of_reports) is None
    assert refusal(rules, None, **of_others) == "handlers: this agent runs reports.*, not clean"
    assert refusal(rules, None, **of_reports, environment={"PYTHONPATH": "/srv"}) is not None
    assert refusal(rules_for(written('commands = ["report *"]'), PERSON), None, **of_others) is None


def test_an_agent_with_an_app_may_run_handlers_alone(written: Any) -> None:
    rules = rules_for(written("commands = []"), PERSON, with_app=True)
    assert refusal(rules, None, handler={"name": "clean"}) is None
    assert refusal(rules, ["true"]) == "commands: this agent runs handlers of its app alone"
    assert refusal(rules, "true", shell="/bin/zsh") == "commands: this agent runs handlers of its app alone"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("users = [", "is not TOML: "),
        ("user = ['app']", "user: no such key"),
        ("users = 'app'", "users: 'app' is not a list of texts"),
        ("users = []", "users: an empty list allows no run at all"),
        ("users = ['root']", "users: only root can run commands as root; this agent is ada"),
        ("directories = ['srv']", "directories: 'srv' is not an absolute path"),
        ("directories = []", "directories: an empty list allows no run at all"),
        ("commands = []", "commands: an empty list allows no run at all"),
        ("handlers = []", "handlers: an empty list allows no run at all"),
        ("commands = [1]", r"commands: \[1\] is not a list of texts"),
        ("commands = ['']", r"commands: \[''\] is not a list of texts"),
        ("commands = ['** *']", r"commands: '\*\* \*' allows every program"),
        ("commands = [\"\"\"a\nb\"\"\"]", "commands: a line break in a command matches nothing"),
        ("shell = '/bin/sh'", "shell: '/bin/sh' is not true, false or a list of texts"),
        ("shell = ['sh']", "shell: 'sh' is not an absolute path"),
        ("environment = 'DAY'", "environment: 'DAY' is not a list of texts"),
    ],
)  # fmt: skip
def test_an_invalid_configuration_says_what_is_wrong_and_where(written: Any, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as raised:
        rules_for(written(text), PERSON)
    assert "agent.toml" in raised.value.message


def test_root_names_only_users_that_the_machine_has(written: Any) -> None:
    with pytest.raises(ConfigurationError, match="this machine has no user 'no-such-user'"):
        rules_for(written('users = ["no-such-user"]'), ROOT)


def test_a_near_key_is_suggested(written: Any) -> None:
    with pytest.raises(ConfigurationError) as raised:
        rules_for(written("directory = ['/srv']"), PERSON)
    assert raised.value.hint == "did you mean directories?"


def test_a_configuration_that_others_may_change_is_refused(written: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written('users = ["root"]')
    path.chmod(0o664)
    with pytest.raises(ConfigurationError, match="other users of this machine may change"):
        rules_for(path, ROOT)
    path.chmod(0o644)
    monkeypatch.setattr(rules_file, "_TRUSTED", (4243,))
    with pytest.raises(ConfigurationError, match="other users of this machine may change"):
        rules_for(path, PERSON)
    with pytest.raises(ConfigurationError, match="cannot be read: No such file or directory"):
        rules_for(path.with_name("none.toml"), ROOT)
    path.write_bytes(b"\xff")
    with pytest.raises(ConfigurationError, match="cannot be read: it is not UTF-8"):
        rules_for(path, ROOT)
