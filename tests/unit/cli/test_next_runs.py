"""The coming runs of a job, and what stands between them."""

import json
import re

from tests.unit.cli.conftest import Cli
from tests.unit.client.fake.documents import NEXT, coming_run, make_coming
from tests.unit.client.fake_api import FakeApi


def test_next_of_a_job_is_asked_of_the_api_and_shown_on_both_clocks(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    items = [
        coming_run("2026-11-23T00:00:00Z", "2026-11-23T09:00:00+09:00"),
        coming_run("2026-11-24T00:00:00Z", "2026-11-24T09:00:00+09:00"),
    ]
    meaning = {"description": "At 09:00 on weekdays, Tokyo time", "timezone": "Asia/Tokyo", "items": items}
    api.coming["demo/beat"] = meaning
    result = cli("next", "--job", "beat", "-n", "demo", "-c", "2", "--after", "2026-11-22T09:00:00+09:00")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "At 09:00 on weekdays, Tokyo time (Asia/Tokyo, vixie)",
        "",
        "local (Asia/Tokyo)              UTC",
        "Mon 2026-11-23 09:00:00 +09:00  2026-11-23 00:00:00",
        "Tue 2026-11-24 09:00:00 +09:00  2026-11-24 00:00:00",
    ]
    assert api.requests[-1].query == {"count": "2", "after": "2026-11-22T00:00:00Z"}
    shown = json.loads(cli("next", "--job", "demo/beat", "-o", "json").stdout)
    assert shown == make_coming(**meaning)
    assert api.requests[-1].query == {"count": "10"}


def test_what_does_not_run_stands_between_the_runs_with_why(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    new_york = "America/New_York"
    api.coming["demo/beat"] = {
        "timezone": new_york,
        "items": [
            coming_run("2027-03-12T07:30:00Z", "2027-03-12T02:30:00-05:00", starts_at="2027-03-12T07:34:00Z"),
            coming_run(
                "2027-03-15T06:30:00Z",
                "2027-03-15T02:30:00-04:00",
                moved=True,
                moved_from="2027-03-13T07:30:00Z",
                note="after the clocks go forward",
            ),
        ],
        "blocked": [
            {
                "at": "2027-03-13T07:30:00Z",
                "local": "2027-03-13T02:30:00-05:00",
                "until": "2027-03-15T04:00:00Z",
                "times": times,
                "calendar": "weekend",
                "moved_to": moved_to,
            }
            for times, moved_to in ((1, "2027-03-15T06:30:00Z"), (2, "2027-03-15T06:30:00Z"), (None, None))
        ],
        "skipped": [
            {
                "at": "2027-03-14T07:00:00Z",
                "local": "2027-03-14T02:30:00",
                "timezone": new_york,
                "times": 1,
                "note": "skipped: 02:30 does not exist",
            }
        ],
    }
    lines = [re.split(r" {2,}", line) for line in cli("next", "--job", "demo/beat", "-c", "2").stdout.splitlines()]
    assert lines[2:] == [
        ["local (America/New_York)", "UTC", "starts (UTC)", "note"],
        ["Fri 2027-03-12 02:30:00 -05:00", "2027-03-12 07:30:00", "2027-03-12 07:34:00"],
        [
            "Sat 2027-03-13 02:30:00 -05:00",
            "-",
            "-",
            "blocked by the calendar weekend; runs on Mon 2027-03-15 02:30:00 -04:00 instead",
        ],
        [
            "Sat 2027-03-13 02:30:00 -05:00",
            "-",
            "-",
            "blocked by the calendar weekend, 2 times until Mon 2027-03-15 00:00:00 -04:00; the first runs on Mon 2027-03-15 02:30:00 -04:00 instead",
        ],
        [
            "Sat 2027-03-13 02:30:00 -05:00",
            "-",
            "-",
            "blocked by the calendar weekend, more than 1,000 times until Mon 2027-03-15 00:00:00 -04:00",
        ],
        ["Sun 2027-03-14 02:30:00", "-", "-", "skipped: 02:30 does not exist"],
        [
            "Mon 2027-03-15 02:30:00 -04:00",
            "2027-03-15 06:30:00",
            "2027-03-15 06:30:00",
            "moved from Sat 2027-03-13; after the clocks go forward",
        ],
    ]


def test_that_more_is_blocked_than_is_shown_is_said(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    at = {"at": NEXT, "local": NEXT, "until": NEXT, "times": 1, "calendar": "c", "moved_to": None}
    api.coming["demo/beat"] = {"blocked": [at] * 20}
    assert "the first 20 stretches are shown" in cli("next", "--job", "demo/beat", "-c", "1").stderr


def test_next_of_an_idle_job_says_why_there_is_none(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat", paused=True)
    result = cli("next", "--job", "demo/beat")
    assert (result.exit_code, result.stdout) == (0, "Every hour (UTC, vixie)\n")
    assert result.stderr == "demo/beat has no next run: it is paused\n"
    told = json.loads(cli("next", "--job", "demo/beat", "-o", "json").stdout)
    assert (told["items"], told["idle_because"]) == ([], "it is paused")


def test_the_last_run_of_a_job_is_said_to_be_the_last(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    assert cli("next", "--job", "demo/beat", "-c", "1").stderr == ""
    assert cli("next", "--job", "demo/beat", "-c", "2").stderr == f"there is no further run after {NEXT}\n"
    api.coming["demo/beat"] = {"items": []}
    for after in ([], ["--after", "2026-11-20T08:30:00Z"]):
        said = cli("next", "--job", "demo/beat", *after).stderr
        assert said == "there is no further run after 2026-11-20T08:30:00Z\n"
