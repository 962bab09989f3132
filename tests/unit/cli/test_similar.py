"""What a misspelt command, option or job may have meant."""

import json

import pytest

from minutehand.cli.main import COMMANDS
from minutehand.cli.similar import _ELSEWHERE
from minutehand.domain.token import Role
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli


@pytest.mark.parametrize(
    ("wrong", "meant"), [("lsit", "list"), ("explane", "explain"), ("get", "list or show"), ("describe", "show")]
)
def test_an_unknown_command_names_the_one_that_may_be_meant(cli: Cli, wrong: str, meant: str) -> None:
    result = cli(wrong)
    assert result.exit_code == 2
    assert result.stderr.endswith(f"Error: There is no command '{wrong}'; did you mean {meant}?\n")
    assert json.loads(cli(wrong, "-o", "json").stderr)["detail"].endswith(f"did you mean {meant}?")


def test_a_command_like_no_other_is_only_unknown(cli: Cli) -> None:
    assert cli("xyzzy").stderr.endswith("Error: There is no command 'xyzzy'.\n")


def test_what_other_programs_say_leads_to_commands_that_exist() -> None:
    assert {each for names in _ELSEWHERE.values() for each in names} <= COMMANDS.keys()
    assert not _ELSEWHERE.keys() & COMMANDS.keys()


def test_a_command_of_a_group_and_an_option_are_suggested_too(cli: Cli) -> None:
    assert "Did you mean 'start'?" in cli("backfill", "strat").stderr
    assert "Did you mean '--namespace'?" in cli("backfill", "list", "j", "--namspace", "demo").stderr


@pytest.mark.parametrize("words", [["show"], ["runs"], ["run"], ["trigger"], ["explain"], ["drain"], ["redrive"]])
def test_an_unknown_job_names_the_one_that_may_be_meant(cli: Cli, job: str, words: list[str]) -> None:
    result = cli(*words, "baet", "-n", "demo")
    assert result.exit_code == 3
    assert result.stderr.endswith("hint: did you mean demo/beat?\n")
    assert json.loads(cli(*words, "demo/baet", "-o", "json").stderr)["hint"] == "did you mean demo/beat?"


def test_a_namespace_in_the_place_of_a_job_is_recognized(api: ApiServer, cli: Cli) -> None:
    api.add_job("shop/report")
    assert "shop is a namespace: `minutehand list -n shop` lists its jobs" in cli("runs", "shop").stderr


def test_a_job_like_no_other_gets_no_hint(api: ApiServer, cli: Cli, job: str) -> None:
    assert "hint" not in cli("show", "demo/report").stderr
    asked = len(api.requests)
    cli("show", "other/baet")
    assert len(api.requests) == asked + 3  # the job, one page of its namespace, and one of namespaces


@pytest.mark.parametrize("words", [["show"], ["runs"], ["explain"], ["trigger"]])
def test_a_misspelt_namespace_leads_to_the_job_of_a_similar_one(cli: Cli, job: str, words: list[str]) -> None:
    assert cli(*words, "dmeo/beat").stderr.endswith("hint: did you mean demo/beat?\n")
    assert cli(*words, "demmo/baet").stderr.endswith("hint: did you mean demo/beat?\n")
    assert cli(*words, "demmo/report").stderr.endswith("hint: namespace demmo has no jobs; did you mean demo?\n")


def test_only_namespaces_that_the_token_may_see_are_suggested(api: ApiServer, cli: Cli, job: str) -> None:
    api.add_job("dome/beat")
    api.allow(Role.VIEWER, "demo", "dmo")
    assert cli("show", "dmo/beat").stderr.endswith("hint: did you mean demo/beat?\n")


def test_lists_of_a_misspelt_namespace_name_a_similar_one(cli: Cli, job: str) -> None:
    meant = "did you mean demo?\n"
    assert cli("list", "-n", "dmeo").stderr == f"namespace dmeo has no jobs; {meant}"
    assert cli("list", "-n", "dmeo", "--paused").stderr == f"namespace dmeo has no jobs; {meant}"
    assert cli("runs", "-n", "dmeo").stderr == f"namespace dmeo has no runs in the last 24 hours; {meant}"
    assert "did you mean" not in cli("list", "-n", "demo", "--paused").stderr
    assert "did you mean" not in cli("runs", "-n", "demo").stderr
    assert json.loads(cli("list", "-n", "dmeo", "-o", "json").stdout) == {"items": [], "next": None}


@pytest.mark.parametrize(
    "words",
    [
        ["quota", "set", "dmeo", "--jobs", "3"],
        ["namespace", "set", "dmeo", "--max-concurrency", "3"],
        ["namespace", "pause", "dmeo"],
        ["namespace", "resume", "dmeo"],
        ["namespace", "shadow", "dmeo"],
    ],
)
@pytest.mark.thorough
def test_settings_of_a_namespace_without_jobs_are_warned_of_once(cli: Cli, job: str, words: list[str]) -> None:
    first = cli(*words)
    assert (first.exit_code, first.stderr) == (0, "warning: namespace dmeo has no jobs; did you mean demo?\n")
    cli("namespace", "set", "dmeo", "--max-concurrency", "5")
    cli("namespace", "set", "dmeo", "--max-concurrency", "6")
    assert cli(*words).stderr == ""
    assert cli(*("demo" if word == "dmeo" else word for word in words)).stderr == ""


def test_a_namespace_like_no_other_is_warned_of_too(cli: Cli) -> None:
    assert cli("namespace", "shadow", "lab").stderr == "warning: namespace lab has no jobs\n"
