import json

import pytest

from tests.unit.cli.conftest import Cli
from tests.unit.client.fake_api import FakeApi


def test_next_needs_no_api_and_shows_local_time_and_utc(api: FakeApi, cli: Cli) -> None:
    result = cli("next", "0 9 * * MON-FRI", "--timezone", "America/New_York", "-c", "2")
    assert [" ".join(line.split()) for line in result.stdout.splitlines()] == [
        "local (America/New_York) UTC",
        "Fri 2026-11-20 09:00:00 -05:00 2026-11-20 14:00:00",
        "Mon 2026-11-23 09:00:00 -05:00 2026-11-23 14:00:00",
    ]
    assert api.requests == []


def test_next_in_json_is_a_list_of_instants_in_utc(cli: Cli) -> None:
    result = cli(
        "next", "@hourly", "--count", "2", "--after", "2026-11-20T18:00:00+09:00", "--dialect", "vixie", "-o", "json"
    )
    assert json.loads(result.stdout) == {"next": ["2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z"]}


def test_next_shows_the_offset_on_both_sides_of_a_clock_change(cli: Cli) -> None:
    shown = cli("next", "0 12 * * *", "--timezone", "Europe/Paris", "--after", "2026-10-24T00:00:00Z", "-c", "2").stdout
    assert "Sat 2026-10-24 12:00:00 +02:00" in shown
    assert "Sun 2026-10-25 12:00:00 +01:00" in shown


def test_a_schedule_error_points_at_its_column_and_lists_the_hint(cli: Cli) -> None:
    result = cli("next", "0 61 * * *")
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    at = next(n for n, line in enumerate(lines) if line.strip() == "0 61 * * *")
    assert lines[at + 1].index("^") == lines[at].index("61")
    assert any(line.strip().startswith("hint:") for line in lines)


def test_a_schedule_error_in_json_has_the_column(cli: Cli) -> None:
    result = cli("next", "0 61 * * *", "-o", "json")
    [error] = json.loads(result.stderr)["errors"]
    assert error["column"] == 2
    assert result.stdout == ""


def test_the_caret_stands_under_the_character_even_after_wide_ones(cli: Cli) -> None:
    lines = cli("next", "0 0 * * 早早 %").stderr.splitlines()
    at = next(n for n, line in enumerate(lines) if "早早" in line)
    assert lines[at + 1].index("^") == lines[at].index("早")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["@hourly", "--job", "demo/beat"],
        ["@hourly", "-n", "demo"],
        ["--job", "demo/beat", "--timezone", "UTC"],
        ["--job", "demo/beat", "--dialect", "vixie"],
        ["@hourly", "-c", "0"],
        ["@hourly", "--after", "2026-11-20T09:00:00"],
        ["@hourly", "--after", "tomorrow"],
        ["@hourly", "--after", "0001-01-01T00:00:00+09:00"],
        ["@hourly", "--timezone", "Mars/Olympus"],
        ["@hourly", "--dialect", "klingon"],
    ],
)
def test_what_does_not_go_together_is_bad_usage(api: FakeApi, cli: Cli, arguments: list[str]) -> None:
    result = cli("next", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert api.requests == []


def test_next_of_a_job_begins_with_what_the_api_says_and_goes_on_in_the_job_s_zone(api: FakeApi, cli: Cli) -> None:
    job = api.add_job("demo/beat", schedule="0 18 * * *", timezone="Asia/Tokyo")
    result = cli("next", "--job", "demo/beat", "-c", "3", "-o", "json")
    assert json.loads(result.stdout)["next"] == [
        job["status"]["next_run_at"],
        "2026-11-21T09:00:00Z",
        "2026-11-22T09:00:00Z",
    ]
    assert "local (Asia/Tokyo)" in cli("next", "--job", "beat", "-n", "demo").stdout


def test_next_of_a_fixed_rate_keeps_to_the_grid_of_the_api(api: FakeApi, cli: Cli) -> None:
    job = api.add_job("demo/beat", schedule="@every 7m")
    job["status"]["next_run_at"] = "2026-11-20T08:33:21Z"
    assert json.loads(cli("next", "--job", "demo/beat", "-c", "2", "-o", "json").stdout)["next"] == [
        "2026-11-20T08:33:21Z",
        "2026-11-20T08:40:21Z",
    ]
    later = cli("next", "--job", "demo/beat", "-c", "1", "--after", "2026-11-20T10:00:00Z", "-o", "json")
    assert json.loads(later.stdout)["next"] == ["2026-11-20T10:04:21Z"]


def test_next_of_an_idle_job_says_why_there_is_none(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat", paused=True)
    result = cli("next", "--job", "demo/beat")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "it is paused" in result.stderr
    assert json.loads(cli("next", "--job", "demo/beat", "-o", "json").stdout) == {"next": []}


def test_next_of_an_idle_job_can_still_be_asked_for_what_would_be(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat", paused=True)
    result = cli("next", "--job", "demo/beat", "--after", "2026-11-20T08:30:00Z", "-c", "1", "-o", "json")
    assert json.loads(result.stdout) == {"next": ["2026-11-20T09:00:00Z"]}


@pytest.mark.parametrize("of", [["0 0 1 1 *"], ["--job", "demo/beat"]])
def test_the_end_of_all_instants_is_said_to_people(api: FakeApi, cli: Cli, of: list[str]) -> None:
    api.add_job("demo/beat", schedule="0 0 1 1 *")
    result = cli("next", *of, "--after", "9999-12-30T23:59:59Z")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "there is no further instant after 9999-12-30T23:59:59Z\n"
    result = cli("next", *of, "--after", "9999-12-30T23:59:59Z", "-o", "json")
    assert (json.loads(result.stdout), result.stderr) == ({"next": []}, "")


def test_a_list_that_ends_early_says_so(cli: Cli) -> None:
    result = cli("next", "0 0 1 1 *", "--after", "9997-12-30T00:00:00Z")
    assert len(result.stdout.splitlines()) == 3
    assert "no further instant after 9999-01-01T00:00:00Z" in result.stderr
