"""`apply --source`: whose jobs are whose, and which are deleted."""

import json
from pathlib import Path

import pytest

from minutehand.cli.documents.sources import APPLIED, MARKS
from minutehand.domain.errors import Unavailable
from minutehand.handlers.documents import LABEL
from minutehand.tools.crontab.documents import SOURCE
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli, Unsaved
from tests.unit.cli.files import job, write

FROM_SHOP = ("apply", "jobs", "-n", "demo", "--source", "shop")


@pytest.fixture(autouse=True)
def _saved(api: ApiServer, cli: Cli) -> None:
    """Two jobs of the source `shop`, of which one has no file any more, and one saved by hand."""
    write("jobs/stays.yaml", job("stays", more="labels: {team: data}"))
    write("jobs/leaves.yaml", job("leaves"))
    assert cli(*FROM_SHOP).exit_code == 0
    Path("jobs/leaves.yaml").unlink()
    api.add_job("demo/by-hand")
    api.add_job("demo/of-others", labels={APPLIED: "mail"})


def test_the_jobs_of_a_source_have_its_label(api: ApiServer) -> None:
    assert api.jobs["demo/stays"]["labels"] == {"team": "data", "apply/source": "shop"}
    assert api.jobs["demo/leaves"]["labels"] == {"apply/source": "shop"}


def test_a_job_without_a_file_is_reported_and_deleted_only_when_asked(api: ApiServer, cli: Cli) -> None:
    result = cli(*FROM_SHOP)
    assert result.stdout == "unchanged  demo/stays  revision 1\ngone       demo/leaves  revision 1\n"
    assert result.stderr == "demo/leaves: its file is gone, but the job still runs; --prune deletes such jobs\n"
    result = cli(*FROM_SHOP, "--prune", "--quiet")
    assert (result.exit_code, result.stdout) == (0, "deleted    demo/leaves  revision 1\n")
    assert sorted(api.jobs) == ["demo/by-hand", "demo/of-others", "demo/stays"]


def test_a_dry_run_says_what_would_be_deleted_and_which_fields_would_change(api: ApiServer, cli: Cli) -> None:
    write("jobs/stays.yaml", job("stays", '"@daily"', more="labels: {team: ops}\nretry: {max_attempts: 3}"))
    result = cli(*FROM_SHOP, "--prune", "--dry-run")
    update, *rest = result.stdout.splitlines()
    assert update.startswith("would update  demo/stays  revision 2")
    assert rest[:4] == [
        '  labels.team: "data" -> "ops"',
        '  schedule: "@hourly" -> "@daily"',
        "  retry.max_attempts: 1 -> 3",
        "would delete  demo/leaves  revision 1",
    ]
    assert "demo/leaves" in api.jobs
    items = json.loads(cli(*FROM_SHOP, "--prune", "--dry-run", "-o", "json").stdout)["items"]
    assert items[0]["changes"]["schedule"] == ["@hourly", "@daily"]
    assert [item["result"] for item in items] == ["updated", "deleted"]


def test_without_a_source_nothing_is_pruned(api: ApiServer, cli: Cli) -> None:
    result = cli("apply", "jobs", "-n", "demo", "--prune")
    assert (result.exit_code, "name it, such as --source shop-jobs" in result.stderr) == (2, True)
    assert "demo/leaves" in api.jobs


def test_without_a_source_a_job_stays_in_the_source_that_it_has(api: ApiServer, cli: Cli) -> None:
    for command in ("diff", "apply"):
        result = cli(command, "jobs", "-n", "demo")
        assert (result.exit_code, result.stdout.split()[:2]) == (0, ["unchanged", "demo/stays"])
        assert "--dry-run" not in result.stderr
    write("jobs/stays.yaml", job("stays", '"@daily"'))
    assert "updated    demo/stays" in cli("apply", "jobs", "-n", "demo").stdout
    assert api.jobs["demo/stays"]["labels"] == {"apply/source": "shop"}


def test_a_file_may_name_another_source_itself(api: ApiServer, cli: Cli) -> None:
    write("jobs/stays.yaml", job("stays", more="labels: {apply/source: mail}"))
    assert cli("apply", "jobs", "-n", "demo").exit_code == 0
    assert api.jobs["demo/stays"]["labels"] == {"apply/source": "mail"}


@pytest.mark.parametrize("label", MARKS)
@pytest.mark.thorough
def test_a_job_of_another_source_is_never_changed(api: ApiServer, cli: Cli, label: str) -> None:
    before = api.add_job("demo/taken", labels={label: "mail"})
    write("jobs/taken.yaml", job("taken"))
    result = cli(*FROM_SHOP, "--prune")
    assert result.exit_code == 4
    assert f"this job came from {MARKS[label]} and has the label {label}: mail" in result.stderr
    assert api.jobs["demo/taken"] == before
    assert "demo/leaves" in api.jobs


def test_a_job_that_was_saved_by_hand_is_taken_over(api: ApiServer, cli: Cli) -> None:
    write("jobs/by-hand.yaml", job("by-hand"))
    assert "updated    demo/by-hand" in cli(*FROM_SHOP).stdout
    assert api.jobs["demo/by-hand"]["labels"] == {"apply/source": "shop"}


def test_when_saving_fails_nothing_is_deleted(api: ApiServer, cli: Cli, unsaved: Unsaved) -> None:
    write("jobs/new.yaml", job("new"))
    unsaved("new", Unavailable("broken"))
    assert cli(*FROM_SHOP, "--prune").exit_code == 1
    assert "demo/leaves" in api.jobs


def test_every_label_that_names_a_source_is_known() -> None:
    assert set(MARKS) == {APPLIED, LABEL, SOURCE, "cloudformation/stack"}
