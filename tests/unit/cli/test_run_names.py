"""Which run a command line means."""

import json

import pytest

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli

NEWEST = "20261120T083000Z~trigger-df8cf80227ec3237"


@pytest.fixture(autouse=True)
def _runs(api: ApiServer, job: str) -> None:
    for run_id in ("20261119T080000Z", "20261120T080000Z", "20261120T081000Z", NEWEST):
        api.add_run(job, run_id)
    api.add_run(job, "20261120T082000Z", "running")
    api.claim_ahead(job, "20261120T083100Z")


def meant(cli: Cli, *words: str) -> str:
    result = cli("run", "demo/beat", *words, "-o", "json")
    assert result.exit_code == 0, result.stderr
    return str(json.loads(result.stdout)["run_id"])


def test_without_a_run_the_newest_that_is_due_is_meant(cli: Cli) -> None:
    assert meant(cli) == NEWEST
    assert cli("output", "demo/beat").stdout == "pong"


def test_cancel_means_the_newest_that_has_not_ended(api: ApiServer, cli: Cli, job: str) -> None:
    assert cli("cancel", job).stdout.startswith("running  demo/beat  20261120T082000Z  cancellation requested")
    api.move_all(job, "succeeded")
    result = cli("cancel", job)
    assert (result.exit_code, result.stderr.splitlines()[0]) == (3, "error: demo/beat has no run that has not ended")


@pytest.mark.parametrize(
    ("words", "run_id"),
    [
        (["20261119"], "20261119T080000Z"),
        (["20261120T081"], "20261120T081000Z"),
        (["20261120T083000Z"], NEWEST),
        (["20261120T083000Z~t"], NEWEST),
        (["2026-11-20 08:10:00"], "20261120T081000Z"),
        (["yesterday 08:00"], "20261119T080000Z"),
        (["30m ago"], "20261120T080000Z"),
        (["09:10", "--timezone", "Europe/Rome"], "20261120T081000Z"),
    ],
)
def test_a_unique_beginning_or_an_instant_is_enough(cli: Cli, words: list[str], run_id: str) -> None:
    assert meant(cli, *words) == run_id


def test_a_beginning_of_several_names_them(cli: Cli) -> None:
    result = cli("run", "demo/beat", "20261120T08")
    assert result.exit_code == 2
    assert "20261120T083100Z, " + NEWEST + ", 20261120T082000Z, 20261120T081000Z, 20261120T080000Z" in result.stderr
    assert "write more of the id" in result.stderr


def test_an_id_that_others_begin_with_means_itself(api: ApiServer, cli: Cli, job: str) -> None:
    api.add_run(job, "20261120T083000Z")
    assert meant(cli, "20261120T083000Z") == "20261120T083000Z"


@pytest.mark.parametrize("given", ["20261118", "20261118T080000Z", "07:59"])
def test_a_run_that_is_not_there_is_not_found(cli: Cli, given: str) -> None:
    assert cli("run", "demo/beat", given).exit_code == 3


def test_what_is_neither_is_bad_usage(cli: Cli) -> None:
    result = cli("run", "demo/beat", "newest")
    assert result.exit_code == 2
    assert "RUN is also the beginning of a run's id" in result.stderr


def test_a_job_without_runs_has_no_newest(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/new")
    result = cli("run", "demo/new")
    assert (result.exit_code, "demo/new has no run that is due yet" in result.stderr) == (3, True)


def test_a_redrive_names_its_run_as_the_others_do(api: ApiServer, cli: Cli) -> None:
    assert "20261120T081000Z" in cli("redrive", "demo/beat", "20261120T081").stdout
    assert "several runs" in cli("redrive", "demo/beat", "20261120").stderr


def test_without_a_backfill_the_newest_is_meant(cli: Cli) -> None:
    assert cli("backfill", "show", "demo/beat").exit_code == 3
    cli("backfill", "start", "demo/beat", "--from", "3h", "--to", "2h")
    assert "progress" in cli("backfill", "show", "demo/beat").stdout
    assert cli("backfill", "cancel", "demo/beat").stdout.startswith("cancelled")
