import json
import re
from datetime import timedelta

import pytest

from minutehand.domain.run import RunError
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli

NEXT = "2026-11-20T09:00:00Z"
NOON = NOW.replace(hour=12, minute=0)
RUN = "20261120T090000Z"


def rows(text: str) -> list[list[str]]:
    return [re.split(r" {2,}", line) for line in text.splitlines()]


@pytest.fixture(autouse=True)
def _job(api: ApiServer) -> None:
    api.add_job("demo/beat")


def test_an_instant_is_explained_in_a_line_with_the_state_of_its_run(api: ApiServer, cli: Cli) -> None:
    api.add_run("demo/beat", RUN, "failed", error=RunError(type="HttpStatus", message="503"))
    api.now = NOON
    result = cli("explain", "beat", "2026-11-20T18:00:00+09:00", "-n", "demo")
    assert rows(result.stdout) == [["2026-11-20 09:00:00 UTC", "failed", "attempt 1, 412ms late, HttpStatus: 503"]]
    assert (api.requests[-1].path.rpartition("/v1/")[2], api.requests[-1].query) == (
        "namespaces/demo/jobs/beat/explain",
        {"at": NEXT},
    )


def test_an_instant_without_a_run_says_what_there_was_instead(cli: Cli) -> None:
    [[at, what, why]] = rows(cli("explain", "demo/beat", NEXT).stdout)
    assert (at, what) == ("2026-11-20 09:00:00 UTC", "not yet due")
    assert why


def test_runs_of_one_instant_that_the_schedule_did_not_name_show_their_ids(api: ApiServer, cli: Cli) -> None:
    asked = [f"20261120T090300Z~trigger-{number}" for number in (1, 2)]
    for run_id in asked:
        api.add_run("demo/beat", run_id)
    api.now = NOON
    at = "2026-11-20T09:03:00Z"
    said = [f"triggered: succeeded: attempt 1, 412ms late (run {run_id})" for run_id in asked]
    for arguments in ([at], ["--from", at, "--to", "2026-11-20T09:03:01Z"]):
        found = rows(cli("explain", "demo/beat", *arguments).stdout)
        assert [row[-1] for row in found if "triggered" in row[-1]] == said


def test_runs_beside_an_instant_are_reported_below_it_with_their_ids(api: ApiServer, cli: Cli) -> None:
    asked = "20261120T090300Z~trigger-1"
    api.add_run("demo/beat", asked)
    api.now = NOON
    assert rows(cli("explain", "demo/beat", NEXT).stdout)[1:] == [
        [""],
        ["beside it:"],
        ["2026-11-20 09:03:00 UTC", "triggered: succeeded: attempt 1, 412ms late", asked],
    ]


def test_a_stretch_is_a_table_of_what_and_why(api: ApiServer, cli: Cli) -> None:
    api.now = NOON - timedelta(hours=1)
    cli("pause", "demo/beat")
    for hour in (9, 10):
        api.add_run("demo/beat", f"20261120T{hour:02}0000Z")
    api.now = NOON + timedelta(minutes=5)
    cli("resume", "demo/beat")
    result = cli("explain", "demo/beat", "--from", NEXT, "--to", "2026-11-20T14:00:00Z")
    assert [row[:-1] for row in rows(result.stdout)] == [
        ["from (UTC)", "to (UTC)", "times", "what"],
        ["2026-11-20 09:00:00", "2026-11-20 10:00:00", "2", "ran"],
        ["2026-11-20 11:00:00", "1", "queued"],
        ["2026-11-20 11:00:01", "2026-11-20 12:05:00", "paused"],
        ["2026-11-20 13:00:00", "1", "not yet due"],
    ]
    assert api.requests[-1].query == {"from": NEXT, "to": "2026-11-20T14:00:00Z"}
    assert result.stderr == ""


def test_runs_beside_a_stretch_are_reported_below_it(api: ApiServer, cli: Cli) -> None:
    asked = "20261120T080300Z~trigger-1"
    api.add_run("demo/beat", asked)
    path = "namespaces/demo/jobs/beat/explain"
    beside = api.ask("GET", path, query={"at": "2026-11-20T08:00:00Z"})["beside"]
    api.say("/explain", api.ask("GET", path) | {"beside": beside})
    assert rows(cli("explain", "demo/beat").stdout)[-2:] == [
        ["beside it:"],
        ["2026-11-20 08:03:00 UTC", "triggered: succeeded: attempt 1, 412ms late", asked],
    ]


def test_what_did_not_fit_in_is_asked_for_from_where_it_ended(api: ApiServer, cli: Cli) -> None:
    for second in range(200):
        at = f"20261120T06{second // 60:02}{second % 60:02}Z"
        api.add_run("demo/beat", at, "failed" if second % 2 else "succeeded")
    said = cli("explain", "demo/beat", "--from", "2026-11-20T06:00:00Z").stderr
    assert said == "more: --from 2026-11-20T06:01:40Z --to 2026-11-20T08:30:00Z\n"


def test_in_json_it_is_the_answer_as_it_came(api: ApiServer, cli: Cli) -> None:
    shown = json.loads(cli("explain", "demo/beat", NEXT, "-o", "json").stdout)
    assert shown == api.ask("GET", "namespaces/demo/jobs/beat/explain", query={"at": NEXT})


def test_a_time_of_day_is_in_the_jobs_time_zone_unless_the_command_line_names_another(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/paris", timezone="Europe/Paris")
    api.now = NOON
    result = cli("explain", "demo/paris", "today 09:00")
    assert api.requests[-1].query == {"at": "2026-11-20T08:00:00Z"}
    assert "today 09:00 is Fri 2026-11-20 09:00:00 +01:00 in Europe/Paris, the job's time zone" in result.stderr
    cli("explain", "demo/paris", "--from", "today 00:00", "--to", "today 02:00")
    assert api.requests[-1].query == {"from": "2026-11-19T23:00:00Z", "to": "2026-11-20T01:00:00Z"}
    for arguments in (["today 09:00", "--timezone", "UTC"], ["today 09:00 UTC"], [NEXT]):
        result = cli("explain", "demo/paris", *arguments)
        assert (api.requests[-1].query, result.stderr) == ({"at": NEXT}, "")


@pytest.mark.parametrize("text", ["10m ago", "now", "2026-11-20 09:00", "2026-11-20T09:00:00Z", "9:00 (Asia/Tokyo)"])
def test_what_needs_no_time_zone_asks_for_none(api: ApiServer, cli: Cli, text: str) -> None:
    before = len(api.requests)
    cli("explain", "demo/beat", text)
    assert len(api.requests) - before == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([NEXT, "--from", NEXT], "give either"),
        ([NEXT, "--to", NEXT], "give either"),
        (["--to", NEXT], "add its start with --from"),
        (["later"], "'later' is not an instant; write 09:00,"),
    ],
)
def test_what_cannot_be_asked_is_refused_without_asking(
    api: ApiServer, cli: Cli, arguments: list[str], said: str
) -> None:
    result = cli("explain", "demo/beat", *arguments)
    assert (result.exit_code, api.requests) == (2, [])
    assert said in result.stderr


def test_a_job_that_never_was_is_not_found(cli: Cli) -> None:
    assert cli("explain", "demo/ghost").exit_code == 3
