"""Pausing until an instant, draining and cancelling from the command line, and what is shown of runs that wait."""

import json
from datetime import timedelta
from typing import Any

import pytest

from minutehand.cli.screen.job_text import policies
from minutehand.cli.screen.run_text import outcome
from minutehand.domain.backfill import BackfillState
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Progress
from minutehand.domain.run_key import RunKey
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from minutehand.usecases.metering.usage import Usage
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli, Sleeper

RETRY = {
    "max_attempts": 4,
    "backoff": {"initial": "10s", "factor": 2, "max": "15m", "jitter": 0.1},
    "retry_on": ["5xx", "timed_out"],
    "give_up_on": ["501"],
}


def without_details(run: dict[str, Any]) -> dict[str, Any]:
    """A run as a list shows it."""
    return {name: value for name, value in run.items() if name not in {"attempts", "output"}}


@pytest.fixture
def job(api: ApiServer) -> str:
    api.add_job("demo/beat")
    return "demo/beat"


@pytest.mark.parametrize(
    ("when", "until", "then"),
    [
        ("2026-12-01T09:00:00+01:00", "2026-12-01T08:00:00Z", "2026-12-01 08:00:00"),
        ("90m", "2026-11-20T10:00:00Z", "2026-11-20 10:00:00"),
        ("2d", "2026-11-22T08:30:00Z", "2026-11-22 09:00:00"),
    ],
)
def test_a_pause_may_end_by_itself(api: ApiServer, cli: Cli, job: str, when: str, until: str, then: str) -> None:
    assert cli("pause", job, "--until", when).stdout == f"paused  demo/beat  next run: {then} UTC\n"
    assert api.requests[-1].body == {"until": until}
    shown = dict(line.split("  ", 1) for line in cli("show", job).stdout.splitlines())
    assert shown["paused"].strip() == f"until {until[:10]} {until[11:19]} UTC"
    assert f"{then} (paused until then)" in cli("list", "-n", "demo").stdout


@pytest.mark.parametrize("when", ["soon", "2026-12-01T09:00:00", "2026-12-01T09:00:00.5Z", "0s", "999999999d"])
def test_a_pause_until_what_is_no_instant_is_refused_before_anything_is_asked(
    api: ApiServer, cli: Cli, job: str, when: str
) -> None:
    assert cli("pause", job, "--until", when).exit_code == 2
    assert not api.requests


def test_drain_pauses_and_shows_what_is_still_active(api: ApiServer, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T080000Z")
    api.add_run(job, "20261120T081000Z", "running")
    lines = cli("drain", job).stdout.splitlines()
    assert lines[0] == "paused  demo/beat  still active: 1 run"
    assert lines[1].startswith("running  demo/beat  20261120T081000Z")
    assert api.jobs[job]["paused"] is True
    assert json.loads(cli("drain", job, "-o", "json").stdout)["active"] == [
        without_details(api.runs(job)["20261120T081000Z"])
    ]


def test_drain_waits_until_no_run_is_active(api: ApiServer, cli: Cli, job: str, sleeper: Sleeper) -> None:
    running = api.add_run(job, "20261120T081000Z", "running")
    waiting = api.add_run(job, "20261120T080000Z", "waiting")
    sleeper.then = [
        lambda: api.move(running, "retrying"),
        lambda: api.move(running, "succeeded"),
        lambda: api.move(waiting, "failed"),
    ]
    result = cli("drain", job, "--wait")
    assert (result.exit_code, result.stdout) == (0, "drained  demo/beat\n")
    assert result.stderr.splitlines() == [
        "demo/beat is paused; waiting for 2 runs",
        "run 20261120T081000Z has ended; 1 run left",
        "run 20261120T080000Z has ended; 0 runs left",
    ]


def test_a_drain_that_is_not_over_in_time_names_what_is_still_active(
    api: ApiServer, cli: Cli, job: str, sleeper: Sleeper
) -> None:
    for n in range(12):
        api.add_run(job, f"20261120T0800{n:02}Z", "waiting")
    sleeper.then = [lambda: None] * 2
    result = cli("drain", job, "--wait", "--timeout", "3s")
    assert result.exit_code == 1
    assert "demo/beat is paused, and still active: run 20261120T080011Z (waiting), " in result.stderr
    assert ", 2 more" in result.stderr
    assert "cancel demo/beat RUN_ID" in result.stderr


def test_drain_does_not_wait_for_what_the_pause_keeps_from_starting(api: ApiServer, cli: Cli, job: str) -> None:
    api.claim_ahead(job, "20261120T083500Z")
    assert cli("drain", job, "--wait").stdout == "drained  demo/beat\n"
    asked = "20261120T083500Z~trigger-1"
    api.claim_ahead(job, asked)
    assert [run["run_id"] for run in json.loads(cli("drain", job, "-o", "json").stdout)["active"]] == [asked]


def begun(api: ApiServer, cli: Cli, job: str) -> str:
    """The id of a backfill that has begun."""
    cli("backfill", "start", job, "--from", "2026-11-20T06:00:00Z", "--to", "2026-11-20T08:00:00Z")
    api.state.runs.clear()  # those that it began with
    return str(api.backfills(job)[0]["id"])


def test_drain_waits_for_a_backfill_also_between_two_of_its_runs(
    api: ApiServer, cli: Cli, job: str, sleeper: Sleeper
) -> None:
    over = begun(api, cli, job)
    api.change_backfills(state=BackfillState.DONE, finished_at=NOW)
    api.now += timedelta(seconds=1)
    backfill = begun(api, cli, job)
    assert backfill != over
    run = api.add_run(job, f"20261120T070000Z~backfill-{backfill}", "running")
    sleeper.then = [
        lambda: api.move(run, "succeeded"),
        lambda: api.change_backfills(state=BackfillState.CANCELLED),
        lambda: api.change_backfills(finished_at=NOW),
    ]
    result = cli("drain", job, "--wait")
    assert (result.exit_code, result.stdout) == (0, "drained  demo/beat\n")
    assert result.stderr.splitlines() == [
        "demo/beat is paused; waiting for 1 run and 1 backfill",
        f"run 20261120T070000Z~backfill-{backfill} has ended; 1 backfill left",
        f"backfill {backfill} has ended; 0 runs left",
    ]


def test_a_backfill_that_goes_on_is_reported_with_how_to_end_it(
    api: ApiServer, cli: Cli, job: str, sleeper: Sleeper
) -> None:
    backfill = begun(api, cli, job)
    assert cli("drain", job).stdout.splitlines() == [
        "paused  demo/beat  still active: 1 backfill",
        f"backfill active  demo/beat  {backfill}",
    ]
    assert json.loads(cli("drain", job, "-o", "json").stdout) == {
        "job": job,
        "active": [],
        "backfills": api.backfills(job),
    }
    sleeper.then = [lambda: None] * 2
    result = cli("drain", job, "--wait", "--timeout", "3s")
    assert result.exit_code == 1
    assert f"demo/beat is paused, and still active: backfill {backfill} (active)" in result.stderr
    assert "or `minutehand backfill cancel demo/beat ID` to end a backfill" in result.stderr


def test_a_time_to_wait_without_waiting_is_refused(cli: Cli, job: str) -> None:
    assert "--timeout needs --wait" in cli("drain", job, "--timeout", "3s").stderr


def test_cancel_says_what_became_of_the_run(api: ApiServer, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T080000Z", "queued")
    api.add_run(job, "20261120T081000Z", "running")
    assert cli("cancel", job, "20261120T080000Z").stdout == "cancelled  demo/beat  20261120T080000Z  by admin\n"
    asked = cli("cancel", job, "20261120T081000Z").stdout
    assert asked == "running  demo/beat  20261120T081000Z  cancellation requested by admin\n"
    assert json.loads(cli("cancel", job, "20261120T081000Z", "-ojson").stdout)["cancelled_by"] == "admin"


def test_a_run_that_has_ended_cannot_be_cancelled(api: ApiServer, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T080000Z")
    result = cli("cancel", job, "20261120T080000Z")
    assert result.exit_code == 4
    assert "succeeded" in result.stderr


def test_runs_in_one_state_are_listed_alone(api: ApiServer, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T080000Z")
    api.add_run(job, "20261120T081000Z", "failed")
    api.add_run(job, "20261120T082000Z", "retrying")
    for state, run_id in (("failed", "20261120T081000Z"), ("active", "20261120T082000Z")):
        [run] = json.loads(cli("runs", job, "--state", state, "-ojson").stdout)["items"]
        assert run["run_id"] == run_id
    assert "has no lost runs" in cli("runs", job, "--state", "lost").stderr
    assert cli("runs", job, "--state", "broken").exit_code == 2
    assert "remove --state" in cli("runs", job, "--state", "failed", "--follow").stderr


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
        ("running", {"started_at": "2026-11-20T08:00:07Z"}, "since 08:00:07"),
        ("running", {"started_at": None}, ""),
        (
            "running",
            {"progress": {"percent": 5, "text": ""}, "cancelled_by": "eve"},
            "cancellation requested by eve, 5 %",
        ),
        (
            "queued",
            {"retry_at": "2026-11-20T08:10:00Z", "waits_for": "limit db, 3 of 3 in use"},
            "waits for limit db, 3 of 3 in use; tries again at 08:10:00",
        ),
        ("cancelled", {"cancelled_by": "run 20261120T081000Z"}, "by run 20261120T081000Z"),
        ("skipped", {"reason": "another run of the job was active"}, "another run of the job was active"),
    ],
)
def test_a_run_says_what_it_waits_for(api: ApiServer, job: str, state: str, more: dict[str, Any], said: str) -> None:
    api.add_run(job, "20261120T080000Z", state)
    run: Any = api.runs(job)["20261120T080000Z"]
    assert outcome(run | more) == said


def test_a_run_s_record_shows_its_story(api: ApiServer, cli: Cli, job: str) -> None:
    api.add_run(
        job,
        "20261120T080000Z",
        "waiting",
        deadline_at=NOW.replace(hour=9, minute=0),
        progress=Progress(percent=40, text="copying"),
        cancelled_by="eve",
        parents=(RunKey(JobKey("demo", "extract"), "20261120T075500Z"),),
        units=Usage(write=7.0, read=2.11, calls=2.2, messages=0.4, worker_ms=1512, puts=1, stored_bytes=5004),
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
    api.add_run(job, "20261120T081000Z", "retrying", retry_at=NOW.replace(hour=9, minute=0))
    assert "tries again    2026-11-20 09:00:00 UTC" in cli("run", job, "20261120T081000Z").stdout
    api.add_run(
        job,
        "20261120T082000Z",
        "queued",
        retry_at=NOW.replace(hour=9, minute=0),
        waits_for=TakenLimit(LimitKind.NAMED, 3, "db"),
    )
    waits = cli("run", job, "20261120T082000Z").stdout
    assert "waits for      limit db, 3 of 3 in use" in waits
    assert "tries again    2026-11-20 09:00:00 UTC" in waits


def test_a_job_s_policies_are_reported_in_words() -> None:
    job: Any = {
        "paused": False,
        "depends_on": [{"job": "demo/a", "on": "success"}, {"job": "demo/b", "on": "end"}],
        "join": "any",
        "join_window": "1d",
        "run_timeout": "2h",
        "max_concurrency": None,
        "limits": [{"name": "db", "max": 3}, {"name": "licence", "max": 1}],
        "retention_count": 100,
        "record_units": True,
        "retry": RETRY,
    }
    assert dict(policies(job)) == {
        "paused": "false",
        "depends on": "demo/a (success) or demo/b (end), within one window of 1d",
        "run timeout": "2h",
        "retention count": "100",
        "limits": "db (at most 3), licence (at most 1)",
        "record units": "yes",
        "retry": "4 attempts, after 10s, each time 2 times as long, up to 15m, give or take 10%; on 5xx, timed_out; not on 501",
    }


def test_what_is_not_retried_says_so() -> None:
    job: Any = {"paused": True, "retry": RETRY | {"max_attempts": 1}}
    assert dict(policies(job)) == {"paused": "true", "retry": "no: 1 attempt"}


def test_a_target_that_answers_later_says_so(api: ApiServer, cli: Cli) -> None:
    target = {"type": "http", "method": "POST", "url": "https://e.com/", "mode": "callback", "heartbeat": "30s"}
    api.add_job("demo/later", target=target)
    assert "callback, a heartbeat every 30s" in cli("show", "demo/later").stdout
