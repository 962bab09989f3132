"""The coming runs of a job, and what is left out between them."""

import json
import re

import pytest

from minutehand.usecases.queries import preview
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli
from tests.unit.cli.files import write

NEXT = "2026-11-20T09:00:00Z"
NEW_YORK = "America/New_York"
WEEKEND = "name: weekend\nnamespace: demo\nweekly: [SAT, SUN]\n"


def rows(text: str) -> list[list[str]]:
    return [re.split(r" {2,}", line) for line in text.splitlines()]


def coming(cli: Cli, job: str, after: str, count: int = 2) -> list[list[str]]:
    """The table of a job's coming runs."""
    return rows(cli("next", "--job", job, "--after", after, "-c", str(count)).stdout)[2:]


def test_next_of_a_job_is_asked_of_the_api_and_shown_on_both_clocks(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", schedule="0 9 * * MON-FRI", timezone="Asia/Tokyo")
    result = cli("next", "--job", "beat", "-n", "demo", "-c", "2", "--after", "2026-11-22T09:00:00+09:00")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "At 09:00 on weekdays, Tokyo time (Asia/Tokyo, vixie)",
        "",
        "local (Asia/Tokyo)              UTC",
        "Mon 2026-11-23 09:00:00 +09:00  2026-11-23 00:00:00",
        "Tue 2026-11-24 09:00:00 +09:00  2026-11-24 00:00:00",
    ]
    assert api.requests[-1].query == {"count": "2", "after": "2026-11-22T00:00:00Z"}
    shown = json.loads(cli("next", "--job", "demo/beat", "-o", "json").stdout)
    assert shown == api.ask("GET", "namespaces/demo/jobs/beat/next", query={"count": "10"})
    assert api.requests[-1].query == {"count": "10"}


def test_the_runs_of_a_fixed_delay_beyond_the_next_are_estimates(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", schedule="@after 5m")
    result = cli("next", "--job", "demo/beat", "-c", "3")
    assert rows(result.stdout)[2:] == [
        ["local (UTC)", "UTC", "note"],
        ["Fri 2026-11-20 08:35:00 +00:00", "2026-11-20 08:35:00"],
        ["Fri 2026-11-20 08:40:00 +00:00", "2026-11-20 08:40:00", "estimate"],
        ["Fri 2026-11-20 08:45:00 +00:00", "2026-11-20 08:45:00", "estimate"],
    ]
    assert result.stderr == (
        "an estimate assumes that the runs before it take no time: the delay counts from the end of each run\n"
    )
    [item] = api.ask("GET", "namespaces/demo/jobs/beat/next", query={"count": "1"})["items"]
    assert not item["estimated"]
    assert "estimate" in cli("next", "--job", "demo/beat", "-c", "1", "--after", "2026-11-20T09:00:00Z").stdout


def test_what_does_not_run_is_between_the_runs_with_why(api: ApiServer, cli: Cli) -> None:
    write("weekend.yaml", WEEKEND)
    cli("calendar", "apply", "weekend.yaml")
    blocked = {"timezone": NEW_YORK, "calendars": ["weekend"]}
    api.add_job("demo/moved", schedule="30 2 * * *", on_blocked="next_day", **blocked)
    api.add_job("demo/skipped", schedule="30 * * * *", **blocked)
    api.add_job("demo/gap", schedule="30 2 * * *", timezone=NEW_YORK, dialect="robfig")
    assert coming(cli, "demo/moved", "2027-03-12T06:00:00Z") == [
        ["local (America/New_York)", "UTC", "note"],
        ["Fri 2027-03-12 02:30:00 -05:00", "2027-03-12 07:30:00"],
        [
            "Sat 2027-03-13 02:30:00 -05:00",
            "-",
            "blocked by the calendar weekend, 2 times until Mon 2027-03-15 00:00:00 -04:00; the first runs on Mon 2027-03-15 02:30:00 -04:00 instead",
        ],
        ["Mon 2027-03-15 02:30:00 -04:00", "2027-03-15 06:30:00", "after the clocks go forward on 2027-03-14"],
    ]
    assert coming(cli, "demo/skipped", "2027-03-13T04:00:00Z")[2] == [
        "Sat 2027-03-13 00:30:00 -05:00",
        "-",
        "blocked by the calendar weekend, 47 times until Mon 2027-03-15 00:00:00 -04:00",
    ]
    [skipped] = [row for row in coming(cli, "demo/gap", "2027-03-13T06:00:00Z") if row[0] == "Sun 2027-03-14 02:30:00"]
    assert skipped[1:] == ["-", "skipped: the clocks jump from 02:00 to 03:00, so 02:30 does not exist"]


def test_a_moved_run_says_from_when_and_a_delayed_one_when_it_starts(api: ApiServer, cli: Cli) -> None:
    write("weekend.yaml", WEEKEND)
    cli("calendar", "apply", "weekend.yaml")
    api.add_job("demo/beat", schedule="0 9 * * SAT", calendars=["weekend"], on_blocked="next_day", jitter="10m")
    [heads, _, moved] = coming(cli, "demo/beat", "2026-11-20T12:00:00Z", count=1)
    assert heads == ["local (UTC)", "UTC", "starts (UTC)", "note"]
    assert moved[:2] == ["Mon 2026-11-23 09:00:00 +00:00", "2026-11-23 09:00:00"]
    assert moved[2].startswith("2026-11-23 09:0")
    assert moved[3] == "moved from Sat 2026-11-21"


def test_more_blocked_instants_than_are_counted_are_many(api: ApiServer, cli: Cli) -> None:
    write("weekend.yaml", WEEKEND)
    cli("calendar", "apply", "weekend.yaml")
    api.add_job("demo/beat", schedule="* * * * *", calendars=["weekend"])
    text = cli("next", "--job", "demo/beat", "--after", "2026-11-20T23:58:00Z", "-c", "2").stdout
    assert "blocked by the calendar weekend, more than 1,000 times until Mon 2026-11-23 00:00:00 +00:00" in text


def test_that_more_is_blocked_than_is_shown_is_reported(api: ApiServer, cli: Cli) -> None:
    write("work.yaml", "name: noons\nnamespace: demo\nweekly: ['MON-SUN 12:00-13:00']\n")
    cli("calendar", "apply", "work.yaml")
    api.add_job("demo/beat", schedule="0 12,13 * * *", calendars=["noons"])
    assert "only the first 20 blocked ranges are shown" in cli("next", "--job", "demo/beat", "-c", "30").stderr


def test_next_of_an_idle_job_says_why_there_is_none(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", paused=True)
    result = cli("next", "--job", "demo/beat")
    assert (result.exit_code, result.stdout) == (0, "Every hour (UTC, vixie)\n")
    shown = json.loads(cli("next", "--job", "demo/beat", "-o", "json").stdout)
    assert shown["items"] == []
    assert shown["idle_because"].startswith("paused")
    assert result.stderr == f"demo/beat has no next run: {shown['idle_because']}\n"


@pytest.mark.parametrize("schedule", ["@hourly", "@after 5m"])
def test_next_of_a_job_in_a_paused_namespace_names_the_pause_below_the_runs_after_it(
    api: ApiServer, cli: Cli, schedule: str
) -> None:
    api.add_job("demo/beat", schedule=schedule)
    api.ask("POST", "namespaces/demo/pause", {"until": "2026-11-20T12:00:00Z"})
    result = cli("next", "--job", "demo/beat", "-c", "1")
    assert "2026-11-20 12:0" in result.stdout
    assert result.stderr.splitlines()[-1] == (
        "demo/beat: the namespace demo is paused until 2026-11-20T12:00:00Z (by admin at 2026-11-20T08:30:00Z); "
        "resume the namespace to let its jobs run"
    )


def test_the_last_run_of_a_job_is_shown_as_the_last(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", end_at="2026-11-20T09:30:00Z")
    assert cli("next", "--job", "demo/beat", "-c", "1").stderr == ""
    assert cli("next", "--job", "demo/beat", "-c", "2").stderr == f"there is no further run after {NEXT}\n"
    said = cli("next", "--job", "demo/beat", "--after", NEXT).stderr
    assert said == f"there is no further run after {NEXT}\n"


def test_a_list_that_the_api_cut_says_how_to_continue(
    api: ApiServer, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.ask("PUT", "namespaces/demo/calendars/nights", {"weekly": ["MON-SUN 00:00-06:00"]})
    api.add_job("demo/beat", calendars=["nights"])
    monkeypatch.setattr(preview, "MOST_STEPS", 0)
    said = cli("next", "--job", "demo/beat").stderr
    assert f"cut after {NEXT}" in said
    assert f"continue with --after {NEXT}" in said
    assert "there is no further run" not in said
