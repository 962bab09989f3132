"""Lists of namespaces, jobs and runs across jobs, and statistics, on the command line."""

import json

import pytest

from minutehand.domain.token import Role
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli


@pytest.fixture(autouse=True)
def _three_jobs(api: ApiServer) -> None:
    """Jobs of two namespaces."""
    api.add_job("shop/report", labels={"team": "data"})
    api.add_job("shop/export", labels={"team": "web"}, schedule="@daily")
    api.add_job("demo/beat", labels={"team": "data", "tier": "1"})


def first_words(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines()[1:]]


def test_namespaces_are_listed_with_their_limits_and_pauses(api: ApiServer, cli: Cli) -> None:
    api.ask("PUT", "namespaces/shop", {"max_concurrency": 20})
    api.ask("POST", "namespaces/demo/pause", {"until": "2026-12-01T09:00:00Z"})
    result = cli("namespaces")
    assert [line.split(None, 1) for line in result.stdout.splitlines()] == [
        ["namespace", "at once   paused                         shadow"],
        ["demo", "no limit  until 2026-12-01 09:00:00 UTC  no"],
        ["shop", "20 runs   no                             no"],
    ]
    page = json.loads(cli("namespaces", "--limit", "1", "-o", "json").stdout)
    rest = cli("namespaces", "--cursor", page["next"]).stdout
    assert (page["items"][0]["namespace"], first_words(rest)) == ("demo", ["shop"])


def test_no_runs_in_all_namespaces_names_those_that_the_token_may_read(api: ApiServer, cli: Cli) -> None:
    asked = ("runs", "-A", "--state", "attention")
    what = "has runs that failed, timed out or were lost in the last 24 hours\n"
    assert cli(*asked).stderr == f"no namespace {what}"
    api.allow(Role.VIEWER, "shop")
    assert cli(*asked).stderr == f"none of the namespaces that this token may read (shop) {what}"


def test_jobs_is_another_name_of_list(cli: Cli) -> None:
    assert cli("jobs", "-n", "shop").stdout == cli("list", "-n", "shop").stdout != ""


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["-A"], ["demo/beat", "shop/export", "shop/report"]),
        (["-A", "-l", "team=data"], ["demo/beat", "shop/report"]),
        (["-A", "-l", "team=data", "-l", "tier=1"], ["demo/beat"]),
        (["-n", "shop", "-q", "port"], ["shop/export", "shop/report"]),
        (["-A", "--not-paused", "--target", "http", "--limit", "1"], ["demo/beat"]),
    ],
)
def test_jobs_are_listed_across_namespaces_and_by_filters(cli: Cli, given: list[str], wanted: list[str]) -> None:
    assert first_words(cli("jobs", *given).stdout) == wanted


def test_paused_jobs_are_listed(api: ApiServer, cli: Cli) -> None:
    api.ask("POST", "namespaces/shop/jobs/export/pause")
    assert first_words(cli("jobs", "-A", "--paused").stdout) == ["shop/export"]
    assert "no namespace has jobs like that" in cli("jobs", "-A", "--paused", "-q", "beat").stderr


def test_a_list_of_jobs_shows_how_the_last_runs_ended_on_request(api: ApiServer, cli: Cli) -> None:
    api.add_run("shop/report", "20261120T080000Z", "failed")
    lines = cli("jobs", "-n", "shop", "--last").stdout.splitlines()
    assert [line.split()[-1] for line in lines] == ["last", "-", "failed"]


def test_a_long_list_of_jobs_takes_few_requests(api: ApiServer, cli: Cli) -> None:
    for number in range(30):
        api.add_job(f"many/job-{number:02}")
    api.requests.clear()
    assert len(first_words(cli("jobs", "-n", "many").stdout)) == 30
    assert [request.query for request in api.requests] == [{"limit": "1000"}]


def test_runs_of_a_namespace_or_of_all_are_listed_with_their_jobs(api: ApiServer, cli: Cli) -> None:
    api.add_run("shop/report", "20261120T080000Z", "failed")
    api.add_run("demo/beat", "20261120T081000Z")
    lines = cli("runs", "-A").stdout.splitlines()
    assert lines[0].split()[:5] == ["scheduled", "for", "(UTC)", "job", "state"]
    assert [line.split()[2:4] for line in lines[1:]] == [["demo/beat", "succeeded"], ["shop/report", "failed"]]
    assert [line.split()[2] for line in cli("runs", "-n", "shop").stdout.splitlines()[1:]] == ["shop/report"]
    assert cli("runs").stderr == "namespace default has no runs in the last 24 hours\n"


def test_runs_are_listed_by_state_label_target_and_time(api: ApiServer, cli: Cli) -> None:
    api.add_run("shop/report", "20261120T080000Z", "failed")
    api.add_run("demo/beat", "20261120T081000Z", "timed_out")
    api.add_run("demo/beat", "20261118T081000Z")

    def found(*given: str) -> list[str]:
        page = json.loads(cli("runs", "-A", *given, "-o", "json").stdout)
        return [f"{run['job']} {run['state']}" for run in page["items"]]

    assert found("--state", "attention") == ["demo/beat timed_out", "shop/report failed"]
    assert found("--state", "failed") == ["shop/report failed"]
    assert found("-l", "tier=1") == ["demo/beat timed_out"]
    assert found("--target", "sqs") == []
    assert found("--since", "2026-11-20T08:05:00Z") == ["demo/beat timed_out"]
    assert found("--since", "2026-11-18T00:00:00Z", "--until", "2026-11-19T00:00:00Z") == ["demo/beat succeeded"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["-s", "failed,lost"], ["lost", "failed"]),
        (["-s", "failed", "-s", "lost"], ["lost", "failed"]),
        (["-s", "failed, succeeded"], ["succeeded", "failed"]),
        (["-s", "attention,failed"], ["lost", "timed_out", "failed"]),
        (["-s", "active,lost"], ["lost", "running"]),
        (["-s", "running,retrying"], ["running"]),
        (["-s", "failed,failed"], ["failed"]),
    ],
)
@pytest.mark.parametrize("where", [["shop/report"], ["-A"]])
@pytest.mark.thorough
def test_runs_are_listed_in_several_states(
    api: ApiServer, cli: Cli, where: list[str], given: list[str], wanted: list[str]
) -> None:
    for minute, state in enumerate(["running", "failed", "succeeded", "timed_out", "lost"]):
        api.add_run("shop/report", f"20261120T080{minute}00Z", state)
    found = json.loads(cli("runs", *where, *given, "-o", "json").stdout)["items"]
    assert [run["state"] for run in found] == wanted
    one = json.loads(cli("runs", *where, *given, "--limit", "1", "-o", "json").stdout)
    assert [run["state"] for run in one["items"]] == wanted[:1]


def test_no_runs_in_several_states_are_said_to_be_none(cli: Cli) -> None:
    assert cli("runs", "shop/report", "-s", "failed,lost").stderr == (
        "shop/report has no failed or lost runs that are due yet\n"
    )


def test_a_state_that_is_none_is_refused_with_those_that_exist(api: ApiServer, cli: Cli) -> None:
    result = cli("runs", "shop/report", "-s", "failed,lots")
    assert (result.exit_code, api.requests) == (2, [])
    assert "'lots' is not one of 'active', 'attention', 'succeeded'," in result.stderr


def test_runs_of_a_job_are_listed_by_time(api: ApiServer, cli: Cli) -> None:
    ids = [f"20261120T0{hour}0000Z" for hour in range(8)]
    for run_id in ids:
        api.add_run("shop/report", run_id)

    def found(*given: str) -> list[str]:
        page = json.loads(cli("runs", "shop/report", *given, "-o", "json").stdout)
        return [run["run_id"] for run in page["items"]]

    assert found("--since", "2026-11-20T05:00:00Z") == ids[:4:-1]
    assert found("--until", "2026-11-20T02:00:00Z") == ids[1::-1]
    assert found("--since", "2026-11-20T05:00:00Z", "--until", "2026-11-20T07:00:00Z", "--limit", "1") == [ids[6]]


def test_runs_claimed_ahead_are_listed_on_request(api: ApiServer, cli: Cli) -> None:
    api.claim_ahead("shop/report", "20261120T083100Z")
    assert cli("runs", "-A").stdout == ""
    assert "20261120T083100Z" in cli("runs", "-A", "--upcoming").stdout


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["-A", "--follow"], "give JOB"),
        (["shop/report", "-A"], "--all-namespaces chooses among jobs, and JOB names one"),
        (["shop/report", "-l", "a=b"], "--label chooses among jobs"),
        (["-A", "-n", "shop"], "exclude each other"),
        (["-A", "-l", "data"], "is not a label"),
        (["shop/report", "--follow", "--since", "2026-11-20T05:00:00Z"], "remove --since and --until"),
    ],
)
def test_runs_refuses_options_that_contradict_each_other(cli: Cli, given: list[str], words: str) -> None:
    result = cli("runs", *given)
    assert (result.exit_code, words in result.stderr) == (2, True), result.stderr


def test_statistics_of_a_job_are_shown_in_all_and_by_hour(api: ApiServer, cli: Cli) -> None:
    api.add_run("shop/report", "20261120T070000Z")
    api.add_run("shop/report", "20261120T080000Z", "failed")
    lines = [line.split() for line in cli("stats", "shop/report").stdout.splitlines()]
    assert lines[0] == ["of", "shop/report,", "2026-11-19", "08:30:01", "to", "2026-11-20", "08:30:01", "UTC"]
    assert lines[1:5] == [
        ["runs", "2:", "1", "failed,", "1", "succeeded"],
        ["success", "50", "%"],
        ["took", "p50", "1.2s,", "p95", "1.2s"],
        ["late", "p50", "412ms,", "p95", "412ms"],
    ]
    assert [row[1:8] for row in lines[7:]] == [
        ["07:00", "1", "1", "0", "0", "100", "%"],
        ["08:00", "1", "0", "1", "0", "0", "%"],
    ]


def test_statistics_of_a_namespace_are_shown(api: ApiServer, cli: Cli) -> None:
    api.add_run("shop/report", "20261118T070000Z")
    api.add_run("shop/export", "20261119T070000Z", "skipped")
    result = cli("stats", "-n", "shop", "--since", "2026-11-18T00:00:00Z", "--per", "day", "-o", "json")
    found = json.loads(result.stdout)
    assert (found["outcomes"], found["per"]) == ({"skipped": 1, "succeeded": 1}, "day")
    assert "runs     0" in cli("stats").stdout
