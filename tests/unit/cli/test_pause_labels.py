"""`pause` and `resume` of all jobs with a label."""

import json

import pytest

from tests.support.api_server import ApiServer
from tests.support.http_server import Canned
from tests.unit.cli.conftest import Cli

DATA = {"team": "data"}


@pytest.fixture
def team(api: ApiServer) -> ApiServer:
    """Jobs of a team in two namespaces, and one of another team."""
    for name in ("default/a", "default/b", "shop/c"):
        api.add_job(name, labels=DATA)
    api.add_job("default/other", labels={"team": "web"})
    return api


def paused(api: ApiServer) -> set[str]:
    return {name for name, job in api.jobs.items() if job["paused"]}


def test_all_jobs_with_a_label_are_paused_and_resumed(team: ApiServer, cli: Cli) -> None:
    result = cli("pause", "-l", "team=data", "--until", "2h")
    assert (result.exit_code, paused(team)) == (0, {"default/a", "default/b"})
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [
        ["paused", "default/a"],
        ["paused", "default/b"],
    ]
    assert cli("pause", "-A", "-l", "team=data").exit_code == 0
    assert paused(team) == {"default/a", "default/b", "shop/c"}
    assert cli("resume", "-n", "shop", "-l", "team=data").exit_code == 0
    assert paused(team) == {"default/a", "default/b"}


def test_programs_get_every_job(team: ApiServer, cli: Cli) -> None:
    items = json.loads(cli("pause", "-A", "-l", "team=data", "-o", "json").stdout)["items"]
    assert [(job["name"], job["paused"]) for job in items] == [("a", True), ("b", True), ("c", True)]


def test_a_failure_says_how_far_it_came(team: ApiServer, cli: Cli) -> None:
    problem = {"title": "Conflict", "status": 409, "detail": "not now"}
    listed = json.dumps(team.ask("GET", "namespaces/default/jobs", query={"label": "team=data", "limit": "1000"}))
    first = json.dumps(team.ask("POST", "namespaces/default/jobs/a/pause"))
    team.canned.extend([Canned(body=listed.encode()), Canned(body=first.encode())])
    team.canned.append(Canned(status=409, body=json.dumps(problem).encode()))
    result = cli("pause", "-l", "team=data")
    assert result.exit_code == 4
    assert "1 of 2 jobs paused" in result.stderr


def test_a_label_of_no_job_is_said(team: ApiServer, cli: Cli) -> None:
    result = cli("pause", "-l", "team=nobody")
    assert (result.exit_code, result.stderr) == (0, "no job has these labels\n")


@pytest.mark.parametrize("wrong", [[], ["a", "-l", "team=data"], ["a", "-A"], ["-A", "-n", "shop", "-l", "team=data"]])
def test_a_job_or_labels_are_named(api: ApiServer, cli: Cli, wrong: list[str]) -> None:
    for name in ("pause", "resume"):
        assert cli(name, *wrong).exit_code == 2
    assert api.requests == []
