"""`logs`: what a command writes, while it runs and afterwards."""

import gzip
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.run import Result
from minutehand.domain.spread import Spread
from minutehand.usecases.ports.logs import LogRecord
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli

RUN = "20261120T080000Z"


@pytest.fixture(autouse=True)
def _job(api: ApiServer) -> None:
    api.add_job("demo/beat")


def logged(api: ApiServer, *lines: str, state: str = "succeeded", run: str = RUN) -> None:
    """Have a run's attempt leave a log."""
    key = api.add_run("demo/beat", run, state)
    api.ports.outputs.logs.note(key, 1, LogRecord(place=f"log of {run}"), NOW + timedelta(days=1))
    text = "".join(f"2026-11-20T08:00:01.000Z {line}\n" for line in lines)
    api.state.objects[f"log of {run}"] = gzip.compress(text.encode())


def test_a_log_is_printed_as_it_was_written(api: ApiServer, cli: Cli) -> None:
    logged(api, "out one", "out+ tw", "out o")
    result = cli("logs", "demo/beat", RUN)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "one\ntwo\n", "")


def test_times_are_before_whole_lines(api: ApiServer, cli: Cli) -> None:
    logged(api, "out one", "out+ tw", "out o")
    assert cli("logs", "demo/beat", RUN, "--times").stdout == (
        "2026-11-20T08:00:01.000Z one\n2026-11-20T08:00:01.000Z two\n"
    )


def test_a_pipe_gets_no_control_sequences(api: ApiServer, cli: Cli) -> None:
    logged(api, "out \x1b[31mred\x1b[0m\x1b[2J\x1b]0;title\x07\x1bc\x9b2J\x1b]52;c;eA==\x1b\\", "out+ a\x1b", "out \tb")
    assert cli("logs", "demo/beat", RUN).stdout == "red\na\tb\n"


def test_what_is_missing_is_told_beside_the_log(api: ApiServer, cli: Cli) -> None:
    logged(api, "out one", "note 5 bytes are missing here", "out two")
    result = cli("logs", "demo/beat", RUN)
    assert (result.stdout, result.stderr) == ("one\ntwo\n", "(5 bytes are missing here)\n")


def test_programs_get_an_entry_a_line(api: ApiServer, cli: Cli) -> None:
    logged(api, "out one", "out two")
    lines = cli("logs", "demo/beat", RUN, "-o", "json").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [
        {"attempt": 1, "at": "2026-11-20T08:00:01.000Z", "stream": "output", "text": f"{text}\n"}
        for text in ("one", "two")
    ]


@pytest.mark.parametrize(("state", "code"), [("succeeded", 0), ("failed", 1)])
def test_the_exit_code_of_following_tells_how_the_run_ended(api: ApiServer, cli: Cli, state: str, code: int) -> None:
    logged(api, "out one", state=state)
    result = cli("logs", "demo/beat", RUN, "--follow")
    assert (result.exit_code, result.stdout) == (code, "one\n")
    assert cli("logs", "demo/beat", RUN).exit_code == 0


def test_a_run_without_a_log_has_its_output(api: ApiServer, cli: Cli) -> None:
    api.add_run("demo/beat", RUN, result=Result(type="http", status=200, body="pong"))
    assert cli("logs", "demo/beat", RUN).stdout == "pong"


def test_a_run_that_never_began_has_none(api: ApiServer, cli: Cli) -> None:
    assert cli("logs", "demo/beat", "20261119T080000Z").exit_code == 3


def test_a_log_that_is_read_in_many_pieces_is_whole(api: ApiServer, cli: Cli) -> None:
    lines = [f"line {number}" for number in range(2_500)]
    logged(api, *(f"out {line}" for line in lines))
    assert cli("logs", "demo/beat").stdout.splitlines() == lines


@pytest.mark.parametrize("follow", [[], ["--follow"]])
def test_the_log_of_a_run_on_several_nodes_names_those_of_the_nodes(
    api: ApiServer, cli: Cli, follow: list[str]
) -> None:
    whole = api.add_run("demo/beat", RUN, "succeeded")
    spread = Spread(parent=whole, attempt=1, pool="web", nodes=("a", "b"), min_success=1, max_parallel=2, taken=1)
    api.ports.spreads.create(spread, NOW + timedelta(days=1))
    api.state.runs[spread.child("a")] = replace(api.state.runs[whole], key=spread.child("a"))
    api.state.runs[whole] = replace(api.state.runs[whole], joins_at=NOW, result=None)
    result = cli("logs", "demo/beat", RUN, *follow)
    assert result.stdout == ""
    assert result.stderr == (
        f"each node of this run has a log of its own:\n  minutehand logs demo/beat {spread.child('a').run_id}  # a\n"
    )
