import json
import re
from pathlib import Path

import pytest

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")


def test_the_examples_print_what_the_page_says(cli: Cli) -> None:
    of_quotas = "".join(re.findall(r"^## `minutehand quota .+?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
    examples = re.findall(r"```console\n\$ minutehand (.+?)\n(.+?)```", of_quotas, re.DOTALL)
    assert [line.split()[1] for line, _ in examples] == ["show", "set", "list", "clear"]
    for line, output in (examples[place] for place in (1, 0, 2, 3)):
        result = cli(*line.split())
        assert (result.stdout, result.exit_code) == (output, 0)


def test_what_is_not_given_stays_and_none_removes_a_limit(api: ApiServer, cli: Cli) -> None:
    cli("quota", "set", "shop", "--jobs", "5", "--concurrency", "3")
    cli("quota", "set", "shop", "--runs-per-minute", "7", "--jobs", "none")
    found = api.ask("GET", "namespaces/shop/quota")
    assert (found["jobs"], found["runs_per_minute"], found["concurrency"]) == (None, 7, 3)
    shown = [re.split(r"  +", line) for line in cli("quota", "show", "shop").stdout.splitlines()]
    assert shown == [["namespace", "shop"], ["jobs", "no limit"], ["runs a minute", "7, 0 used"], ["at once", "3"]]


@pytest.mark.parametrize(
    ("option", "value", "range_"),
    [
        ("--jobs", "20001", "0 to 20,000"),
        ("--runs-per-minute", "0", "1 to 10,000"),
        ("--concurrency", "1001", "1 to 1,000"),
    ],
)
def test_a_limit_out_of_range_is_refused(api: ApiServer, cli: Cli, option: str, value: str, range_: str) -> None:
    result = cli("quota", "set", "shop", f"{option}={value}")
    assert result.exit_code == 2
    assert f"{value} is out of range\n    hint: give {range_}\n" in result.stderr
    assert api.ask("GET", "namespaces/shop")["status"]["quota"] is None


@pytest.mark.parametrize("value", ["٣", "-1", "few", "", "1_0", "1.5"])
def test_what_is_no_limit_is_refused(api: ApiServer, cli: Cli, value: str) -> None:
    result = cli("quota", "set", "shop", f"--concurrency={value}")
    assert (result.exit_code, api.requests) == (2, [])
    assert "is not a limit; write a whole number, or none" in result.stderr


def test_setting_nothing_is_refused(api: ApiServer, cli: Cli) -> None:
    result = cli("quota", "set", "shop")
    assert (result.exit_code, api.requests) == (2, [])
    assert "Give --jobs, --runs-per-minute or --concurrency" in result.stderr


def test_quotas_of_all_namespaces_are_listed_with_their_use(api: ApiServer, cli: Cli) -> None:
    api.add_job("shop/report")
    api.add_job("lab/none")
    assert cli("quota", "list").stderr == "no namespace that the token may see has a quota\n"
    cli("quota", "set", "shop", "--jobs", "5", "--concurrency", "3")
    cli("quota", "set", "demo", "--runs-per-minute", "7")
    assert [re.split(r"  +", line.rstrip()) for line in cli("quota", "list").stdout.splitlines()] == [
        ["namespace", "jobs", "runs a minute", "at once"],
        ["demo", "no limit", "7, 0 used", "no limit"],
        ["shop", "5, 1 used", "no limit", "3"],
    ]
    page = json.loads(cli("quota", "list", "--limit", "1", "-o", "json").stdout)
    rest = json.loads(cli("quota", "list", "--cursor", page["next"], "-o", "json").stdout)
    assert page["items"] + rest["items"] == [api.ask("GET", f"namespaces/{name}/quota") for name in ("demo", "shop")]
    assert rest["next"] is None


def test_clearing_a_quota_that_is_none_changes_nothing(cli: Cli) -> None:
    assert cli("quota", "clear", "shop").stdout == "unchanged  shop  no quota\n"


def test_a_trigger_over_the_quota_fails_at_once_as_a_conflict(api: ApiServer, cli: Cli) -> None:
    api.add_job("shop/report")
    cli("quota", "set", "shop", "--runs-per-minute", "1")
    assert cli("trigger", "shop/report").exit_code == 0
    before = len(api.requests)
    result = cli("trigger", "shop/report")
    assert (result.exit_code, len(api.requests) - before) == (4, 1)
    assert "lets 1 run begin in a minute, and no place is free before" in result.stderr


def test_programs_get_the_document(cli: Cli) -> None:
    saved = json.loads(cli("quota", "set", "shop", "--jobs", "5", "-o", "json").stdout)
    assert saved == json.loads(cli("quota", "show", "shop", "-o", "json").stdout)
    assert json.loads(cli("quota", "clear", "shop", "-o", "json").stdout) == {"namespace": "shop"}
