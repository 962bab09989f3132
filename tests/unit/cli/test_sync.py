"""`minutehand sync`: the jobs of a package, on the API."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from minutehand.cli.documents.app_jobs import app_documents, load_app
from minutehand.domain.errors import Unavailable
from tests.support.api_server import TARGET, ApiServer
from tests.support.http_server import Request
from tests.unit.cli.conftest import Cli, Unsaved

CODE = """
from datetime import timedelta
from minutehand import App, job

app = App(__name__, timezone="Europe/Paris", labels={"team": "data"})

@job("extract", schedule="0 1 * * *")
def extract() -> None:
    \"\"\"Copy yesterday's
    orders.

    By day.
    \"\"\"

@job("reports/nightly", schedule="0 4 * * *", depends_on=[{"job": extract, "on": "end"}], heartbeat="2m",
     timeout=timedelta(hours=1), payload={"days": 7}, labels={"kind": "report"})
def nightly(days: int) -> None: ...
"""
URL = ("--target", "https://jobs.example.com/minutehand")
FUNCTION = "arn:aws:lambda:eu-west-1:111122223333:function:jobs"


@pytest.fixture(autouse=True)
def _app(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module `team` in the working folder."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # its edits are of the same second and size
    write(CODE)
    yield
    forget()


def write(code: str) -> None:
    forget()
    Path("team.py").write_text(code, encoding="utf-8")


def forget() -> None:
    sys.modules.pop("team", None)
    importlib.invalidate_caches()


def results(cli: Cli, *options: str) -> dict[str, str]:
    done = cli("sync", "team", *URL, *options, "-o", "json")
    assert done.exit_code == 0, done.stderr
    forget()
    return {item["job"]: item["result"] for item in json.loads(done.stdout)["items"]}


def saves(api: ApiServer) -> list[Request]:
    return [each for each in api.requests if each.method != "GET" and "dry_run" not in each.query]


def test_each_handler_becomes_a_job(api: ApiServer, cli: Cli) -> None:
    result = cli("sync", "team", *URL, "--header", "Authorization: Bearer s3cret")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "created    default/extract  revision 1\ncreated    reports/nightly  revision 1\n"
    extract, nightly = api.jobs["default/extract"], api.jobs["reports/nightly"]
    assert (extract["schedule"], extract["timezone"]) == ("0 1 * * *", "Europe/Paris")
    assert extract["description"] == "Copy yesterday's orders."
    assert extract["labels"] == {"team": "data", "sync/app": "team"}
    assert nightly["labels"] == {"team": "data", "kind": "report", "sync/app": "team"}
    assert nightly["depends_on"] == [{"job": "default/extract", "on": "end"}]
    assert (nightly["timeout"], nightly["payload"]) == ("1h", {"days": 7})
    given = {
        "type": "http",
        "method": "POST",
        "url": URL[1],
        "headers": {"Authorization": "Bearer s3cret"},
        "mode": "auto",
        "heartbeat": "2m",
    }
    assert nightly["target"].items() >= given.items()


def test_the_namespace_is_that_of_handlers_without_one(api: ApiServer, cli: Cli) -> None:
    assert sorted(results(cli, "-n", "staging")) == ["reports/nightly", "staging/extract"]
    assert api.jobs["reports/nightly"]["depends_on"][0]["job"] == "staging/extract"


def test_syncing_again_changes_nothing(api: ApiServer, cli: Cli) -> None:
    results(cli)
    api.requests.clear()
    assert set(results(cli).values()) == {"unchanged"}
    assert saves(api) == []


def test_an_edit_of_the_code_updates_its_job(api: ApiServer, cli: Cli) -> None:
    results(cli)
    write(CODE.replace("0 1 * * *", "0 3 * * *"))
    assert results(cli) == {"default/extract": "updated", "reports/nightly": "unchanged"}
    assert api.jobs["default/extract"]["schedule"] == "0 3 * * *"


def test_a_dry_run_shows_each_change_and_saves_nothing(api: ApiServer, cli: Cli) -> None:
    results(cli)
    write(CODE.replace("0 1 * * *", "0 3 * * *").replace('"data"', '"ops"').replace("reports/nightly", "reports/daily"))
    api.requests.clear()
    result = cli("sync", "team", *URL, "--dry-run")
    assert result.stdout.splitlines() == [
        "would update  default/extract  revision 2",
        '  labels.team: "data" -> "ops"',
        '  schedule: "0 1 * * *" -> "0 3 * * *"',
        "would create  reports/daily  revision 1",
        "gone          reports/nightly  revision 1",
    ]
    assert "nothing was saved: --dry-run" in result.stderr
    assert saves(api) == []


def test_a_paused_job_stays_paused(api: ApiServer, cli: Cli) -> None:
    results(cli)
    cli("pause", "extract")
    assert results(cli)["default/extract"] == "unchanged"
    assert api.jobs["default/extract"]["paused"] is True


def test_a_job_whose_handler_is_gone_is_reported_and_deleted_only_when_asked(api: ApiServer, cli: Cli) -> None:
    api.add_job("default/by-hand")
    api.add_job("default/of-others", labels={"sync/app": "team2"})
    results(cli)
    write(CODE.replace('"extract"', '"copy"'))
    done = cli("sync", "team", *URL)
    assert "gone       default/extract  revision 1" in done.stdout
    assert "default/extract: its handler is gone, but the job still runs; --prune deletes such jobs" in done.stderr
    assert "default/extract" in api.jobs
    forget()
    assert results(cli, "--prune")["default/extract"] == "deleted"
    assert sorted(api.jobs) == ["default/by-hand", "default/copy", "default/of-others", "reports/nightly"]


@pytest.mark.parametrize(
    ("labels", "whose"), [({}, "that sync did not make"), ({"sync/app": "shop"}, "of the app shop")]
)
def test_a_job_from_elsewhere_is_never_changed(api: ApiServer, cli: Cli, labels: dict[str, str], whose: str) -> None:
    before = api.add_job("reports/nightly", labels=labels)
    result = cli("sync", "team", *URL)
    assert result.exit_code == 4
    assert f"there is a job reports/nightly {whose}" in result.stderr
    assert "give it the label sync/app: team" in result.stderr
    assert api.jobs == {"reports/nightly": before}


def test_nothing_is_saved_unless_all_jobs_are_valid(api: ApiServer, cli: Cli) -> None:
    write(CODE.replace("0 1 * * *", "0 61 * * *"))
    result = cli("sync", "team", *URL)
    assert result.exit_code == 2
    assert "  team.py:7 default/extract schedule: hour: 61 is out of range" in result.stderr
    assert api.jobs == {}


def test_when_saving_fails_in_the_middle_nothing_is_deleted(api: ApiServer, cli: Cli, unsaved: Unsaved) -> None:
    results(cli)
    write(CODE.replace('"extract"', '"copy"'))
    unsaved("nightly", Unavailable("broken"))
    result = cli("sync", "team", *URL, "--prune")
    assert result.exit_code == 1
    assert "created    default/copy" in result.stdout
    assert "sync again to continue" in result.stderr
    assert "default/extract" in api.jobs


ON_AGENTS = """
from minutehand import App, job

app = App(__name__, pool="web", environment={"DB": "{{secret:ssm:/shop/db}}"})

@job("extract", schedule="0 1 * * *")
def extract() -> None: ...

@job("reports/nightly", schedule="0 4 * * *", pool="night", tags={"disk": "big"}, count="all", max_parallel=2, heartbeat="2m", timeout="1h")
def nightly() -> None: ...
"""


def test_handlers_that_name_a_pool_become_targets_of_its_agents(cli: Cli) -> None:
    write(ON_AGENTS)
    documents = {
        each.job: each.content["target"] for each in app_documents(load_app("team"), namespace="shop", target=None)
    }
    environment = {"DB": "{{secret:ssm:/shop/db}}"}
    assert documents == {
        "shop/extract": {"type": "command", "pool": "web", "environment": environment, "handler": "extract"},
        "reports/nightly": {
            "type": "command",
            "pool": "night",
            "tags": {"disk": "big"},
            "count": "all",
            "max_parallel": 2,
            "environment": environment,
            "handler": "reports/nightly",
            "heartbeat": "2m",
        },
    }


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('pool="web", ', ""), "has environment, but no pool"),
        (('pool="web", ', 'count="all", '), "has count, but no pool"),
        (('pool="web", environment={"DB": "{{secret:ssm:/shop/db}}"}', ""), "nothing says where extract runs"),
    ],
)
def test_a_handler_with_neither_pool_nor_target_is_refused(cli: Cli, change: tuple[str, str], said: str) -> None:
    write(ON_AGENTS.replace(*change))
    result = cli("sync", "team")
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


def test_handlers_in_a_lambda_function_answer_by_callback(api: ApiServer, cli: Cli) -> None:
    assert cli("sync", "team", "--target", f"{FUNCTION}:live").exit_code == 0
    target = api.jobs["default/extract"]["target"]
    assert (target["type"], target["function"], target["qualifier"], target["mode"]) == (
        "lambda",
        FUNCTION,
        "live",
        "callback",
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["team"], "nothing says where extract runs"),
        (["team", "--target", "example.com"], "'example.com' is not where handlers run; write the URL of a service"),
        (["team", "--target", FUNCTION, "--header", "A: b"], "--header is for the URL of a service"),
        (["no_such_team", *URL], "there is no module 'no_such_team'"),
        (["team:ap", *URL], "team has no app 'ap'"),
    ],
)
def test_what_cannot_be_synced_is_refused(cli: Cli, words: list[str], said: str) -> None:
    result = cli("sync", *words)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("reports/nightly", "default/extract"), "default/extract has two handlers"),
        (('"job": extract', '"job": print'), "depends on print, which is no handler of this app"),
        (("days: int", "days"), "parameter 'days' of nightly has no annotation"),
        (('"days": 7', '"days": "7"'), "the payload of @job('reports/nightly'): argument days is"),
    ],
)
def test_mistakes_in_the_code_are_told_with_their_place(cli: Cli, change: tuple[str, str], said: str) -> None:
    write(CODE.replace(*change))
    result = cli("sync", "team", *URL)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "team.py:" in result.stderr


def test_json_has_the_changes(api: ApiServer, cli: Cli) -> None:
    results(cli)
    api.add_job("reports/other", target=TARGET, labels={"sync/app": "team"})
    write(CODE.replace("0 1 * * *", "0 3 * * *"))
    items: list[dict[str, Any]] = json.loads(cli("sync", "team", *URL, "--dry-run", "-o", "json").stdout)["items"]
    assert items[0] == {
        "job": "default/extract",
        "result": "updated",
        "revision": 2,
        "warnings": [],
        "changes": {"schedule": ["0 1 * * *", "0 3 * * *"]},
    }
    assert [item["result"] for item in items[1:]] == ["unchanged", "gone"]
