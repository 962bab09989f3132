"""The commands `endpoints`, and endpoints in `run`."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from minutehand.adapters.memory import MemoryBalances
from minutehand.domain.balance import CallEnd, Ejection
from minutehand.domain.endpoint import Visit
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Attempt, Run, RunError, RunState
from minutehand.domain.run_key import RunKey
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
JOB = JobKey("shop", "clean")
TARGET = {
    "type": "http",
    "url": "http://reports/clean",
    "endpoints": {"listed": [{"url": "http://10.0.3.7:8080", "weight": 2}, {"url": "http://10.0.3.8:8080"}]},
}


@pytest.fixture
def job(api: ApiServer) -> None:
    """A job with two endpoints, the second of which is left out."""
    api.ask("PUT", "namespaces/shop/jobs/clean", {"schedule": "@hourly", "target": TARGET})
    balances = MemoryBalances(api.state)
    balances.draw(JOB, NOW)
    balances.record(JOB, CallEnd("http://10.0.3.8:8080", None, True, Ejection(1, timedelta(seconds=30))), NOW)


@pytest.mark.usefixtures("job")
def test_the_examples_print_what_the_page_says(cli: Cli) -> None:
    section = "".join(re.findall(r"^## `minutehand endpoints.+?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
    examples = re.findall(r"```console\n\$ minutehand (.+?)\n(.+?)```", section, re.DOTALL)
    assert [line.split()[1] for line, _ in examples] == ["show", "services", "list", "register", "deregister"]
    for line, output in (examples[place] for place in (0, 3, 1, 2, 4)):
        result = cli(*line.split())
        assert (result.stdout, result.exit_code) == (output, 0), result.stderr


@pytest.mark.usefixtures("job")
def test_programs_get_the_documents_of_the_api(cli: Cli) -> None:
    shown = json.loads(cli("endpoints", "show", "shop/clean", "-o", "json").stdout)
    assert [each["failures"] for each in shown["items"]] == [0, 1]
    made = json.loads(cli("endpoints", "register", "reports", "a", "--url", "http://10.0.3.7", "-o", "json").stdout)
    assert json.loads(cli("endpoints", "list", "reports", "-o", "json").stdout) == {"items": [made], "next": None}


def test_a_service_without_endpoints_says_how_to_add_one(cli: Cli) -> None:
    result = cli("endpoints", "list", "shop/reports")
    assert "the service shop/reports has no endpoints; `minutehand endpoints register` adds one" in result.stderr


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--ttl=soon", "'soon' is not a duration"),
        ("--weight=101", "'101' is not a whole number from 1 to 100"),
        ("--url=10.0.3.7", "the URL does not begin with http:// or https://"),
        ("--ttl=5s", "5s is too short"),
    ],
)
def test_bad_input_is_refused(cli: Cli, option: str, message: str) -> None:
    given = ["--url=http://10.0.3.7"] if "url" not in option else []
    result = cli("endpoints", "register", "reports", "a", *given, option)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_run_shows_which_endpoint_each_attempt_called_and_which_it_could_not_reach(api: ApiServer, cli: Cli) -> None:
    api.add_job("shop/clean")
    first = Attempt(1, "w", "n", NOW, NOW, RunState.FAILED, RunError("HttpStatus", "503"))
    run = Run(
        key=RunKey.scheduled(JOB, NOW),
        target="http",
        revision=1,
        claimed_at=NOW,
        expires_at=NOW + timedelta(days=1),
        state=RunState.SUCCEEDED,
        attempt=2,
        started_at=NOW,
        finished_at=NOW,
        lateness=timedelta(0),
        attempts=(first,),
        visits=(Visit(1, "http://a"), Visit(2, "http://b"), Visit(2, "http://c")),
    )
    api.state.runs[run.key] = run
    shown = cli("run", "shop/clean", run.key.run_id).stdout
    assert re.search(r"^endpoint +http://c \(not reached: http://b\)$", shown, re.MULTILINE)
    assert [line.split()[-2:] for line in shown.splitlines() if line.startswith("1 ")] == [["HttpStatus:", "503"]]
    assert "http://a" in shown
    explained = cli("explain", "shop/clean", "2026-11-20T08:30:00Z")
    assert explained.exit_code == 0, explained.stderr
    assert "succeeded  attempt 2 at http://c (not reached: http://b)" in explained.stdout
    api.state.runs[run.key] = replace(run, visits=(), attempts=())
    assert "endpoint" not in cli("run", "shop/clean", run.key.run_id).stdout


def test_a_service_is_named_in_full_wherever_it_was_given(cli: Cli) -> None:
    made = cli("endpoints", "register", "reports", "web-3", "-n", "shop", "--url", "http://10.0.3.7", "--ttl", "1h")
    assert made.stdout == "registered web-3 of service shop/reports  http://10.0.3.7  until 2026-11-20 09:30:00 UTC\n"
    assert cli("endpoints", "deregister", "shop/reports", "web-3").stdout == "removed web-3 of service shop/reports\n"
    assert "of service default/reports" in cli("endpoints", "register", "reports", "a", "--url", "http://a").stdout
