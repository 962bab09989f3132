import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")


def test_the_examples_print_what_the_page_says(api: ApiServer, cli: Cli) -> None:
    api.now = NOW + timedelta(minutes=30)
    of_namespaces = "".join(re.findall(r"^## `minutehand namespace .+?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
    examples = re.findall(r"```console\n\$ minutehand (.+?)\n(.+?)```", of_namespaces, re.DOTALL)
    assert [line.split()[1] for line, _ in examples] == ["show", "set", "pause", "resume", "shadow"]
    for line, output in (examples[place] for place in (1, 2, 0, 3, 4)):
        result = cli(*line.split())
        assert (result.stdout, result.exit_code) == (output, 0)


def test_a_namespace_of_which_nothing_is_set_is_shown_all_the_same(cli: Cli) -> None:
    shown = [re.split(r"  +", line) for line in cli("namespace", "show", "shop").stdout.splitlines()]
    assert shown == [["namespace", "shop"], ["at once", "no limit"], ["paused", "no"]]


def test_a_limit_of_one_is_one_run(cli: Cli) -> None:
    assert (
        cli("namespace", "set", "shop", "--max-concurrency", "1").stdout
        == "saved  shop  at most 1 run under way at once\n"
    )
    assert "at once    1 run\n" in cli("namespace", "show", "shop").stdout


def test_the_lower_limit_of_a_namespace_and_its_quota_is_shown(api: ApiServer, cli: Cli) -> None:
    api.add_job("shop/report")
    cli("quota", "set", "shop", "--concurrency", "2")
    for own, shown in (("none", "2 runs (quota)"), ("3", "2 runs (quota)"), ("1", "1 run")):
        cli("namespace", "set", "shop", "--max-concurrency", own)
        assert f"at once    {shown}\n" in cli("namespace", "show", "shop").stdout
        assert re.split(r"  +", cli("namespaces").stdout.splitlines()[1])[1] == shown


def test_a_limit_may_be_taken_away(api: ApiServer, cli: Cli) -> None:
    cli("namespace", "set", "shop", "--max-concurrency", "5")
    result = cli("namespace", "set", "shop", "--max-concurrency", "none")
    assert result.stdout == "saved  shop  no concurrency limit\n"
    assert api.ask("GET", "namespaces/shop")["max_concurrency"] is None


@pytest.mark.parametrize("limit", ["-1", "five", "", "1_0", "٣"])
def test_what_is_no_limit_is_refused(api: ApiServer, cli: Cli, limit: str) -> None:
    result = cli("namespace", "set", "shop", f"--max-concurrency={limit}")
    assert result.exit_code == 2
    assert "write a whole number, or none" in result.stderr
    assert api.requests == []


@pytest.mark.parametrize("limit", ["0", "1001"])
def test_a_limit_out_of_range_is_refused(api: ApiServer, cli: Cli, limit: str) -> None:
    result = cli("namespace", "set", "shop", f"--max-concurrency={limit}")
    assert result.exit_code == 2
    assert f"{limit} is out of range\n    hint: give 1 to 1,000\n" in result.stderr
    assert api.ask("GET", "namespaces/shop")["max_concurrency"] is None


def test_setting_nothing_is_refused(cli: Cli) -> None:
    assert cli("namespace", "set", "shop").exit_code == 2


@pytest.mark.parametrize(
    ("until", "sent"), [("2h", "2026-11-20T10:30:00Z"), ("2026-12-01T10:00:00+01:00", "2026-12-01T09:00:00Z")]
)
def test_a_pause_may_end_after_a_while_or_at_an_instant(api: ApiServer, cli: Cli, until: str, sent: str) -> None:
    result = cli("namespace", "pause", "shop", "--until", until)
    [request] = [request for request in api.requests if request.method == "POST"]
    assert request.body == {"until": sent}
    assert result.stdout == f"paused  shop  until {sent.replace('T', ' ').removesuffix('Z')} UTC\n"


def test_programs_get_the_document(cli: Cli) -> None:
    for words in (("set", "--max-concurrency", "3"), ("pause",), ("show",), ("resume",)):
        found = json.loads(cli("namespace", words[0], "shop", *words[1:], "-o", "json").stdout)
        assert (found["namespace"], found["max_concurrency"]) == ("shop", 3)


def test_a_namespace_in_shadow_says_so_until_it_is_taken_out_again(api: ApiServer, cli: Cli) -> None:
    api.add_job("shop/report")
    cli("namespace", "shadow", "shop")
    assert "shadow     yes: its jobs call no target\n" in cli("namespace", "show", "shop").stdout
    assert cli("namespaces").stdout.splitlines()[1].split()[-1] == "yes"
    assert "shadow           runs call no target: the namespace is in shadow" in re.sub(
        r"^shadow +", "shadow           ", cli("show", "shop/report").stdout, flags=re.MULTILINE
    )
    assert "(shadow)" in cli("list", "-n", "shop").stdout
    assert "runs call no target: the namespace is in shadow" in cli("next", "--job", "shop/report").stderr
    off = cli("namespace", "shadow", "shop", "--off")
    assert off.stdout == "saved  shop  out of shadow: its jobs call their targets\n"
    assert "shadow" not in cli("show", "shop/report").stdout
