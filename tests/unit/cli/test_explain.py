import json
import re

import pytest

from tests.unit.cli.conftest import Cli
from tests.unit.client.fake.documents import NEXT, finding, make_run
from tests.unit.client.fake_api import FakeApi

RUN = "20261120T090000Z"


def rows(text: str) -> list[list[str]]:
    return [re.split(r" {2,}", line) for line in text.splitlines()]


def test_an_instant_is_explained_in_a_line_with_the_state_of_its_run(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    run = make_run("demo/beat", RUN, "failed")
    api.explained["demo/beat"] = {"items": [finding(NEXT, "ran", run=run, text="failed: attempt 1")]}
    result = cli("explain", "beat", "2026-11-20T18:00:00+09:00", "-n", "demo")
    assert rows(result.stdout) == [["2026-11-20 09:00:00 UTC", "failed", "attempt 1"]]
    assert (api.requests[-1].path.rpartition("/v1/")[2], api.requests[-1].query) == (
        "namespaces/demo/jobs/beat/explain",
        {"at": NEXT},
    )


def test_an_instant_without_a_run_says_what_there_was_instead(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    assert rows(cli("explain", "demo/beat", NEXT).stdout) == [["2026-11-20 09:00:00 UTC", "not yet due", "not yet due"]]


def test_runs_beside_an_instant_are_told_below_it_with_their_ids(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    asked = f"{RUN}~trigger-1"
    beside = finding("2026-11-20T09:03:00Z", "ran", run=make_run("demo/beat", asked), text="triggered: succeeded")
    api.explained["demo/beat"] = {"beside": [beside]}
    assert rows(cli("explain", "demo/beat", NEXT).stdout)[1:] == [
        [""],
        ["beside it:"],
        ["2026-11-20 09:03:00 UTC", "triggered: succeeded", asked],
    ]


def test_a_stretch_is_a_table_of_what_and_why(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.explained["demo/beat"] = {
        "items": [
            finding("2026-11-20T09:00:00Z", "paused", last="2026-11-20T10:00:00Z", times=None, text="paused by bob"),
            finding("2026-11-20T10:01:00Z", "ran", last="2026-11-20T12:00:00Z", times=1200, text="1200 runs succeeded"),
            finding("2026-11-20T12:01:00Z"),
        ]
    }
    result = cli("explain", "demo/beat", "--from", NEXT, "--to", "2026-11-20T12:02:00Z")
    assert rows(result.stdout) == [
        ["from (UTC)", "to (UTC)", "times", "what", "why"],
        ["2026-11-20 09:00:00", "2026-11-20 10:00:00", "paused", "by bob"],
        ["2026-11-20 10:01:00", "2026-11-20 12:00:00", "1,200", "ran", "1200 runs succeeded"],
        ["2026-11-20 12:01:00", "1", "not yet due", "not yet due"],
    ]
    assert api.requests[-1].query == {"from": NEXT, "to": "2026-11-20T12:02:00Z"}
    assert result.stderr == ""


def test_runs_beside_a_stretch_are_told_below_it(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    child = "20261120T000000Z~child-1"
    beside = finding("2026-11-20T00:00:00Z", "ran", run=make_run("demo/beat", child), text="succeeded: attempt 1")
    api.explained["demo/beat"] = {"beside": [beside]}
    assert rows(cli("explain", "demo/beat").stdout)[2:] == [
        [""],
        ["beside it:"],
        ["2026-11-20 00:00:00 UTC", "succeeded: attempt 1", child],
    ]


def test_what_did_not_fit_in_is_asked_for_from_where_it_ended(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.explained["demo/beat"] = {"next": "2026-11-20T09:30:00Z", "to": "2026-11-20T10:00:00Z"}
    said = cli("explain", "demo/beat").stderr
    assert said == "there is more: --from 2026-11-20T09:30:00Z --to 2026-11-20T10:00:00Z\n"


def test_in_json_it_is_the_answer_as_it_came(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    told = json.loads(cli("explain", "demo/beat", NEXT, "-o", "json").stdout)
    assert told["items"] == [finding(NEXT)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([NEXT, "--from", NEXT], "give either"),
        ([NEXT, "--to", NEXT], "give either"),
        (["--to", NEXT], "say where it begins with --from"),
        (["yesterday"], "'yesterday' is not an instant"),
        (["2026-11-20T09:00:00"], "leaves open which time zone is meant"),
    ],
)
def test_what_cannot_be_asked_is_refused_without_asking(
    api: FakeApi, cli: Cli, arguments: list[str], said: str
) -> None:
    result = cli("explain", "demo/beat", *arguments)
    assert (result.exit_code, api.requests) == (2, [])
    assert said in result.stderr


def test_a_job_that_never_was_is_not_found(cli: Cli) -> None:
    assert cli("explain", "demo/ghost").exit_code == 3
