"""`output`, and what `run` says of attempts and of what it leaves out."""

import json
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.run import Attempt, Result, RunError, RunState
from minutehand.usecases.ports.outputs import whole
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli

RUN = "20261120T080000Z"
FIRST = Attempt(
    number=1,
    worker="2026/11/20/[1]abc",
    nonce="n",
    started_at=NOW.replace(hour=8, minute=0),
    finished_at=NOW.replace(hour=8, minute=0, second=1),
    state=RunState.FAILED,
    error=RunError(type="HttpStatus", message="503 Service Unavailable\nfrom POST"),
)


@pytest.fixture(autouse=True)
def _job(api: ApiServer) -> None:
    api.add_job("demo/beat")


def answered(api: ApiServer, body: str, **more: Any) -> None:
    """Have a run's attempt leave a text that its own record holds."""
    api.add_run("demo/beat", RUN, result=Result(type="http", status=200, body=body, **more))


def test_an_output_is_printed_as_it_came(api: ApiServer, cli: Cli) -> None:
    answered(api, "line 1\n\tline 2 \x1b[31m")
    result = cli("output", "demo/beat", RUN)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "line 1\n\tline 2 \x1b[31m", "")


def test_another_attempt_s_output_is_printed_by_its_number(api: ApiServer, cli: Cli) -> None:
    key = api.add_run("demo/beat", RUN, "failed", attempt=2, attempts=(FIRST,))
    result = Result(type="http", status=503, body="first")
    api.ports.outputs.keep(key, 1, whole(result, None, NOW + timedelta(days=30)))
    assert cli("output", "beat", "-n", "demo", RUN, "--attempt", "1").stdout == "first"
    assert cli("output", "demo/beat", RUN, "--attempt", "2").exit_code == 3
    assert cli("output", "demo/beat", RUN, "--attempt", "0").exit_code == 2


def test_that_a_target_sent_more_than_is_read_is_reported_beside_the_output(api: ApiServer, cli: Cli) -> None:
    answered(api, "pong", cut=True)
    result = cli("output", "demo/beat", RUN)
    assert (result.stdout, result.stderr) == ("pong", "the target sent more than 1 MiB; only the beginning was kept\n")


def test_that_the_rest_of_an_output_is_gone_is_reported_beside_it(api: ApiServer, cli: Cli) -> None:
    api.add_run("demo/beat", RUN, detailed=True)
    result = cli("output", "demo/beat", RUN)
    note = "incomplete: the rest could not be kept or has expired\n"
    assert (result.stdout, result.stderr) == ("pong", note)


def test_of_how_many_bytes_the_rest_is_gone_is_reported_where_it_is_known(api: ApiServer, cli: Cli) -> None:
    key = api.add_run("demo/beat", RUN, detailed=True)
    end = Result(type="http", status=200, body="pong")
    api.ports.outputs.keep(key, 1, whole(end, None, NOW + timedelta(days=30))._replace(size=5000))
    note = "incomplete: of 5,000 bytes, the rest could not be kept or has expired\n"
    assert cli("output", "demo/beat", RUN).stderr == note


def test_programs_get_the_whole_document(api: ApiServer, cli: Cli) -> None:
    answered(api, "pong")
    shown = json.loads(cli("output", "demo/beat", RUN, "-o", "json").stdout)
    assert (shown["text"], shown["bytes"], shown["job"]) == ("pong", 4, "demo/beat")


def test_a_run_of_several_attempts_shows_each(api: ApiServer, cli: Cli) -> None:
    begun = NOW.replace(hour=8, minute=0, second=11)
    api.add_run("demo/beat", RUN, "running", attempt=2, attempts=(FIRST,), started_at=begun)
    lines = cli("run", "demo/beat", RUN).stdout.splitlines()
    first, second = lines[-2:]
    assert first.split()[:6] == ["1", "failed", "2026-11-20", "08:00:00", "2026-11-20", "08:00:01"]
    assert first.endswith("2026/11/20/[1]abc  HttpStatus: 503 Service Unavailable")
    assert second.split() == ["2", "running", "2026-11-20", "08:00:11", "-", "-"]


def test_a_run_of_one_attempt_shows_no_list_of_them(api: ApiServer, cli: Cli) -> None:
    api.add_run("demo/beat", RUN, worker="2026/11/20/[1]abc")
    assert "worker" not in cli("run", "demo/beat", RUN).stdout


@pytest.mark.parametrize(
    ("output", "heading"),
    [
        (None, "body"),
        ({"bytes": 4, "truncated": False, "cut": False}, "body"),
        ({"bytes": 4, "truncated": False, "cut": True}, "body (cut: the target sent more)"),
        (
            {"bytes": 100_000, "truncated": True, "cut": True},
            (
                f"body (part of 100,000 bytes; `minutehand output demo/beat {RUN}` prints them; "
                "the target sent more than 1 MiB, of which only the beginning was kept)"
            ),
        ),
        (
            {"bytes": 100_000, "truncated": True, "cut": False},
            f"body (part of 100,000 bytes; `minutehand output demo/beat {RUN}` prints them)",
        ),
        (
            {"bytes": 4, "truncated": True, "cut": False},
            "body (the beginning; the rest could not be kept or has expired)",
        ),
    ],
)
def test_a_body_says_what_of_it_is_left_out(api: ApiServer, cli: Cli, output: dict | None, heading: str) -> None:
    api.add_run("demo/beat", RUN)
    api.say(f"/runs/{RUN}", api.runs("demo/beat")[RUN] | {"output": output})
    assert heading in cli("run", "demo/beat", RUN).stdout.splitlines()
