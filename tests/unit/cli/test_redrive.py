"""Redriving from the command line: a job, one of its runs, and a whole namespace."""

import json

import pytest

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli


@pytest.fixture
def job(api: ApiServer) -> str:
    api.add_job("demo/beat")
    return "demo/beat"


def test_redrive_shows_what_was_sent_again(api: ApiServer, cli: Cli, job: str) -> None:
    assert "demo/beat has no overdue run" in cli("redrive", job).stderr
    api.add_run(job, "20261120T080000Z", "running")
    api.add_run(job, "20261120T081000Z", "lost")
    assert cli("redrive", job).stdout == "sent again  demo/beat  20261120T080000Z\n"
    assert cli("redrive", job, "20261120T080000Z", "--lost").exit_code == 4
    assert len(json.loads(cli("redrive", job, "20261120T080000Z", "-ojson").stdout)["items"]) == 1
    made = cli("redrive", job, "--lost").stdout
    assert made.startswith("replaced  demo/beat  20261120T081000Z~trigger-")
    for key in list(api.state.runs):
        if key.triggered_by_hand:
            api.move(key, "succeeded")
    assert "demo/beat has no lost run left to replace" in cli("redrive", job, "--lost").stderr
    again = cli("redrive", job, "20261120T081000Z", "--lost").stdout
    assert again.startswith("succeeded  demo/beat  20261120T081000Z~trigger-"), "it has run before: nothing is made"


def test_a_redriven_run_that_has_ended_is_shown_with_its_state(api: ApiServer, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T080000Z", "succeeded")
    result = cli("redrive", job, "20261120T080000Z")
    said = "succeeded  demo/beat  20261120T080000Z  has already ended; a worker completes its follow-up\n"
    assert (result.exit_code, result.stdout) == (0, said)


def test_a_namespace_without_its_slash_is_found_out(api: ApiServer, cli: Cli, job: str) -> None:
    result = cli("redrive", "demo")
    assert result.exit_code == 3
    assert result.stderr.endswith("hint: to redrive all jobs of the namespace demo, write demo/\n")
    for named in (("demo/nosuch",), ("nosuch", "-n", "demo")):
        result = cli("redrive", *named)
        assert (result.exit_code, "write" in result.stderr) == (3, False)


def test_a_redrive_of_a_namespace_without_jobs_says_so(cli: Cli) -> None:
    for more in ([], ["--lost"]):
        result = cli("redrive", "nosuch/", *more)
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr == "namespace nosuch has no jobs, and so no run to redrive\n"


@pytest.mark.parametrize("named", [("demo/",), ("-n", "demo")], ids=" ".join)
def test_a_whole_namespace_is_redriven(api: ApiServer, cli: Cli, job: str, named: tuple[str, ...]) -> None:
    assert "namespace demo has no overdue run" in cli("redrive", *named).stderr
    api.add_job("demo/other")
    for one in (job, "demo/other"):
        api.add_run(one, "20261120T080000Z", "running")
        api.add_run(one, "20261120T081000Z", "lost")
    sent = "".join(f"sent again  {one}  20261120T080000Z\n" for one in (job, "demo/other"))
    assert " ".join(cli("redrive", *named).stdout.split()) == " ".join(sent.split())
    assert cli("redrive", *named, "--lost").stdout.count("replaced") == 2


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        ((), "name a job, or a whole namespace: NAMESPACE/ or --namespace NAMESPACE"),
        (("demo/", "-n", "shop"), "JOB is namespace 'demo', but --namespace is 'shop'"),
        (("demo/", "20261120T080000Z"), "a run belongs to one job: write demo/NAME before 20261120T080000Z"),
        (("a/b/",), "'a/b/' is not the name of a job"),
        (("/",), "'/' is not the name of a job"),
    ],
)
def test_what_to_redrive_is_named_once(cli: Cli, arguments: tuple[str, ...], refusal: str) -> None:
    result = cli("redrive", *arguments)
    assert result.exit_code == 2
    assert refusal in result.stderr
