"""Errors and warnings about lines and options of a crontab, each with its place."""

import json
from pathlib import Path
from typing import Any

import pytest

from minutehand.cli.screen.render import Screen
from minutehand.domain.declaration.conversion import shown
from minutehand.entrypoints.api.problems import field_document, schedule_problem
from minutehand.schedule import Schedule
from tests.support.api_server import NOW, ApiServer
from tests.unit.cli.conftest import Cli
from tests.unit.cli.crontabs import TEXT, URL
from tests.unit.cli.files import write


def test_every_line_that_cannot_be_used_is_reported_at_once_and_nothing_is_saved(api: ApiServer, cli: Cli) -> None:
    write("web", f"{TEXT}61 * * * * a\n  @reboot\tb\nA='x\n")
    result = cli("crontab", "import", "web", *URL)
    assert (result.exit_code, result.stdout, api.requests) == (2, "", [])
    assert result.stderr.split("\n", 1)[1] == (
        "error: 3 lines of the crontab cannot be used; nothing was saved\n"
        "  web:6:1: minute: 61 is out of range\n"
        "      61 * * * * a\n"
        "      ^\n"
        "    hint: it goes from 0 to 59\n"
        "  web:7:3: @reboot has no meaning here: no machine starts\n"
        "        @reboot b\n"
        "        ^\n"
        "    hint: name times, or import with --pool, so that an agent runs it when its machine starts\n"
        "  web:8:3: the quote ' is not closed\n"
        "      A='x\n"
        "        ^\n"
        "    hint: end the value with '\n"
    )
    problem = json.loads(cli("crontab", "import", "web", *URL, "-o", "json").stderr)
    assert [(error["path"], error["column"]) for error in problem["errors"]] == [
        ("web:6:1", 0),
        ("web:7:3", 2),
        ("web:8:3", 2),
    ]


@pytest.mark.parametrize(
    ("line", "shown", "caret"),
    [
        (f"61 * * * * {'a' * 500}z", f"61 * * * * {'a' * 69}…{'a' * 79}z", 0),
        (f"{'A' * 300}='{'x' * 300}", f"…{'A' * 79}='{'x' * 79}…", 81),
        (f"A='{'x' * 500}' b", f"A='{'x' * 77}…{'x' * 77}' b", 160),
    ],
)
def test_of_a_very_long_line_is_shown_what_is_around_the_error(cli: Cli, line: str, shown: str, caret: int) -> None:
    write("web", f"{line}\n")
    lines = cli("crontab", "import", "web", *URL).stderr.splitlines()
    at = lines.index(f"      {shown}")
    assert lines[at + 1] == f"      {' ' * caret}^"


@pytest.mark.parametrize("text", ["", "# nothing\n", "A=1\n"])
def test_a_crontab_without_lines_is_refused_even_when_pruning(api: ApiServer, cli: Cli, text: str) -> None:
    api.add_job("default/a", labels={"crontab/source": "web"})
    result = cli("crontab", "import", "-", "--source", "web", *URL, "--prune", stdin=text)
    assert (result.exit_code, list(api.jobs)) == (2, ["default/a"])
    assert "minutehand crontab clear --source web" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("web",), "give --pool for an agent that runs the commands, --url for a service"),
        (("web", *URL, "--timezone", "Mars"), "no time zone 'Mars'"),
        (("web", *URL, "--header", "none"), "is not a header"),
        (("web", *URL, "--source", " x"), "--source is a name"),
        (("web", "--url", "https://{nope}"), "there is no {nope} to fill in"),
        (("web", "--url", "https://x/{user}"), "add --user"),
        (("web", "--template", "missing.yaml"), "cannot be read"),
        (("web", "--template", "list.yaml"), "a template is one mapping"),
        (("web", "--template", "named.yaml"), "a template has no name"),
        (("-", "--template", "-"), "cannot both be stdin"),
        (("missing", *URL), "cannot be read"),
        (("latin", *URL), "latin:2: it is not UTF-8"),
        (("empty", *URL), "this folder contains no crontab"),
    ],
)
def test_bad_usage_is_reported_and_nothing_is_saved(
    api: ApiServer, cli: Cli, arguments: tuple[str, ...], words: str
) -> None:
    write("web", "@daily a\n")
    write("list.yaml", "- a\n")
    write("named.yaml", "name: a\n")
    Path("latin").write_bytes(b"@daily a\n# caf\xe9\n")
    Path("empty").mkdir()
    result = cli("crontab", "import", *arguments, stdin="")
    assert (result.exit_code, result.stdout, api.jobs) == (2, "", {})
    assert words in result.stderr


def test_what_the_api_refuses_is_reported_with_the_line_and_nothing_is_saved(api: ApiServer, cli: Cli) -> None:
    write("web", TEXT)
    write("t.yaml", "colour: red\n")
    result = cli("crontab", "import", "web", *URL, "--template", "t.yaml")
    assert (result.exit_code, api.jobs) == (2, {})
    assert "web:4 default/backup.sh colour: unknown field" in result.stderr
    assert "web:5 default/sync colour: unknown field" in result.stderr


def test_what_is_wrong_with_the_url_of_all_is_reported_once(api: ApiServer, cli: Cli) -> None:
    write("web", "0 1 * * * a\n0 2 * * * b\n")
    result = cli("crontab", "import", "web", "--url", "ftp://x")
    assert result.exit_code == 2
    assert result.stderr.count("target.url: ") == 1
    assert "error: 2 of 2 jobs were refused; nothing was saved\n  target.url: " in result.stderr


def test_what_may_surprise_is_reported_with_its_line(api: ApiServer, cli: Cli) -> None:
    write("web", "0 9 13 * FRI /usr/bin/backup.sh\n")
    warning = schedule_problem(Schedule.parse("0 9 13 * FRI").warnings(NOW)[0])
    expected = ["    0 9 13 * FRI", "        ^", f"  hint: {warning.hint}"]
    for more in (["--dry-run"], []):
        lines = cli("crontab", "import", "web", *URL, *more).stderr.splitlines()
        at = lines.index(expected[0])
        assert lines[at - 1].startswith("warning: web:1")
        assert lines[at - 1].endswith(f"default/backup.sh schedule: {warning.message}")
        assert lines[at : at + 3] == expected
    [item] = json.loads(cli("crontab", "import", "web", *URL, "-o", "json").stdout)["items"]
    assert item["warnings"] == [shown(field_document(warning, {}))]


def test_warnings_come_below_the_results(api: ApiServer, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    write("web", "0 9 13 * FRI /usr/bin/backup.sh\n")
    expected: list[str] = []
    monkeypatch.setattr(Screen, "line", lambda self, *cells: expected.append(str(cells[0]).strip()))
    monkeypatch.setattr(Screen, "note", lambda self, text: expected.append(text.partition(":")[0]))
    cli("crontab", "import", "web", *URL)
    assert [each for each in expected if each in {"created", "warning"}] == ["created", "warning"]


def test_what_a_hostile_crontab_holds_does_not_steer_the_terminal(api: ApiServer, cli: Cli) -> None:
    write("web", "* * * * * echo \x1b[31m\n")
    shown: Any = cli("crontab", "import", "web", *URL, "--dry-run").stdout
    assert "\x1b" not in shown
    assert "echo \\x1b[31m" in shown
