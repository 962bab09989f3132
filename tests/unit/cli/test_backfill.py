import json
from datetime import timedelta

import pytest

from minutehand.domain.backfill import BackfillState
from minutehand.domain.run import RunState
from tests.support.api_server import NOW, TARGET, ApiServer
from tests.unit.cli.conftest import Cli, Sleeper

RANGE = ("--from", "2026-11-20T07:00:00Z", "--to", "2026-11-20T09:00:00+01:00")
OVER = {"state": BackfillState.DONE, "finished_at": NOW}
START = ("backfill", "start", "demo/beat", *RANGE, "--idempotency-key", "k")


@pytest.fixture(autouse=True)
def _job(api: ApiServer) -> None:
    api.add_job("demo/beat", schedule="* * * * *")


@pytest.fixture
def identity(cli: Cli) -> str:
    """The id of a backfill that has begun."""
    return str(json.loads(cli(*START, "-o", "json").stdout)["id"])


def test_start_says_what_was_begun(api: ApiServer, cli: Cli) -> None:
    result = cli(*START, "--order", "newest", "--concurrency", "4", "--ignore-overlap")
    [found] = api.backfills("demo/beat")
    assert (result.exit_code, result.stdout) == (0, f"active  demo/beat  {found['id']}  0 of 60 ended; 4 active\n")
    assert api.requests[-1].body == {
        "from": "2026-11-20T07:00:00Z",
        "to": "2026-11-20T08:00:00Z",
        "order": "newest",
        "concurrency": 4,
        "ignore_overlap": True,
    }


def test_start_twice_with_one_key_is_one_backfill(cli: Cli) -> None:
    ids = [json.loads(cli(*START, "-o", "json").stdout)["id"] for _ in range(2)]
    assert ids[0] == ids[1]


def test_a_dry_run_counts_and_starts_nothing(api: ApiServer, cli: Cli) -> None:
    result = cli(*START, "--dry-run")
    assert result.stdout == "60 occurrences  first 2026-11-20 07:00:00  last 2026-11-20 07:59:00 UTC\n"
    assert result.stderr == "nothing was started: --dry-run\n"
    assert json.loads(cli(*START, "--dry-run", "-o", "json").stdout)["occurrences"] == 60
    assert api.backfills("demo/beat") == []


def test_waiting_shows_how_far_it_comes(api: ApiServer, cli: Cli, identity: str, sleeper: Sleeper) -> None:
    sleeper.then = [
        lambda: api.change_backfills(counts={RunState.SUCCEEDED: 1}, active=(NOW - timedelta(hours=1),)),
        lambda: None,
        lambda: api.change_backfills(counts={RunState.SUCCEEDED: 60}, active=(), **OVER),
    ]
    result = cli(*START, "--wait")
    assert (result.exit_code, result.stdout) == (0, f"done  demo/beat  {identity}  60 of 60 ended: 60 succeeded\n")
    assert result.stderr.splitlines() == [
        "0 of 60 ended; 1 active",
        "1 of 60 ended: 1 succeeded; 1 active",
        "60 of 60 ended: 60 succeeded",
    ]


def test_waiting_for_one_of_which_runs_failed_exits_1(
    api: ApiServer, cli: Cli, identity: str, sleeper: Sleeper
) -> None:
    counts = {RunState.FAILED: 1, RunState.SUCCEEDED: 59}
    sleeper.then = [lambda: api.change_backfills(counts=counts, **OVER)]
    result = cli(*START, "--wait")
    assert result.exit_code == 1
    assert f"error: backfill {identity} of demo/beat: 60 of 60 ended: 1 failed, 59 succeeded" in result.stderr


def test_waiting_for_one_that_is_cancelled_exits_1(api: ApiServer, cli: Cli, identity: str, sleeper: Sleeper) -> None:
    sleeper.then = [lambda: cli("backfill", "cancel", "demo/beat", identity)]
    result = cli(*START, "--wait")
    assert result.exit_code == 1
    assert f"error: backfill {identity} of demo/beat: cancelled by admin" in result.stderr


def test_waiting_may_have_a_limit_and_the_backfill_goes_on(cli: Cli, identity: str, sleeper: Sleeper) -> None:
    sleeper.then = [lambda: None] * 5
    result = cli(*START, "--wait", "--timeout", "3s")
    assert result.exit_code == 1
    assert f"backfill {identity} of demo/beat has not ended" in result.stderr
    assert f"it continues; `minutehand backfill show demo/beat {identity}`" in result.stderr
    assert sleeper.now == 3


def test_ctrl_c_ends_the_waiting_alone_and_programs_get_what_is_known(cli: Cli) -> None:
    result = cli(*START, "--wait", "-o", "json")
    assert result.exit_code == 130
    assert json.loads(result.stdout)["state"] == "active"
    assert "the backfill continues" in cli(*START, "--wait").stderr


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--timeout", "3s"), "--timeout needs --wait"),
        (("--dry-run", "--wait"), "remove --wait"),
        (("--concurrency", "101"), "101"),
        (("--order", "random"), "random"),
    ],
)
def test_options_that_contradict_each_other_or_mean_nothing_are_refused(
    api: ApiServer, cli: Cli, more: tuple[str, ...], message: str
) -> None:
    result = cli(*START, *more)
    assert (result.exit_code, api.requests) == (2, [])
    assert message in result.stderr


def test_a_range_has_a_start_and_an_end(cli: Cli) -> None:
    assert "--to" in cli("backfill", "start", "demo/beat", *RANGE[:2]).stderr


def test_list_shows_the_newest_first_and_goes_on_at_a_cursor(api: ApiServer, cli: Cli) -> None:
    for n in range(30):
        api.now = NOW + timedelta(seconds=n)
        cli(*START[:-1], str(n))
    ids = [found["id"] for found in api.backfills("demo/beat")]
    lines = cli("backfill", "list", "demo/beat", "--limit", "2").stdout.splitlines()
    assert [line.split()[7] for line in lines[1:]] == ids[:2]
    page = json.loads(cli("backfill", "list", "demo/beat", "-o", "json").stdout)
    rest = json.loads(cli("backfill", "list", "demo/beat", "-o", "json", "--cursor", page["next"]).stdout)
    assert (len(page["items"]), len(rest["items"]), rest["next"]) == (20, 10, None)
    assert "more: --cursor" in cli("backfill", "list", "demo/beat").stderr


def test_a_job_without_backfills_is_no_error(cli: Cli) -> None:
    result = cli("backfill", "list", "demo/beat")
    assert (result.exit_code, result.stderr) == (0, "demo/beat has no backfills\n")


def test_show_shows_all_of_one(api: ApiServer, cli: Cli) -> None:
    identity = json.loads(cli(*START, "--ignore-overlap", "-o", "json").stdout)["id"]
    counts = {RunState.CANCELLED: 2, RunState.SUCCEEDED: 11}
    over = {"state": BackfillState.CANCELLED, "cancelled_by": "eve", "finished_at": NOW}
    api.change_backfills(counts=counts, active=(NOW.replace(hour=7, minute=0),), **over)
    shown = cli("backfill", "show", "demo/beat", identity).stdout
    for text in (
        "cancelled by eve",
        "2026-11-20 07:00:00 UTC",
        "oldest first",
        "ignored",
        "by admin",
        "13 of 60 ended: 2 cancelled, 11 succeeded; 1 active",
        f"20261120T070000Z~backfill-{identity}",
    ):
        assert text in shown
    assert json.loads(cli("backfill", "show", "demo/beat", identity, "-o", "json").stdout)["id"] == identity
    assert cli("backfill", "show", "demo/beat", "gone").exit_code == 3


def test_cancel_says_what_came_of_it(api: ApiServer, cli: Cli, identity: str) -> None:
    result = cli("backfill", "cancel", "demo/beat", identity)
    assert (result.exit_code, result.stdout) == (0, f"cancelled  demo/beat  {identity}  1 of 60 ended: 1 cancelled\n")
    api.change_backfills(**OVER)
    assert cli("backfill", "cancel", "demo/beat", identity).exit_code == 4


def test_resume_says_what_is_made_up_for(api: ApiServer, cli: Cli) -> None:
    assert cli("resume", "demo/beat").stderr == ""
    said = cli("resume", "demo/beat", "--catch-up", "all").stderr
    assert said == "nothing to replay: the job was not paused\n"
    for hours, choice, message in ((1, "latest", "1 occurrence"), (20, "all", "1,200 occurrences")):
        cli("pause", "demo/beat")
        api.now += timedelta(hours=hours)
        result = cli("resume", "demo/beat", "--catch-up", choice)
        newest = api.backfills("demo/beat")[0]["id"]
        assert (result.exit_code, result.stderr) == (0, f"backfill {newest} replays {message}\n")
        assert api.requests[-1].body == {"catch_up": choice}


def test_resume_after_an_edit_speaks_of_the_present_schedule(api: ApiServer, cli: Cli) -> None:
    cli("pause", "demo/beat")
    api.now += timedelta(minutes=5)
    api.ask("PUT", "namespaces/demo/jobs/beat", {"schedule": "0 3 * * *", "target": TARGET})
    for choice in ("latest", "all"):
        cli("pause", "demo/beat")
        said = cli("resume", "demo/beat", "--catch-up", choice).stderr
        assert said == "nothing to replay: the job's present schedule names no instant in the pause\n"
