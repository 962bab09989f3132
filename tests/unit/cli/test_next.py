"""The next instants of a schedule, as people and programs are shown them."""

import json
import re

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli

NEW_YORK = ("--timezone", "America/New_York")


def test_next_needs_no_api_and_shows_local_time_and_utc(api: ApiServer, cli: Cli) -> None:
    result = cli("next", "0 9 * * MON-FRI", "--timezone", "America/New_York", "-c", "2")
    assert [" ".join(line.split()) for line in result.stdout.splitlines()] == [
        "At 09:00 on weekdays, New York time (America/New_York, vixie)",
        "",
        "local (America/New_York) UTC",
        "Fri 2026-11-20 09:00:00 -05:00 2026-11-20 14:00:00",
        "Mon 2026-11-23 09:00:00 -05:00 2026-11-23 14:00:00",
    ]
    assert api.requests == []


def test_next_in_json_is_a_list_of_instants_in_utc(cli: Cli) -> None:
    result = cli(
        "next", "@hourly", "--count", "2", "--after", "2026-11-20T18:00:00+09:00", "--dialect", "vixie", "-o", "json"
    )
    answer = json.loads(result.stdout)
    assert answer["next"] == ["2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z"]
    assert answer["instants"][0] == {"local": "2026-11-20T10:00:00+00:00", "utc": "2026-11-20T10:00:00Z", "note": None}
    assert (answer["schedule"], answer["timezone"], answer["dialect"]) == ("@hourly", "UTC", "vixie")
    assert answer["description"]
    assert (answer["skipped"], answer["warnings"]) == ([], [])


def test_a_time_that_runs_late_says_why(cli: Cli) -> None:
    lines = cli("next", "30 2 * * *", *NEW_YORK, "--after", "2027-03-13T12:00:00Z", "-c", "2").stdout.splitlines()
    assert lines[2].split()[-1] == "note"
    assert lines[3].endswith("the clocks jump from 02:00 to 03:00: 02:30 does not exist, so it runs at 03:00")
    assert lines[4] == "Mon 2027-03-15 02:30:00 -04:00  2027-03-15 06:30:00"


def test_a_time_that_is_skipped_has_a_row_of_its_own_that_counts_for_nothing(cli: Cli) -> None:
    arguments = ["next", "30 2 * * *", *NEW_YORK, "--dialect", "robfig", "--after", "2027-03-12T12:00:00Z", "-c", "2"]
    rows = [re.split(r"  +", line) for line in cli(*arguments).stdout.splitlines()[3:]]
    assert [row[:2] for row in rows] == [
        ["Sat 2027-03-13 02:30:00 -05:00", "2027-03-13 07:30:00"],
        ["Sun 2027-03-14 02:30:00", "-"],
        ["Mon 2027-03-15 02:30:00 -04:00", "2027-03-15 06:30:00"],
    ]
    assert rows[1][2] == "skipped: the clocks jump from 02:00 to 03:00, so 02:30 does not exist"
    answer = json.loads(cli(*arguments, "-o", "json").stdout)
    assert len(answer["next"]) == 2
    assert answer["skipped"] == [
        {"local": "2027-03-14T02:30:00", "timezone": "America/New_York", "times": 1, "note": rows[1][2]}
    ]


def test_a_time_that_comes_twice_says_which_pass_it_is(cli: Cli) -> None:
    arguments = ["next", "30 1 * * *", *NEW_YORK, "--dialect", "robfig", "--after", "2027-11-06T12:00:00Z", "-c", "2"]
    answer = json.loads(cli(*arguments, "-o", "json").stdout)
    assert [(row["local"], row["note"].partition(":")[0]) for row in answer["instants"]] == [
        ("2027-11-07T01:30:00-04:00", "first of two passes"),
        ("2027-11-07T01:30:00-05:00", "second pass"),
    ]


def test_warnings_stand_under_the_table_with_a_caret_in_their_text(cli: Cli) -> None:
    result = cli("next", "@daily", "0 9 13 * FRI")
    lines = result.stderr.splitlines()
    assert lines[0].startswith("warning: schedule 2, day-of-")
    assert lines[1].strip() == "0 9 13 * FRI"
    assert lines[2].strip() == "^"
    assert lines[3].strip().startswith("hint:")
    [warning] = json.loads(cli("next", "@daily", "0 9 13 * FRI", "-o", "json").stdout)["warnings"]
    assert set(warning) == {"message", "field", "column", "hint", "part"}
    assert (warning["part"], warning["column"]) == (1, lines[2].index("^") - lines[1].index("0 9"))


def test_several_texts_are_joined(cli: Cli) -> None:
    result = cli("next", "0 9 * * *", "0 18 * * *", "-c", "3", "-o", "json")
    answer = json.loads(result.stdout)
    assert answer["schedule"] == ["0 9 * * *", "0 18 * * *"]
    assert answer["next"] == ["2026-11-20T09:00:00Z", "2026-11-20T18:00:00Z", "2026-11-21T09:00:00Z"]


def test_h_goes_by_the_name_of_the_job(cli: Cli) -> None:
    def times(name: str) -> list[str]:
        return json.loads(cli("next", "H H * * *", "--name", name, "-o", "json").stdout)["next"]

    assert times("report") == times("default/report") != times("demo/report")
    result = cli("next", "H * * * *", "--name", "No Name")
    assert result.exit_code == 2
    assert "name: 'No Name' is not the name of a job" in result.stderr


def test_a_zone_in_the_text_is_reported_when_the_option_gives_another(cli: Cli) -> None:
    text = "CRON_TZ=Asia/Tokyo 0 9 * * *"
    between = ["--between", "2026-11-20T09:00:00Z", "2026-11-21T09:00:00Z"]
    for more in ([], between):
        result = cli("next", text, *NEW_YORK, *more)
        assert "overrides America/New_York" in result.stderr
        answer = json.loads(cli("next", text, *NEW_YORK, *more, "-o", "json").stdout)
        assert [warning["field"] for warning in answer["warnings"]] == ["timezone"]
    assert cli("next", text).stderr == cli("next", text, "--timezone", "Asia/Tokyo").stderr == ""


def test_a_rate_counts_from_the_anchor(cli: Cli) -> None:
    result = cli("next", "rate(7 minutes)", "--anchor", "2026-11-20T08:33:21Z", "-c", "2", "-o", "json")
    assert json.loads(result.stdout)["next"] == ["2026-11-20T08:33:21Z", "2026-11-20T08:40:21Z"]


def test_between_shows_all_of_a_span_and_no_more(cli: Cli) -> None:
    span = ["--between", "2026-11-20T09:00:00Z", "2026-11-20T12:00:00Z"]
    answer = json.loads(cli("next", "@hourly", *span, "-o", "json").stdout)
    assert answer["next"] == ["2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z", "2026-11-20T12:00:00Z"]
    assert answer["cut"] is False
    assert cli("next", "@hourly", *span).stderr == ""
    nothing = cli("next", "@yearly", *span)
    assert nothing.stderr == "there is no instant after 2026-11-20T09:00:00Z, up to 2026-11-20T12:00:00Z\n"


def test_between_that_is_cut_says_so(cli: Cli) -> None:
    span = ["--between", "2026-11-20T09:00:00Z", "2026-11-20T12:00:00Z", "--limit", "2"]
    result = cli("next", "@hourly", *span)
    assert result.stderr == "cut after 2 instants, at 2026-11-20T11:00:00Z; --limit shows more\n"
    result = cli("next", "@hourly", *span[:-1], "1")
    assert result.stderr == "cut after 1 instant, at 2026-11-20T10:00:00Z; --limit shows more\n"
    answer = json.loads(cli("next", "@hourly", *span, "-o", "json").stdout)
    assert (len(answer["next"]), answer["cut"]) == (2, True)
    whole = ["--between", "2026-11-20T09:00:00Z", "2026-11-20T11:00:00Z", "--limit", "2"]
    assert cli("next", "@hourly", *whole).stderr == ""


def test_what_has_no_instants_of_its_own_says_so(cli: Cli) -> None:
    assert cli("next", "@manual").stderr == "the schedule has no instants\n"
    assert "as if runs took no time" in cli("next", "@after 5m").stderr


def test_the_last_time_of_all_may_be_one_that_is_skipped(cli: Cli) -> None:
    result = cli("next", "cron(30 2 13-14 3 ? 2027)", *NEW_YORK)
    assert len(result.stdout.splitlines()) == 5
    assert "skipped: the clocks jump" in result.stdout.splitlines()[-1]
    assert "there is no further instant after 2027-03-13T07:30:00Z" in result.stderr


def test_next_shows_the_offset_on_both_sides_of_a_clock_change(cli: Cli) -> None:
    shown = cli("next", "0 12 * * *", "--timezone", "Europe/Paris", "--after", "2026-10-24T00:00:00Z", "-c", "2").stdout
    assert "Sat 2026-10-24 12:00:00 +02:00" in shown
    assert "Sun 2026-10-25 12:00:00 +01:00" in shown


def test_the_end_of_all_instants_is_reported_to_people(cli: Cli) -> None:
    result = cli("next", "0 0 1 1 *", "--after", "9999-12-30T23:59:59Z")
    assert result.exit_code == 0
    assert "9999" not in result.stdout
    assert result.stderr.splitlines()[-1] == "there is no further instant after 9999-12-30T23:59:59Z"
    result = cli("next", "0 0 1 1 *", "--after", "9999-12-30T23:59:59Z", "-o", "json")
    assert (json.loads(result.stdout)["next"], result.stderr) == ([], "")


def test_a_list_that_ends_early_says_so(cli: Cli) -> None:
    result = cli("next", "0 0 1 1 *", "--after", "9997-12-30T00:00:00Z")
    assert len(result.stdout.splitlines()) == 5
    assert "no further instant after 9999-01-01T00:00:00Z" in result.stderr
