import json

import pytest

from tests.unit.cli.conftest import Cli, Sleeper
from tests.unit.client.fake.documents import make_backfill
from tests.unit.client.fake.server import Canned
from tests.unit.client.fake_api import FakeApi

RANGE = ("--from", "2026-11-20T07:00:00Z", "--to", "2026-11-20T09:00:00+01:00")
START = ("backfill", "start", "demo/beat", *RANGE, "--idempotency-key", "k")


@pytest.fixture(autouse=True)
def _job(api: FakeApi) -> None:
    api.add_job("demo/beat")


def test_start_says_what_was_begun(api: FakeApi, cli: Cli) -> None:
    result = cli(*START, "--order", "newest", "--concurrency", "4", "--ignore-overlap")
    assert (result.exit_code, result.stdout) == (0, "active  demo/beat  k  0 of 60 ended; 1 active\n")
    assert api.requests[-1].body == {
        "from": "2026-11-20T07:00:00Z",
        "to": "2026-11-20T08:00:00Z",
        "order": "newest",
        "concurrency": 4,
        "ignore_overlap": True,
    }


def test_start_twice_with_one_key_is_one_backfill(cli: Cli) -> None:
    ids = [json.loads(cli(*START, "-o", "json").stdout)["id"] for _ in range(2)]
    assert ids == ["k", "k"]


def test_a_dry_run_counts_and_starts_nothing(api: FakeApi, cli: Cli) -> None:
    result = cli(*START, "--dry-run")
    assert result.stdout == "60 occurrences  first 2026-11-20 07:00:00  last 2026-11-20 08:00:00 UTC\n"
    assert result.stderr == "nothing was started: --dry-run\n"
    assert json.loads(cli(*START, "--dry-run", "-o", "json").stdout)["occurrences"] == 60
    assert api.backfills["demo/beat"] == {}


def test_waiting_tells_how_far_it_comes(api: FakeApi, cli: Cli, sleeper: Sleeper) -> None:
    def then(**more: object) -> None:
        api.backfills["demo/beat"]["k"] |= more

    sleeper.then = [
        lambda: then(ended={"succeeded": 1}),
        lambda: None,
        lambda: then(ended={"succeeded": 60}, active=[], state="done", finished_at="2026-11-20T09:00:00Z"),
    ]
    result = cli(*START, "--wait")
    assert (result.exit_code, result.stdout) == (0, "done  demo/beat  k  60 of 60 ended: 60 succeeded\n")
    assert result.stderr.splitlines() == [
        "0 of 60 ended; 1 active",
        "1 of 60 ended: 1 succeeded; 1 active",
        "60 of 60 ended: 60 succeeded",
    ]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"state": "done", "ended": {"failed": 1, "succeeded": 59}}, "60 of 60 ended: 1 failed, 59 succeeded"),
        ({"state": "cancelled", "reason": "the job was deleted"}, "backfill k of demo/beat: the job was deleted"),
    ],
)
def test_waiting_for_one_that_does_not_end_well_exits_1(
    api: FakeApi, cli: Cli, sleeper: Sleeper, more: dict[str, object], told: str
) -> None:
    over = {"finished_at": "2026-11-20T09:00:00Z", "active": []} | more
    sleeper.then = [lambda: api.backfills["demo/beat"]["k"].update(over)]
    result = cli(*START, "--wait")
    assert result.exit_code == 1
    assert f"error: {'backfill k of demo/beat: ' if 'ended' in more else ''}{told}" in result.stderr


def test_waiting_may_have_a_limit_and_the_backfill_goes_on(cli: Cli, sleeper: Sleeper) -> None:
    sleeper.then = [lambda: None] * 5
    result = cli(*START, "--wait", "--timeout", "3s")
    assert result.exit_code == 1
    assert "backfill k of demo/beat is not at its end" in result.stderr
    assert "it goes on; `minutehand backfill show demo/beat k`" in result.stderr
    assert sleeper.now == 3


def test_ctrl_c_ends_the_waiting_alone_and_programs_get_what_is_known(cli: Cli) -> None:
    result = cli(*START, "--wait", "-o", "json")
    assert result.exit_code == 130
    assert json.loads(result.stdout)["state"] == "active"
    assert "the backfill goes on" in cli(*START, "--wait").stderr


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--timeout", "3s"), "add --wait"),
        (("--dry-run", "--wait"), "leave --wait out"),
        (("--concurrency", "101"), "101"),
        (("--order", "random"), "random"),
    ],
)
def test_options_that_contradict_each_other_or_mean_nothing_are_refused(
    api: FakeApi, cli: Cli, more: tuple[str, ...], told: str
) -> None:
    result = cli(*START, *more)
    assert (result.exit_code, api.requests) == (2, [])
    assert told in result.stderr


def test_a_range_must_be_given_with_its_offsets(cli: Cli) -> None:
    assert "--to" in cli("backfill", "start", "demo/beat", *RANGE[:2]).stderr
    assert "time zone" in cli("backfill", "start", "demo/beat", "--from", "2026-11-20T07:00:00", *RANGE[2:]).stderr


def test_list_shows_the_newest_first_and_goes_on_at_a_cursor(api: FakeApi, cli: Cli) -> None:
    api.backfills["demo/beat"] = {f"b{n:02}": make_backfill("demo/beat", f"b{n:02}") for n in range(30)}
    lines = cli("backfill", "list", "demo/beat", "--limit", "2").stdout.splitlines()
    assert [line.split()[7] for line in lines[1:]] == ["b29", "b28"]
    page = json.loads(cli("backfill", "list", "demo/beat", "-o", "json").stdout)
    rest = json.loads(cli("backfill", "list", "demo/beat", "-o", "json", "--cursor", page["next"]).stdout)
    assert (len(page["items"]), len(rest["items"]), rest["next"]) == (20, 10, None)
    assert "there are more" in cli("backfill", "list", "demo/beat").stderr


def test_a_job_without_backfills_is_no_error(cli: Cli) -> None:
    result = cli("backfill", "list", "demo/beat")
    assert (result.exit_code, result.stderr) == (0, "demo/beat has no backfills\n")


def test_show_tells_all_of_one(api: FakeApi, cli: Cli) -> None:
    api.backfills["demo/beat"] = {
        "k": make_backfill(
            "demo/beat",
            "k",
            state="cancelled",
            ignore_overlap=True,
            ended={"cancelled": 2, "succeeded": 11},
            finished_at="2026-11-20T09:00:00Z",
            reason="cancelled by eve",
        )
    }
    shown = cli("backfill", "show", "demo/beat", "k").stdout
    for text in (
        "cancelled by eve",
        "2026-11-20 07:00:00 UTC",
        "oldest first",
        "ignored",
        "by admin",
        "13 of 60 ended: 2 cancelled, 11 succeeded; 1 active",
        "20261120T070000Z~backfill-k",
    ):
        assert text in shown
    assert json.loads(cli("backfill", "show", "demo/beat", "k", "-o", "json").stdout)["id"] == "k"
    assert cli("backfill", "show", "demo/beat", "gone").exit_code == 3


def test_cancel_says_what_came_of_it(api: FakeApi, cli: Cli) -> None:
    api.backfills["demo/beat"] = {"k": make_backfill("demo/beat", "k")}
    result = cli("backfill", "cancel", "demo/beat", "k")
    assert (result.exit_code, result.stdout) == (0, "cancelled  demo/beat  k  0 of 60 ended\n")
    api.canned.append(Canned(status=409, body=b'{"title": "conflict", "detail": "it is done"}'))
    assert cli("backfill", "cancel", "demo/beat", "k").exit_code == 4


def test_resume_says_what_is_made_up_for(api: FakeApi, cli: Cli) -> None:
    assert cli("resume", "demo/beat").stderr == ""
    assert cli("resume", "demo/beat", "--catch-up", "all").stderr == "the pause kept nothing from running\n"
    for count, told in ((1, "1 occurrence"), (1200, "1,200 occurrences")):
        api.backfills["demo/beat"] = {"resume-3": make_backfill("demo/beat", "resume-3", occurrences=count)}
        result = cli("resume", "demo/beat", "--catch-up", "latest")
        assert (result.exit_code, result.stderr) == (0, f"backfill resume-3 replays {told}\n")
        assert api.requests[-1].body == {"catch_up": "latest"}
