"""The commands of revisions and records of changes; the page's examples are played as one story."""

import json
import re
import shlex
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from minutehand.cli.commands.audit import ACTIONS
from minutehand.domain.audit import Action
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## `minutehand ([\w -]+)`\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
REPORT: dict[str, Any] = {"schedule": "0 9 * * *", "target": {"type": "http", "url": "https://shop.test/report"}}
LATER = REPORT | {"schedule": "0 10 * * *", "retry": {"max_attempts": 3}}
PATH = "namespaces/shop/jobs/report"


@pytest.fixture
def story(api: ApiServer) -> ApiServer:
    """A job that was created, edited and paused, a minute apart."""
    for minute, (method, path, body) in enumerate(
        [("PUT", PATH, REPORT), ("PUT", PATH, LATER), ("POST", f"{PATH}/pause", None)]
    ):
        api.now = NOW + timedelta(minutes=minute)
        api.ask(method, path, body)
    api.now = NOW + timedelta(minutes=3)
    return api


@pytest.mark.parametrize("name", ["revisions", "revision", "diff-revisions", "rollback", "audit"])
def test_the_example_prints_what_the_page_says(story: ApiServer, cli: Cli, name: str) -> None:
    [(line, output)] = re.findall(r"```console\n\$ minutehand (.+?)\n(.+?)```", SECTIONS[name], re.DOTALL)
    result = cli(*shlex.split(line))
    assert ([each.rstrip() for each in result.stdout.splitlines()], result.exit_code) == (output.splitlines(), 0)


@pytest.mark.parametrize("name", ["revisions", "revision", "diff-revisions", "rollback", "audit"])
def test_the_help_has_examples(cli: Cli, name: str) -> None:
    assert f"\n  minutehand {name} " in cli(name, "--help").stdout


def test_the_json_is_the_api_s(story: ApiServer, cli: Cli) -> None:
    shown = json.loads(cli("revision", "shop/report", "1", "-o", "json").stdout)
    assert shown["job"]["schedule"] == "0 9 * * *"
    diff = json.loads(cli("diff-revisions", "shop/report", "3", "1", "-o", "json").stdout)
    assert (diff["from"], diff["to"], len(diff["items"])) == (1, 3, 3)
    listed = json.loads(cli("revisions", "shop/report", "--limit", "1", "-o", "json").stdout)
    more = json.loads(cli("revisions", "shop/report", "--cursor", listed["next"], "-o", "json").stdout)
    assert [each["number"] for each in listed["items"] + more["items"]] == [3, 2, 1]


def test_a_rollback_of_another_revision_than_expected_changes_nothing(story: ApiServer, cli: Cli) -> None:
    result = cli("rollback", "shop/report", "1", "--if-revision", "2")
    assert result.exit_code == 4
    assert "revision 3, which admin made" in result.stderr
    assert story.ask("GET", PATH)["status"]["revision"] == 3
    assert cli("rollback", "shop/report", "1", "--if-revision", "3").exit_code == 0


def test_a_revision_without_a_job_is_shown_and_not_restored(story: ApiServer, cli: Cli) -> None:
    assert cli("delete", "shop/report", "--yes").exit_code == 0
    shown = cli("revision", "shop/report", "4")
    assert shown.exit_code == 0
    assert shown.stderr == "revision 4 deleted the job\n"
    refused = cli("rollback", "shop/report", "4")
    assert refused.exit_code == 4
    assert "revision 4 of shop/report deleted the job" in refused.stderr
    assert cli("rollback", "shop/report", "2").stdout.startswith("restored  shop/report  revision 2 as revision 5")


def test_without_a_number_the_last_change_of_fields_is_undone(story: ApiServer, cli: Cli) -> None:
    result = cli("rollback", "shop/report")
    assert result.stdout.startswith("restored  shop/report  revision 1 as revision 4")
    assert story.ask("GET", PATH)["schedule"] == "0 9 * * *"


def test_a_job_without_a_change_has_nothing_to_undo(api: ApiServer, cli: Cli) -> None:
    api.ask("PUT", PATH, REPORT)
    result = cli("rollback", "shop/report")
    assert result.exit_code == 4
    assert "shop/report was never changed, or what it was before is no longer kept" in result.stderr


def test_a_rollback_that_changes_nothing_says_so(story: ApiServer, cli: Cli) -> None:
    result = cli("rollback", "shop/report", "2")
    assert result.stdout.startswith("unchanged  shop/report  revision 3 has the fields of revision 2")
    assert story.ask("GET", PATH)["status"]["revision"] == 3


def test_equal_revisions_are_said_to_be_equal(story: ApiServer, cli: Cli) -> None:
    assert (
        cli("diff-revisions", "shop/report", "2", "2").stderr
        == "revisions 2 and 2 of shop/report have the same fields\n"
    )


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5"])
def test_what_is_no_revision_is_refused_before_anything_is_asked(api: ApiServer, cli: Cli, number: str) -> None:
    assert cli("revision", "shop/report", number).exit_code == 2
    assert api.requests == []


def test_a_revision_that_never_was_is_not_found(story: ApiServer, cli: Cli) -> None:
    assert cli("revision", "shop/report", "9").exit_code == 3


class TestAudit:
    def test_records_are_filtered(self, story: ApiServer, cli: Cli) -> None:
        def found(*arguments: str) -> list[int | None]:
            return [each["revision"] for each in json.loads(cli("audit", *arguments, "-o", "json").stdout)["items"]]

        assert found("-n", "shop") == [3, 2, 1]
        assert found("shop/report", "--action", "save") == [2, 1]
        assert found("report", "-n", "shop", "--limit", "1") == [3]
        assert found("-A", "--from", "2026-11-20T08:31:00Z", "--to", "2026-11-20T08:32:00Z") == [2]
        assert found("-A", "--actor", "nobody") == []
        assert found() == [], "the namespace default has no records"

    def test_all_namespaces_and_one_is_a_contradiction(self, api: ApiServer, cli: Cli) -> None:
        for arguments in (("-A", "shop/report"), ("-A", "-n", "shop")):
            assert cli("audit", *arguments).exit_code == 2
        assert api.requests == []

    def test_nothing_found_is_said(self, cli: Cli) -> None:
        assert cli("audit").stderr == "no changes are recorded that match\n"

    def test_a_rollback_is_found_and_shown_by_the_name_of_its_command(self, story: ApiServer, cli: Cli) -> None:
        assert cli("rollback", "shop/report", "1").exit_code == 0
        rows = cli("audit", "-n", "shop", "--action", "rollback").stdout.splitlines()[1:]
        assert [row.split()[5] for row in rows] == ["rollback"]

    def test_labels_are_shown_without_the_escapes_of_a_pointer(self, story: ApiServer, cli: Cli) -> None:
        job = story.ask("GET", PATH)
        story.ask("PUT", PATH, {**job, "labels": {"apply/source": "ops"}})
        assert "/labels/apply/source" in cli("audit", "-n", "shop", "--limit", "1").stdout

    def test_all_namespaces_are_merged_by_time_if_all_changes_fit(self, story: ApiServer, cli: Cli) -> None:
        story.ask("POST", "namespaces/demo/pause")
        rows = [line.split() for line in cli("audit", "-A").stdout.splitlines()[1:]]
        times = [row[:2] for row in rows]
        assert (times, len(times)) == (sorted(times, reverse=True), 4)
        assert cli("audit", "-A").stderr == ""

    def test_all_namespaces_are_announced_one_after_the_other_if_there_are_more(
        self, story: ApiServer, cli: Cli
    ) -> None:
        story.ask("POST", "namespaces/demo/pause")
        assert "newest first in each" in cli("audit", "-A", "--limit", "2").stderr

    def test_every_action_can_be_chosen(self) -> None:
        assert set(ACTIONS) == {action.value for action in Action}

    def test_runs_and_other_things_are_named(self, story: ApiServer, cli: Cli) -> None:
        run = story.ask("POST", f"{PATH}/trigger")["run_id"]
        story.ask("PUT", "namespaces/shop", {"max_concurrency": 5})
        story.ask("PUT", "namespaces/shop/calendars/quiet", {"weekly": ["SAT"]})
        shown = cli("audit", "-n", "shop").stdout
        assert f"run id {run}" in shown
        assert "namespace shop" in shown
        assert "calendar shop/quiet" in shown
