import json

import pytest

from tests.unit.cli.conftest import Cli, Sleeper
from tests.unit.client.fake_api import FakeApi

RUN = "20261120T080000Z"


def test_runs_come_newest_first_with_what_came_of_them(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", "20261120T080000Z")
    api.add_run(
        "demo/beat", "20261120T080010Z", "failed", error={"type": "Timeout", "message": "too\nslow", "stack": "…"}
    )
    api.add_run(
        "demo/beat", "20261120T080020Z", "skipped", reason="the job was paused", lateness_ms=None, duration_ms=None
    )
    lines = cli("runs", "demo/beat").stdout.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [
        ["2026-11-20", "08:00:20", "skipped"],
        ["2026-11-20", "08:00:10", "failed"],
        ["2026-11-20", "08:00:00", "succeeded"],
    ]
    assert "the job was paused" in lines[1]
    assert lines[2].rstrip().endswith("Timeout: too")
    assert "412 ms" in lines[3]
    assert lines[3].rstrip().endswith("HTTP 200")


def test_runs_has_a_limit_over_several_pages_and_goes_on_at_a_cursor(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    for n in range(100):
        api.add_run("demo/beat", f"20261120T08{n // 60:02}{n % 60:02}Z")
    assert len(json.loads(cli("runs", "demo/beat", "-o", "json").stdout)["items"]) == 20
    page = json.loads(cli("runs", "demo/beat", "-o", "json", "--limit", "70").stdout)
    rest = json.loads(cli("runs", "demo/beat", "-o", "json", "--limit", "70", "--cursor", page["next"]).stdout)
    assert (len(page["items"]), len(rest["items"]), rest["next"]) == (70, 30, None)
    assert "there are more" in cli("runs", "demo/beat").stderr


def test_a_job_without_runs_is_no_error(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    result = cli("runs", "demo/beat")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "demo/beat has no runs\n")


def test_follow_prints_each_run_and_each_change_and_ends_cleanly_on_ctrl_c(
    api: FakeApi, cli: Cli, sleeper: Sleeper
) -> None:
    api.add_job("demo/beat")
    first = api.add_run("demo/beat", "20261120T080000Z", "running")
    sleeper.then = [
        lambda: first.update(state="succeeded"),
        lambda: None,
        lambda: [api.add_run("demo/beat", f"20261120T0801{n:02}Z") for n in range(60)],
    ]
    result = cli("runs", "demo/beat", "--follow", "-o", "json")
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(run["run_id"], run["state"]) for run in events[:2]] == [
        ("20261120T080000Z", "running"),
        ("20261120T080000Z", "succeeded"),
    ]
    assert [run["run_id"] for run in events[2:]] == [f"20261120T0801{n:02}Z" for n in range(60)]
    assert (result.exit_code, result.stderr) == (0, "")


def test_follow_prints_a_line_for_people(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", "20261120T080000Z")
    assert cli("runs", "demo/beat", "--follow").stdout == (
        "2026-11-20 08:00:00  succeeded  attempt 1  late  412 ms  took   1.2 s  20261120T080000Z  HTTP 200\n"
    )


def test_follow_of_a_job_that_is_not_there_is_not_found(cli: Cli) -> None:
    assert cli("runs", "demo/beat", "--follow").exit_code == 3


def test_follow_takes_no_cursor(cli: Cli) -> None:
    assert cli("runs", "demo/beat", "--follow", "--cursor", "x").exit_code == 2


def test_run_shows_the_whole_record_with_body_and_stack(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run(
        "demo/beat",
        RUN,
        "failed",
        result={"type": "http", "status": 500, "body": "line one\nline \x1btwo"},
        error={"type": "HttpStatus", "message": "500", "stack": "Traceback\n  File x"},
        duration_ms=65_000,
        lateness_ms=7_380_000,
    )
    shown = cli("run", "demo/beat", RUN).stdout
    for text in (
        "failed",
        "2026-11-20 08:00:00 UTC",
        "type http, status 500",
        "line one\nline \\x1btwo",
        "Traceback\n  File x",
        "HttpStatus: 500",
        "1 m 05 s",
        "2 h 03 m",
    ):
        assert text in shown
    assert json.loads(cli("run", "demo/beat", RUN, "-o", "json").stdout) == api.runs["demo/beat"][RUN]


def test_run_says_why_a_run_was_skipped(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", RUN, "skipped", reason="the job was paused", started_at=None)
    assert "the job was paused" in cli("run", "demo/beat", RUN).stdout


def test_trigger_answers_the_run_without_waiting(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    result = cli("trigger", "demo/beat")
    assert result.exit_code == 0
    assert result.stdout.startswith("queued  demo/beat  20261120T085903Z~trigger-0")


def test_trigger_twice_with_one_key_is_one_run(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    runs = [
        json.loads(cli("trigger", "demo/beat", "--idempotency-key", "k", "-o", "json").stdout)["run_id"]
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
    assert len(api.runs["demo/beat"]) == 1


@pytest.mark.parametrize(
    ("state", "code"), [("succeeded", 0), ("failed", 1), ("timed_out", 1), ("skipped", 1), ("lost", 1)]
)
def test_trigger_with_wait_ends_with_the_run(api: FakeApi, cli: Cli, sleeper: Sleeper, state: str, code: int) -> None:
    api.add_job("demo/beat")
    sleeper.then = [
        lambda: None,
        lambda: [run.update(state="retrying") for run in api.runs["demo/beat"].values()],
        lambda: [run.update(state=state) for run in api.runs["demo/beat"].values()],
    ]
    result = cli("trigger", "demo/beat", "--wait", "-o", "json")
    assert (result.exit_code, json.loads(result.stdout)["state"]) == (code, state)
    if code:
        assert state in json.loads(result.stderr)["detail"]


def test_trigger_stops_waiting_at_the_time_out(api: FakeApi, cli: Cli, sleeper: Sleeper) -> None:
    api.add_job("demo/beat")
    sleeper.then = [lambda: None] * 1000
    result = cli("trigger", "demo/beat", "--wait", "--timeout", "1m30s")
    assert result.exit_code == 1
    assert sleeper.now == pytest.approx(90)
    assert "still queued" in result.stderr


def test_ctrl_c_while_waiting_is_told_by_the_exit_code(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    result = cli("trigger", "demo/beat", "--wait")
    assert result.exit_code == 130
    assert "interrupted" in result.stderr


@pytest.mark.parametrize("timeout", ["", "5", "0s", "1.5m", "-1s", "5 m", "soon"])
def test_a_time_out_that_is_no_duration_is_bad_usage(api: FakeApi, cli: Cli, timeout: str) -> None:
    assert cli("trigger", "demo/beat", "--wait", "--timeout", timeout).exit_code == 2
    assert api.requests == []


def test_a_time_out_without_wait_is_bad_usage(api: FakeApi, cli: Cli) -> None:
    assert cli("trigger", "demo/beat", "--timeout", "5m").exit_code == 2
    assert api.requests == []
