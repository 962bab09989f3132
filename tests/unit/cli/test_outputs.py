"""`output`, and what `run` says of attempts and of what it leaves out."""

import json

import pytest

from tests.unit.cli.conftest import Cli
from tests.unit.client.fake_api import FakeApi

RUN = "20261120T080000Z"
RETRIED = [
    {
        "number": 1,
        "worker": "2026/11/20/[1]abc",
        "started_at": "2026-11-20T08:00:00.100Z",
        "finished_at": "2026-11-20T08:00:01Z",
        "state": "failed",
        "error": {"type": "HttpStatus", "message": "503 Service Unavailable\nfrom POST", "stack": None},
    },
    {
        "number": 2,
        "worker": None,
        "started_at": "2026-11-20T08:00:11Z",
        "finished_at": None,
        "state": "running",
        "error": None,
    },
]


def test_an_output_is_printed_as_it_came(api: FakeApi, cli: Cli) -> None:
    api.outputs[RUN, None] = {"text": "line 1\n\tline 2 \x1b[31m"}
    result = cli("output", "demo/beat", RUN)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "line 1\n\tline 2 \x1b[31m", "")


def test_another_attempt_s_output_is_printed_by_its_number(api: FakeApi, cli: Cli) -> None:
    api.outputs[RUN, 2] = {"text": "second"}
    assert cli("output", "beat", "-n", "demo", RUN, "--attempt", "2").stdout == "second"
    assert cli("output", "demo/beat", RUN, "--attempt", "1").exit_code == 3
    assert cli("output", "demo/beat", RUN, "--attempt", "0").exit_code == 2


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            {"truncated": True, "bytes": 5000},
            "this is not all of it: of 5,000 bytes, the rest could not be kept or is gone",
        ),
        ({"truncated": True}, "this is not all of it: the rest could not be kept or is gone"),
        ({"cut": True}, "the target sent more than 1 MiB; this is the beginning"),
    ],
)
def test_what_is_missing_of_an_output_is_told_beside_it(api: FakeApi, cli: Cli, said: dict, told: str) -> None:
    api.outputs[RUN, None] = said
    result = cli("output", "demo/beat", RUN)
    assert (result.stdout, result.stderr) == ("pong", f"{told}\n")


def test_programs_get_the_whole_document(api: FakeApi, cli: Cli) -> None:
    api.outputs[RUN, None] = {}
    shown = json.loads(cli("output", "demo/beat", RUN, "-o", "json").stdout)
    assert (shown["text"], shown["bytes"], shown["job"]) == ("pong", 4, "demo/beat")


def test_a_run_of_several_attempts_shows_each(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", RUN, "running", attempts=RETRIED)
    lines = cli("run", "demo/beat", RUN).stdout.splitlines()
    first, second = lines[-2:]
    assert first.split()[:6] == ["1", "failed", "2026-11-20", "08:00:00", "2026-11-20", "08:00:01"]
    assert first.endswith("2026/11/20/[1]abc  HttpStatus: 503 Service Unavailable")
    assert second.split() == ["2", "running", "2026-11-20", "08:00:11", "-", "-"]


def test_a_run_of_one_attempt_shows_no_list_of_them(api: FakeApi, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", RUN, attempts=RETRIED[:1])
    assert "worker" not in cli("run", "demo/beat", RUN).stdout


@pytest.mark.parametrize(
    ("output", "heading"),
    [
        (None, "body"),
        ({"bytes": 4, "truncated": False, "cut": False}, "body"),
        ({"bytes": 4, "truncated": False, "cut": True}, "body (the target sent more)"),
        (
            {"bytes": 100_000, "truncated": True, "cut": True},
            f"body (part of 100,000 bytes; `minutehand output demo/beat {RUN}` prints them)",
        ),
        ({"bytes": 4, "truncated": True, "cut": False}, "body (the beginning; the rest could not be kept or is gone)"),
    ],
)
def test_a_body_says_what_of_it_is_left_out(api: FakeApi, cli: Cli, output: dict | None, heading: str) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", RUN, output=output)
    assert heading in cli("run", "demo/beat", RUN).stdout.splitlines()
