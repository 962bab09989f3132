"""Pausing until an instant, draining, cancelling and redriving from the command line, and what is shown of runs that wait."""

import json
from typing import Any

import pytest

from minutehand.cli.screen.outcomes import outcome
from minutehand.cli.screen.policies import policies
from tests.unit.cli.conftest import Cli, Sleeper
from tests.unit.client.fake.documents import NEXT, make_backfill, make_run
from tests.unit.client.fake_api import FakeApi

RETRY = {
    "max_attempts": 4,
    "backoff": {"initial": "10s", "factor": 2, "max": "15m", "jitter": 0.1},
    "retry_on": ["5xx", "timed_out"],
    "give_up_on": ["501"],
}


@pytest.fixture
def job(api: FakeApi) -> str:
    api.add_job("demo/beat")
    return "demo/beat"


@pytest.mark.parametrize(
    ("when", "until"),
    [
        ("2026-12-01T09:00:00+01:00", "2026-12-01T08:00:00Z"),
        ("90m", "2026-11-20T10:00:00Z"),
        ("2d", "2026-11-22T08:30:00Z"),
    ],
)
def test_a_pause_may_end_by_itself(api: FakeApi, cli: Cli, job: str, when: str, until: str) -> None:
    assert cli("pause", job, "--until", when).stdout == "paused  demo/beat  next run: 2026-11-20 09:00:00 UTC\n"
    assert api.requests[-1].body == {"until": until}
    shown = dict(line.split("  ", 1) for line in cli("show", job).stdout.splitlines())
    assert shown["paused"].strip() == f"until {until[:10]} {until[11:19]} UTC"
    assert "2026-11-20 09:00:00 (paused until then)" in cli("list", "-n", "demo").stdout


@pytest.mark.parametrize("when", ["soon", "2026-12-01T09:00:00", "2026-12-01T09:00:00.5Z", "0s", "999999999d"])
def test_a_pause_until_what_is_no_instant_is_refused_before_anything_is_asked(
    api: FakeApi, cli: Cli, job: str, when: str
) -> None:
    assert cli("pause", job, "--until", when).exit_code == 2
    assert not api.requests


def test_drain_pauses_and_tells_what_is_still_active(api: FakeApi, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T080000Z")
    api.add_run(job, "20261120T081000Z", "running", result=None)
    lines = cli("drain", job).stdout.splitlines()
    assert lines[0] == "paused  demo/beat  still active: 1 run"
    assert lines[1].startswith("running  demo/beat  20261120T081000Z")
    assert api.jobs[job]["paused"] is True
    assert json.loads(cli("drain", job, "-o", "json").stdout)["active"] == [api.runs[job]["20261120T081000Z"]]


def test_drain_waits_until_no_run_is_active(api: FakeApi, cli: Cli, job: str, sleeper: Sleeper) -> None:
    running = api.add_run(job, "20261120T081000Z", "running")
    waiting = api.add_run(job, "20261120T080000Z", "waiting")
    sleeper.then = [
        lambda: running.update(state="retrying"),
        lambda: running.update(state="succeeded"),
        lambda: waiting.update(state="failed"),
    ]
    result = cli("drain", job, "--wait")
    assert (result.exit_code, result.stdout) == (0, "drained  demo/beat\n")
    assert result.stderr.splitlines() == [
        "demo/beat is paused; waiting for 2 runs",
        "run 20261120T081000Z is over; 1 run left",
        "run 20261120T080000Z is over; 0 runs left",
    ]


def test_a_drain_that_is_not_over_in_time_names_what_is_still_active(
    api: FakeApi, cli: Cli, job: str, sleeper: Sleeper
) -> None:
    for n in range(12):
        api.add_run(job, f"20261120T0800{n:02}Z", "waiting")
    sleeper.then = [lambda: None] * 2
    result = cli("drain", job, "--wait", "--timeout", "3s")
    assert result.exit_code == 1
    assert "demo/beat is paused, and still active: run 20261120T080011Z (waiting), " in result.stderr
    assert ", 2 more" in result.stderr
    assert "cancel demo/beat RUN_ID" in result.stderr


def test_drain_does_not_wait_for_what_the_pause_keeps_from_starting(api: FakeApi, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T083500Z", "queued", claimed_at="2026-11-20T08:29:00Z")
    assert cli("drain", job, "--wait").stdout == "drained  demo/beat\n"
    asked = api.add_run(job, "20261120T083500Z~trigger-1", "queued")
    assert json.loads(cli("drain", job, "-o", "json").stdout)["active"] == [asked]


def test_drain_waits_for_a_backfill_also_between_two_of_its_runs(
    api: FakeApi, cli: Cli, job: str, sleeper: Sleeper
) -> None:
    api.backfills[job] = {
        "0a1b": make_backfill(job),
        "2c3d": make_backfill(job, "2c3d", state="done", finished_at=NEXT),
    }
    backfill = api.backfills[job]["0a1b"]
    run = api.add_run(job, "20261120T070000Z~backfill-0a1b", "running")
    sleeper.then = [
        lambda: run.update(state="succeeded"),
        lambda: backfill.update(state="cancelled"),
        lambda: backfill.update(finished_at=NEXT),
    ]
    result = cli("drain", job, "--wait")
    assert (result.exit_code, result.stdout) == (0, "drained  demo/beat\n")
    assert result.stderr.splitlines() == [
        "demo/beat is paused; waiting for 1 run and 1 backfill",
        "run 20261120T070000Z~backfill-0a1b is over; 1 backfill left",
        "backfill 0a1b is over; 0 runs left",
    ]


def test_a_backfill_that_goes_on_is_told_with_how_to_end_it(api: FakeApi, cli: Cli, job: str, sleeper: Sleeper) -> None:
    api.backfills[job] = {"0a1b": make_backfill(job)}
    assert cli("drain", job).stdout.splitlines() == [
        "paused  demo/beat  still active: 1 backfill",
        "backfill active  demo/beat  0a1b",
    ]
    assert json.loads(cli("drain", job, "-o", "json").stdout) == {
        "job": job,
        "active": [],
        "backfills": [api.backfills[job]["0a1b"]],
    }
    sleeper.then = [lambda: None] * 2
    result = cli("drain", job, "--wait", "--timeout", "3s")
    assert result.exit_code == 1
    assert "demo/beat is paused, and still active: backfill 0a1b (active)" in result.stderr
    assert "or `minutehand backfill cancel demo/beat ID` to end a backfill" in result.stderr


def test_a_time_to_wait_without_waiting_is_refused(cli: Cli, job: str) -> None:
    assert "add --wait" in cli("drain", job, "--timeout", "3s").stderr


def test_cancel_says_what_became_of_the_run(api: FakeApi, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T080000Z", "queued", result=None)
    api.add_run(job, "20261120T081000Z", "running", result=None)
    assert cli("cancel", job, "20261120T080000Z").stdout == "cancelled  demo/beat  20261120T080000Z  by admin\n"
    asked = cli("cancel", job, "20261120T081000Z").stdout
    assert asked == "running  demo/beat  20261120T081000Z  to be cancelled, asked by admin\n"
    assert json.loads(cli("cancel", job, "20261120T081000Z", "-ojson").stdout)["cancelled_by"] == "admin"


def test_a_run_that_has_ended_cannot_be_cancelled(api: FakeApi, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T080000Z")
    result = cli("cancel", job, "20261120T080000Z")
    assert result.exit_code == 4
    assert "has ended already: succeeded" in result.stderr


def test_redrive_tells_what_was_sent_again(api: FakeApi, cli: Cli, job: str) -> None:
    assert "no run of demo/beat is overdue" in cli("redrive", job).stderr
    api.add_run(job, "20261120T080000Z", "running")
    api.add_run(job, "20261120T081000Z", "lost")
    assert cli("redrive", job).stdout == "sent again  demo/beat  20261120T080000Z\n"
    assert cli("redrive", job, "--lost").stdout == "made anew  demo/beat  20261120T081000Z~trigger-anew\n"
    assert cli("redrive", job, "20261120T081000Z").exit_code == 4
    assert len(json.loads(cli("redrive", job, "20261120T080000Z", "-ojson").stdout)["items"]) == 1
    del api.runs[job]["20261120T081000Z"]
    assert "no lost run of demo/beat is left to be made anew" in cli("redrive", job, "--lost").stderr


def test_what_has_run_before_in_the_place_of_a_lost_run_is_not_said_to_be_made(
    api: FakeApi, cli: Cli, job: str
) -> None:
    api.add_run(job, "20261120T081000Z", "lost")
    api.add_run(job, "20261120T081000Z~trigger-anew", "succeeded")
    made = cli("redrive", job, "20261120T081000Z", "--lost")
    assert made.stdout == "succeeded  demo/beat  20261120T081000Z~trigger-anew\n"


def test_runs_in_one_state_are_listed_alone(api: FakeApi, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T080000Z")
    api.add_run(job, "20261120T081000Z", "failed")
    api.add_run(job, "20261120T082000Z", "retrying")
    for state, run_id in (("failed", "20261120T081000Z"), ("active", "20261120T082000Z")):
        [run] = json.loads(cli("runs", job, "--state", state, "-ojson").stdout)["items"]
        assert run["run_id"] == run_id
    assert "has no lost runs" in cli("runs", job, "--state", "lost").stderr
    assert cli("runs", job, "--state", "broken").exit_code == 2
    assert "leave --state out" in cli("runs", job, "--state", "failed", "--follow").stderr


ERROR = {"type": "HttpStatus", "message": "503", "stack": None}


@pytest.mark.parametrize(
    ("state", "more", "said"),
    [
        ("retrying", {"retry_at": "2026-11-20T08:10:00Z", "error": ERROR}, "tries again at 08:10:00, HttpStatus: 503"),
        ("retrying", {"retry_at": "2026-11-21T08:10:00Z"}, "tries again at 2026-11-21 08:10:00"),
        (
            "waiting",
            {"deadline_at": "2026-11-20T08:10:00Z", "progress": {"percent": 40, "text": "copying"}},
            "40 % copying, answers by 08:10:00",
        ),
        ("running", {"progress": {"percent": None, "text": "copying"}}, "copying"),
        (
            "running",
            {"progress": {"percent": 5, "text": ""}, "cancelled_by": "eve"},
            "to be cancelled, asked by eve, 5 %",
        ),
        ("cancelled", {"cancelled_by": "run 20261120T081000Z"}, "by run 20261120T081000Z"),
        ("skipped", {"reason": "another run of the job was active"}, "another run of the job was active"),
    ],
)
def test_a_run_says_what_it_waits_for(state: str, more: dict[str, Any], said: str) -> None:
    run: Any = make_run("demo/beat", "20261120T080000Z", state, **more)
    assert outcome(run) == said


def test_a_run_s_record_tells_its_story(api: FakeApi, cli: Cli, job: str) -> None:
    api.add_run(
        job,
        "20261120T080000Z",
        "waiting",
        deadline_at="2026-11-20T09:00:00Z",
        progress={"percent": 40, "text": "copying"},
        cancelled_by="eve",
        parents=[{"job": "demo/extract", "run_id": "20261120T075500Z"}],
        units={
            "write": 7.0,
            "read": 2.11,
            "calls": 2.2,
            "messages": 0.4,
            "worker_ms": 1512,
            "puts": 1,
            "stored_bytes": 5004,
        },
    )
    shown = dict(line.split("  ", 1) for line in cli("run", job, "20261120T080000Z").stdout.splitlines())
    assert shown["answers by"].strip() == "2026-11-20 09:00:00 UTC"
    assert shown["progress"].strip() == "40 % copying"
    assert shown["cancelled by"].strip() == "eve"
    assert (
        shown["used"].strip()
        == "7 write and 2.11 read units, 2.2 calls, 0.4 messages, 1.5 s of a worker, 5,004 bytes in S3"
    )
    assert shown["parents"].strip() == "demo/extract 20261120T075500Z"
    api.add_run(job, "20261120T081000Z", "retrying", retry_at="2026-11-20T09:00:00Z")
    assert "tries again    2026-11-20 09:00:00 UTC" in cli("run", job, "20261120T081000Z").stdout


def test_a_job_s_policies_are_told_in_words() -> None:
    job: Any = {
        "paused": False,
        "depends_on": [{"job": "demo/a", "on": "success"}, {"job": "demo/b", "on": "end"}],
        "join": "any",
        "join_window": "1d",
        "run_timeout": "2h",
        "max_concurrency": None,
        "retention_count": 100,
        "record_units": True,
        "retry": RETRY,
    }
    assert dict(policies(job)) == {
        "paused": "false",
        "depends on": "demo/a (success) or demo/b (end), within one window of 1d",
        "run timeout": "2h",
        "retention count": "100",
        "record units": "yes",
        "retry": "4 attempts, after 10s, each time 2 times as long, up to 15m, give or take 10%; on 5xx, timed_out; not on 501",
    }


def test_what_is_not_retried_says_so() -> None:
    job: Any = {"paused": True, "retry": RETRY | {"max_attempts": 1}}
    assert dict(policies(job)) == {"paused": "true", "retry": "no: 1 attempt"}


def test_a_target_that_answers_later_says_so(api: FakeApi, cli: Cli) -> None:
    target = {"type": "http", "method": "POST", "url": "https://e.com/", "mode": "callback", "heartbeat": "30s"}
    api.add_job("demo/later", target=target)
    assert "callback, a heartbeat every 30s" in cli("show", "demo/later").stdout
