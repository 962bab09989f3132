import json
from typing import Any

import pytest

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli


def diff(cli: Cli, *arguments: str) -> Any:
    result = cli("diff-schedule", *arguments, "-o", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_it_says_in_a_sentence_what_the_edit_does(api: ApiServer, cli: Cli) -> None:
    result = cli("diff-schedule", "0 9 * * *", "0 9 * * MON-FRI", "--timezone", "Asia/Tokyo", "-c", "1")
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[2] == "span 2026-11-20 08:30:00 to 2026-12-20 08:30:00 UTC, 30 days"
    assert lines[4:] == [
        "adds 0 runs a day, removes 0.33",
        "runs a day",
        "added 0 0",
        "removed 10 0.33",
        "kept 20 0.67",
        "",
        "first removed (Asia/Tokyo) UTC",
        "Sat 2026-11-21 09:00:00 +09:00 2026-11-21 00:00:00",
    ]
    assert api.requests == []


def test_in_json_it_counts_and_gives_the_first_of_each(cli: Cli) -> None:
    answer = diff(cli, "0 * * * *", "* * * * *", "--days", "1", "-c", "2")
    assert answer["added"] == {
        "runs": 1416,
        "per_day": 1416.0,
        "first": ["2026-11-20T08:31:00Z", "2026-11-20T08:32:00Z"],
    }
    assert answer["removed"] == {"runs": 0, "per_day": 0.0, "first": []}
    assert answer["kept"] == {"runs": 24, "per_day": 24.0}
    assert (answer["from"], answer["until"], answer["cut"]) == ("2026-11-20T08:30:00Z", "2026-11-21T08:30:00Z", False)
    assert set(answer["old"]) == set(answer["new"]) == {"schedule", "timezone", "dialect", "description"}


def test_an_edit_that_changes_nothing_says_so(cli: Cli) -> None:
    assert "nothing changes" in cli("diff-schedule", "@daily", "0 0 * * *").stdout
    assert "neither schedule has an occurrence" in cli("diff-schedule", "@manual", "@manual").stdout


def test_a_zone_in_new_is_reported_when_an_option_gives_another(cli: Cli) -> None:
    texts = ["0 9 * * *", "CRON_TZ=Asia/Tokyo 0 9 * * *"]
    for option in ("--timezone", "--new-timezone"):
        result = cli("diff-schedule", *texts, option, "America/New_York")
        assert "overrides America/New_York" in result.stderr
        [warning] = diff(cli, *texts, option, "America/New_York")["warnings"]
        assert (warning["field"], warning["column"]) == ("timezone", 8)
    assert diff(cli, *texts, "--old-timezone", "America/New_York")["warnings"] == []


def test_the_time_zone_and_the_dialect_may_be_what_changes(cli: Cli) -> None:
    moved = diff(cli, "0 9 * * *", "0 9 * * *", "--timezone", "UTC", "--new-timezone", "Asia/Tokyo")
    assert (moved["added"]["runs"], moved["removed"]["runs"]) == (30, 30)
    spring = ["30 2 * * *", "30 2 * * *", "--timezone", "America/New_York", "--from", "2027-03-01T00:00:00Z"]
    ruled = diff(cli, *spring, "--old-dialect", "vixie", "--new-dialect", "robfig")
    assert ruled["removed"] == {"runs": 1, "per_day": 0.03, "first": ["2027-03-14T07:00:00Z"]}
    assert (ruled["old"]["dialect"], ruled["new"]["dialect"]) == ("vixie", "robfig")
    assert diff(cli, *spring, "--dialect", "robfig")["removed"]["runs"] == 0
    assert diff(cli, *spring, "--old-timezone", "UTC")["old"]["timezone"] == "UTC"


def test_joined_texts_are_a_json_list(cli: Cli) -> None:
    answer = diff(cli, "0 9 * * *", '["0 9 * * *", "0 18 * * *"]')
    assert (answer["added"]["runs"], answer["kept"]["runs"]) == (30, 30)
    assert answer["new"]["schedule"] == ["0 9 * * *", "0 18 * * *"]


def test_the_old_schedule_may_be_that_of_a_job(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", schedule="0 18 * * *", timezone="Asia/Tokyo", dialect="robfig")
    answer = diff(cli, "--job", "demo/beat", "0 18 * * MON-FRI")
    assert answer["old"]["schedule"] == "0 18 * * *"
    assert (answer["new"]["timezone"], answer["new"]["dialect"]) == ("Asia/Tokyo", "robfig")
    assert (answer["added"]["runs"], answer["removed"]["runs"]) == (0, 9)
    moved = diff(cli, "--job", "beat", "-n", "demo", "0 18 * * *", "--new-timezone", "UTC", "--new-dialect", "vixie")
    assert (moved["added"]["runs"], moved["removed"]["runs"], moved["new"]["dialect"]) == (30, 30, "vixie")


def test_a_dialect_that_the_job_s_text_brings_with_it_does_not_bind_the_new_one(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", schedule="rate(1 hour)", dialect="eventbridge")
    assert diff(cli, "--job", "demo/beat", "@hourly")["new"]["dialect"] == "vixie"


def test_the_rate_of_a_job_keeps_to_the_grid_of_the_api(api: ApiServer, cli: Cli) -> None:
    job = api.add_job("demo/beat", schedule="@every 7m")
    job["status"]["next_run_at"] = "2026-11-20T08:33:21Z"
    api.say("/beat", job)
    assert diff(cli, "--job", "demo/beat", "@every 14m", "--days", "7")["removed"]["first"][0] == "2026-11-20T08:40:21Z"


def test_warnings_are_those_of_the_new_one(cli: Cli) -> None:
    result = cli("diff-schedule", "@daily", "0 9 13 * FRI")
    assert result.stderr.startswith("warning: day-of-")
    assert diff(cli, "@daily", "0 9 13 * FRI")["warnings"][0]["field"].startswith("day-of-")
    assert diff(cli, "0 9 13 * FRI", "@daily")["warnings"] == []


def test_a_fixed_delay_is_compared_as_if_its_runs_took_no_time_and_says_so(cli: Cli) -> None:
    assert "OLD counts from the end of each run" in cli("diff-schedule", "@after 1h", "@daily").stderr


@pytest.mark.thorough
def test_a_span_of_too_many_instants_is_cut_and_says_so(cli: Cli) -> None:
    result = cli("diff-schedule", "* * * * * *", "*/2 * * * * *", "-c", "0")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[-1].startswith("compared up to 2026-12-")
    assert "first" not in result.stdout


def test_an_error_says_which_of_the_two_is_meant(cli: Cli) -> None:
    result = cli("diff-schedule", "@daily", "0 61 * * *")
    assert (result.exit_code, result.stderr.splitlines()[0]) == (2, "error: NEW cannot be used")
    joined = cli("diff-schedule", '["@daily", "0 61 * * *"]', "@daily").stderr.splitlines()
    assert joined[:2] == ["error: OLD cannot be used", "  schedule 2, hour: 61 is out of range"]
    assert joined[3].index("^") == joined[2].index("61")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["@daily"],
        ["@daily", "@hourly", "@weekly"],
        ["--job", "demo/beat"],
        ["--job", "demo/beat", "@daily", "@hourly"],
        ["--job", "demo/beat", "@daily", "--old-timezone", "UTC"],
        ["--job", "demo/beat", "@daily", "--old-dialect", "vixie"],
        ["@daily", "@hourly", "-n", "demo"],
        ["@daily", "@hourly", "--days", "0"],
        ["@daily", "@hourly", "--from", "later"],
        ["@daily", "@hourly", "--from", "9999-12-20T00:00:00Z"],
        ["@daily", '["@hourly"'],
        ["@daily", "[]"],
        ["@daily", "[1]"],
        ["@daily", "@hourly", "--new-timezone", "Mars/Olympus"],
        ["@daily", "H * * * *", "--name", "No Name"],
    ],
)
def test_what_cannot_be_compared_is_bad_usage(api: ApiServer, cli: Cli, arguments: list[str]) -> None:
    result = cli("diff-schedule", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert api.requests == []


def test_numbers_of_one_are_in_the_singular(cli: Cli) -> None:
    assert "there is 1 text" in cli("diff-schedule", "0 * * * *").stderr
    assert "there are 3 texts" in cli("diff-schedule", "@daily", "@daily", "@daily").stderr
    assert "UTC, 1 day\n" in cli("diff-schedule", "0 * * * *", "1 * * * *", "--days", "1").stdout
