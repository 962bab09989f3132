"""Schedules that cannot be read and options that do not go together."""

import json

import pytest

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli

NEXT = "2026-11-20T09:00:00Z"


def test_a_schedule_error_points_at_its_column_and_lists_the_hint(cli: Cli) -> None:
    result = cli("next", "0 61 * * *")
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    at = next(n for n, line in enumerate(lines) if line.strip() == "0 61 * * *")
    assert lines[at + 1].index("^") == lines[at].index("61")
    assert any(line.strip().startswith("hint:") for line in lines)


def test_the_name_of_a_job_in_the_place_of_a_schedule_is_recognized(cli: Cli) -> None:
    for name in ("report", "shop/report"):
        assert f"`minutehand next --job {name}`" in cli("next", name).stderr


def test_a_schedule_error_in_json_has_the_column(cli: Cli) -> None:
    result = cli("next", "0 61 * * *", "-o", "json")
    [error] = json.loads(result.stderr)["errors"]
    assert error["column"] == 2
    assert result.stdout == ""


def test_the_caret_is_under_the_character_even_after_wide_ones(cli: Cli) -> None:
    lines = cli("next", "0 0 * * 早早 %").stderr.splitlines()
    at = next(n for n, line in enumerate(lines) if "早早" in line)
    assert lines[at + 1].index("^") == lines[at].index("早")


def test_of_several_texts_the_one_at_fault_is_shown(cli: Cli) -> None:
    result = cli("next", "0 9 * * *", "0 61 * * *")
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert lines[1] == "  schedule 2, hour: 61 is out of range"
    assert (lines[2].strip(), lines[3].index("^")) == ("0 61 * * *", lines[2].index("61"))
    [error] = json.loads(cli("next", "0 9 * * *", "0 61 * * *", "-o", "json").stderr)["errors"]
    assert (error["part"], error["column"]) == (1, 2)


def test_without_a_name_the_hint_says_which_option_gives_it(cli: Cli) -> None:
    for arguments in (["next", "H * * * *"], ["next", "@daily", "H * * * *"], ["diff-schedule", "@daily", "H * * * *"]):
        result = cli(*arguments)
        assert result.exit_code == 2
        assert "hint: give it as --name NAMESPACE/NAME, or choose a value" in result.stderr


def test_an_empty_time_zone_is_none(cli: Cli) -> None:
    for arguments in (["next", "@daily"], ["diff-schedule", "@daily", "@hourly"]):
        result = cli(*arguments, "--timezone", "")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "timezone: there is no time zone ''" in result.stderr


def test_a_schedule_without_quotes_is_recognised(cli: Cli) -> None:
    result = cli("next", "0", "9", "a-file", "b-file", "1")
    assert result.exit_code == 2
    assert "in quotes" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["@hourly", "--job", "demo/beat"],
        ["@hourly", "-n", "demo"],
        ["--job", "demo/beat", "--timezone", "UTC"],
        ["--job", "demo/beat", "--dialect", "vixie"],
        ["--job", "demo/beat", "-c", "101"],
        ["--job", "demo/beat", "--name", "demo/beat"],
        ["--job", "demo/beat", "--anchor", "2026-11-20T09:00:00Z"],
        ["--job", "demo/beat", "--between", "2026-11-20T09:00:00Z", "2026-11-20T10:00:00Z"],
        ["@hourly", "--between", "2026-11-20T09:00:00Z", "2026-11-20T10:00:00Z", "-c", "1"],
        ["@hourly", "--between", "2026-11-20T09:00:00Z", "2026-11-20T10:00:00Z", "--after", "2026-11-20T09:00:00Z"],
        ["@hourly", "--between", "2026-11-20T10:00:00Z", "2026-11-20T09:00:00Z"],
        ["@hourly", "--between", "2026-11-20T10:00:00Z"],
        ["@hourly", "--limit", "5"],
        ["@hourly", "-"],
        ["@manual", "@hourly"],
        ["@every 5m", "--anchor", "2026-11-20T09:00:00.5Z"],
        ["-", "--timezone", "UTC"],
        ["-", "-c", "3"],
        ["-", "-n", "demo"],
        ["@hourly", "-c", "0"],
        ["@hourly", "--after", "2026-11-20T9"],
        ["@hourly", "--after", "later"],
        ["@hourly", "--after", "0001-01-01T00:00:00+09:00"],
        ["@hourly", "--timezone", "Mars/Olympus"],
        ["@hourly", "--dialect", "klingon"],
    ],
)
def test_what_does_not_go_together_is_bad_usage(api: ApiServer, cli: Cli, arguments: list[str]) -> None:
    result = cli("next", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert api.requests == []


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--limit", ["5"], "leave --limit out: a job's runs are limited by --count"),
        ("--between", [NEXT, NEXT], "leave --between out: a job's runs are limited by --count"),
        ("--timezone", ["UTC"], "leave --timezone out: it applies to EXPR"),
    ],
)
def test_what_does_not_go_with_a_job_is_refused_with_its_reason(
    cli: Cli, option: str, value: list[str], said: str
) -> None:
    result = cli("next", "--job", "demo/beat", option, *value)
    assert result.exit_code == 2
    assert said in result.stderr
