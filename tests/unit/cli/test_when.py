"""The instants that people write."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from minutehand.cli.when import parse_when
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli

NOW = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)  # a Friday
NEW_YORK = "America/New_York"


def at(text: str, zone: str = "UTC", *, ahead: bool = False) -> str:
    return f"{parse_when(text, now=NOW, zone=zone, ahead=ahead):%Y-%m-%d %H:%M:%S}"


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("now", "2026-11-20 08:30:00"),
        ("2026-11-20 09:00", "2026-11-20 09:00:00"),
        ("2026-11-20", "2026-11-20 00:00:00"),
        ("2026-11-20T09:00:05Z", "2026-11-20 09:00:05"),
        ("2026-11-20T18:00:00+09:00", "2026-11-20 09:00:00"),
        ("20261120T090000Z", "2026-11-20 09:00:00"),
        ("10m ago", "2026-11-20 08:20:00"),
        ("2 days ago", "2026-11-18 08:30:00"),
        ("1h30m ago", "2026-11-20 07:00:00"),
        ("in 90 min", "2026-11-20 10:00:00"),
        ("yesterday", "2026-11-19 00:00:00"),
        ("Yesterday  9:00", "2026-11-19 09:00:00"),
        ("tomorrow 09:00:30", "2026-11-21 09:00:30"),
        ("last friday", "2026-11-20 00:00:00"),
        ("next friday 8:30", "2026-11-27 08:30:00"),
        ("yesterday 09:00 +01:00", "2026-11-19 08:00:00"),
        ("2026-11-20 09:00 Asia/Tokyo", "2026-11-20 00:00:00"),
    ],
)
def test_an_instant_may_be_written_as_people_do(text: str, instant: str) -> None:
    assert at(text) == at(text, ahead=True) == instant


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("1h", "2026-11-20 07:30:00", "2026-11-20 09:30:00"),
        ("1d 2h", "2026-11-19 06:30:00", "2026-11-21 10:30:00"),
        ("monday 9:00", "2026-11-16 09:00:00", "2026-11-23 09:00:00"),
        ("fri 8:30", "2026-11-20 08:30:00", "2026-11-27 08:30:00"),
        ("friday 9:00", "2026-11-13 09:00:00", "2026-11-20 09:00:00"),
        ("09:00", "2026-11-19 09:00:00", "2026-11-20 09:00:00"),
        ("8:00", "2026-11-20 08:00:00", "2026-11-21 08:00:00"),
    ],
)
def test_what_repeats_is_the_latest_or_the_next(text: str, before: str, after: str) -> None:
    assert (at(text), at(text, ahead=True)) == (before, after)


def test_local_times_are_those_of_the_zone() -> None:
    assert at("yesterday 09:00", NEW_YORK) == "2026-11-19 14:00:00"
    assert at("2026-11-20 09:00", NEW_YORK) == "2026-11-20 14:00:00"
    assert at("2026-11-20 09:00 UTC", NEW_YORK) == "2026-11-20 09:00:00"
    assert at("today", "Asia/Tokyo") == "2026-11-19 15:00:00"


@pytest.mark.parametrize(
    ("text", "taught"),
    [
        ("later", "write 09:00, 2026-11-20 09:00, 2026-11-20T09:00:00Z, 10m ago, yesterday 09:00 or monday 9:00"),
        ("", "is not an instant"),
        ("in 5m ago", "is not an instant"),
        ("yesterday 9", "is not an instant"),
        ("2026-02-30", "there is no day 2026-02-30"),
        ("25:00", "write 00:00 to 23:59"),
        ("Sat 2026-11-20 09:00", "2026-11-20 is a Friday"),
        ("99999d", "longer than a hundred years"),
        ("9999-12-31 23:00 -05:00", "outside the years 1 to 9999"),
        ("2026-11-20 09:00 Europe/Pariss", "did you mean Europe/Paris"),
        ("2027-03-14 02:30", "the clocks go forward"),
        ("2026-11-01 01:30", "write 2026-11-01T01:30:00-04:00 for the first, 2026-11-01T01:30:00-05:00 for the second"),
    ],
)
def test_an_error_says_what_would_be_right(text: str, taught: str) -> None:
    with pytest.raises(ValueError, match=re.escape(taught)):
        at(text, NEW_YORK)


def test_what_the_tables_print_can_be_given_back(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", schedule="0 9 * * *", timezone="Asia/Tokyo")
    api.add_run("demo/beat", "20261120T000000Z")
    [_, row] = cli("runs", "demo/beat").stdout.splitlines()
    assert cli("explain", "demo/beat", row[:19]).stdout.startswith("2026-11-20 00:00:00 UTC  succeeded")
    [*_, local] = cli("next", "--job", "demo/beat", "-c", "1").stdout.splitlines()
    assert cli("next", "--job", "demo/beat", "-c", "1", "--after", local[:30]).exit_code == 0
    assert api.requests[-1].query["after"] == "2026-11-21T00:00:00Z"


@pytest.mark.parametrize(
    ("words", "query"),
    [
        (["--from", "1h"], {"from": "2026-11-20T07:30:00Z"}),
        (["--from", "yesterday 09:00", "--to", "now"], {"from": "2026-11-19T09:00:00Z", "to": "2026-11-20T08:30:00Z"}),
        (["--from", "fri 09:00", "--timezone", "Europe/Rome"], {"from": "2026-11-20T08:00:00Z"}),
        (["--timezone", "Europe/Rome", "2026-11-20 09:00"], {"at": "2026-11-20T08:00:00Z"}),
    ],
)
def test_explain_reads_instants_in_the_zone_that_is_given(
    api: ApiServer, cli: Cli, job: str, words: list[str], query: dict[str, Any]
) -> None:
    assert cli("explain", job, *words).exit_code == 0
    assert api.requests[-1].query == query


def test_the_zone_may_come_from_the_environment(api: ApiServer, cli: Cli, job: str) -> None:
    cli("explain", job, "2026-11-20 09:00", env={"MINUTEHAND_TIMEZONE": "Europe/Rome"})
    assert api.requests[-1].query == {"at": "2026-11-20T08:00:00Z"}
    result = cli("explain", job, env={"MINUTEHAND_TIMEZONE": "Rome"})
    assert result.exit_code == 2
    assert "did you mean Europe/Rome?" in result.stderr


def test_a_backfill_and_a_pause_take_the_same_instants(api: ApiServer, cli: Cli, job: str) -> None:
    words = ["--from", "yesterday", "--to", "today", "--timezone", "Europe/Rome"]
    cli("backfill", "start", job, *words, "--dry-run")
    assert api.requests[-1].body["from"] == "2026-11-18T23:00:00Z"
    cli("pause", job, "--until", "monday 9:00", "--timezone", "Europe/Rome")
    assert api.jobs[job]["paused"] == {"until": "2026-11-23T08:00:00Z"}
