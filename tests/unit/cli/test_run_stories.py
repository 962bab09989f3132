"""The record of a run and the policies of a job, in words."""

import json
from datetime import timedelta
from typing import Any

import pytest

from minutehand.cli.screen.job_text import policies
from minutehand.cli.screen.run_text import outcome
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Progress, RunError
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
    assert outcome(run | more, NOW) == said


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
        == "7 write and 2.11 read units, 2.2 calls, 0.4 messages, 1.5s of a worker, 5,004 bytes in S3"
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


def test_the_parts_of_a_request_and_what_it_expects_are_shown(api: ApiServer, cli: Cli) -> None:
    target = {
        "type": "http",
        "url": "https://e.com/",
        "query": {"day": "{{scheduled_for}}"},
        "body": {"json": {"id": "{{payload.id}}"}},
        "redirects": 2,
        "expect": {"status": ["2xx", "404"], "body": "ok"},
    }
    api.add_job("demo/rich", target=target)
    shown = " ".join(cli("show", "demo/rich").stdout.split())
    for words in (
        "query day={{scheduled_for}}",
        'json body {"id": "{{payload.id}}"}',
        "redirects up to 2",
        "expects 2xx or 404, a body that matches ok",
    ):
        assert words in shown
    api.add_job("demo/plain")
    for word in ("query", "body", "redirects", "expects", "trusts", "signed"):
        assert f"\n{word}" not in cli("show", "demo/plain").stdout


def test_a_target_of_another_type_is_shown_by_the_fields_that_are_set(api: ApiServer, cli: Cli) -> None:
    arn = "arn:aws:sqs:eu-west-1:111122223333:reports"
    api.add_job("demo/later", target={"type": "sqs", "queue": arn, "attributes": {"team": "data"}})
    lines = [line.split(maxsplit=1) for line in cli("show", "demo/later").stdout.splitlines() if line]
    shown = {line[0]: line[1] for line in lines if len(line) > 1}
    assert (shown["target"], shown["queue"], shown["attributes"]) == ("sqs", arn, '{"team": "data"}')
    assert not {"group", "role"} & shown.keys()


def test_waiting_for_a_run_shows_its_states_and_ends_with_its_outcome(
    api: ApiServer, cli: Cli, job: str, sleeper: Sleeper
) -> None:
    def to(state: str, **changed: Any) -> None:
        [key] = api.state.runs
        api.move(key, state, **changed)

    failed = RunError(type="HttpStatus", message="503")
    sleeper.then = [
        lambda: None,
        lambda: to("running", started_at=NOW, progress=Progress(percent=40, text="copying")),
        lambda: None,
        lambda: to("retrying", retry_at=NOW + timedelta(minutes=1), error=failed, progress=None),
        lambda: to("running", attempt=2, started_at=NOW + timedelta(minutes=1), error=None),
        lambda: to("failed", attempt=2, error=failed),
    ]
    result = cli("trigger", job, "--wait")
    [waiting, queued, *states, error, _hint] = result.stderr.splitlines()
    assert waiting.startswith("waiting for run 20261120T083000Z~trigger-")
    assert queued == "queued"
    assert states == [
        "running, attempt 1, 40 % copying",
        "retrying, attempt 1, tries again at 08:31:00, HttpStatus: 503",
        "running, attempt 2, since 08:31:00",
    ]
    assert (result.exit_code, error) == (1, f"error: run {waiting.split()[3]} of demo/beat ended as failed")
