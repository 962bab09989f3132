"""Pausing until an instant, draining and cancelling from the command line."""

import json
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.backfill import BackfillState
from minutehand.domain.run_key import RunKey
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli, Sleeper


def without_details(run: dict[str, Any]) -> dict[str, Any]:
    """A run as a list shows it."""
    return {name: value for name, value in run.items() if name not in {"attempts", "output"}}


@pytest.mark.parametrize(
    ("when", "until", "then"),
    [
        ("2026-12-01T09:00:00+01:00", "2026-12-01T08:00:00Z", "2026-12-01 08:00:00"),
        ("90m", "2026-11-20T10:00:00Z", "2026-11-20 10:00:00"),
        ("2d", "2026-11-22T08:30:00Z", "2026-11-22 09:00:00"),
    ],
)
def test_a_pause_may_end_by_itself(api: ApiServer, cli: Cli, job: str, when: str, until: str, then: str) -> None:
    assert cli("pause", job, "--until", when).stdout == (
        f"paused  demo/beat  until {until[:10]} {until[11:19]} UTC  next run: {then} UTC\n"
    )
    assert api.requests[-1].body == {"until": until}
    shown = dict(line.split("  ", 1) for line in cli("show", job).stdout.splitlines())
    assert shown["paused"].strip() == f"until {until[:10]} {until[11:19]} UTC"
    assert f"(paused until {until[:10]} {until[11:19]})" in cli("list", "-n", "demo").stdout


def test_a_list_says_when_the_pause_of_a_namespace_ends(cli: Cli, job: str) -> None:
    cli("namespace", "pause", "demo", "--until", "2026-11-20T09:10:00Z")
    assert "2026-11-20 10:00:00 (paused until 2026-11-20 09:10:00)" in cli("list", "-n", "demo").stdout
    cli("pause", job, "--until", "2026-11-20T09:05:00Z")
    assert "(paused until 2026-11-20 09:10:00)" in cli("list", "-n", "demo").stdout


@pytest.mark.parametrize("when", ["soon", "2026-12-01T09:00:00.5Z", "0s", "999999999d"])
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


def test_the_count_of_a_drain_falls_while_runs_claimed_ahead_come_near(
    api: ApiServer, cli: Cli, job: str, sleeper: Sleeper
) -> None:
    keys = [api.claim_ahead(job, f"20261120T08{30 + n // 60}{n % 60:02}Z") for n in range(20, 120, 20)]
    asked = "20261120T083000Z~trigger-1"

    def later(*ended: RunKey, new: str = "") -> None:
        sleeper.passed += timedelta(seconds=20) * len(ended)
        for key in ended:
            api.move(key, "skipped")
        if new:
            api.add_run(job, new, "running")

    trigger = RunKey(keys[0].job, asked)
    sleeper.then = [
        lambda: later(keys[0], new=asked),
        lambda: later(keys[1], keys[2]),
        lambda: later(trigger),
    ]
    result = cli("drain", job, "--wait")
    assert (result.exit_code, result.stdout) == (0, "drained  demo/beat\n")
    assert result.stderr.splitlines() == [
        "demo/beat is paused; waiting for 3 runs, to be skipped: the job is paused",
        f"run {asked} is new",
        "run 20261120T083020Z has ended; 3 runs left",
        "run 20261120T083100Z has ended; 2 runs left",
        "run 20261120T083040Z has ended; 1 run left",
        f"run {asked} has ended; 0 runs left",
    ]


def test_drain_says_which_runs_the_pause_skips(api: ApiServer, cli: Cli, job: str, sleeper: Sleeper) -> None:
    api.add_run(job, "20261120T081000Z", "running")
    limit = TakenLimit(LimitKind.NAMED, 1, "db")
    api.claim_ahead(job, "20261120T082000Z", retry_at=NOW + timedelta(seconds=5), waits_for=limit)
    api.claim_ahead(job, "20261120T082500Z~child-1")
    api.claim_ahead(job, "20261120T082500Z~trigger-1")
    lines = cli("drain", job).stdout.splitlines()
    skipped = "to be skipped: the job is paused"
    assert lines[0] == f"paused  demo/beat  still active: 4 runs, 2 of them {skipped}"
    assert {line.split()[2]: line.endswith(skipped) for line in lines[1:]} == {
        "20261120T082500Z~trigger-1": False,
        "20261120T082500Z~child-1": True,
        "20261120T082000Z": True,
        "20261120T081000Z": False,
    }
    sleeper.then = [lambda: None]
    said = cli("drain", job, "--wait", "--timeout", "1s").stderr
    assert "demo/beat is paused; waiting for 2 runs\n" in said
    assert "run 20261120T082500Z~trigger-1 (queued)" in said


def test_drain_names_runs_that_cannot_start_and_does_not_wait_for_them(
    api: ApiServer, cli: Cli, job: str, sleeper: Sleeper
) -> None:
    running = api.add_run(job, "20261120T081000Z", "running")
    limit = TakenLimit(LimitKind.NAMED, 1, "db")
    api.claim_ahead(job, "20261120T082000Z", retry_at=NOW + timedelta(minutes=5), waits_for=limit)
    api.claim_ahead(job, "20261120T082500Z~child-1")
    sleeper.then = [lambda: api.move(running, "succeeded")]
    result = cli("drain", job, "--wait")
    assert (result.exit_code, result.stdout) == (0, "drained  demo/beat\n")
    not_for, pause = "not waiting for run", "which the pause keeps from starting"
    assert result.stderr.splitlines() == [
        f"{not_for} 20261120T082500Z~child-1, {pause}: due since 08:25:00, waits for its turn or a worker",
        f"{not_for} 20261120T082000Z, {pause}: waits for limit db, 1 of 1 in use; tries again at 08:35:00",
        "demo/beat is paused; waiting for 1 run",
        "run 20261120T081000Z has ended; 0 runs left",
    ]


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
