"""docs/reference/cli.md says everything that the command line can do, and nothing else."""

import re
import shlex
from pathlib import Path

import click
import pytest
from localstack.__main__ import WELCOME

from minutehand.cli.command import Session
from minutehand.cli.failures import Exit
from minutehand.cli.main import COMMANDS, app
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
TUTORIAL = (Path(__file__).parents[3] / "docs" / "tutorial" / "first-job.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## `minutehand ([\w -]+)`\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def command(name: str) -> click.Command:
    """The command of one word, or of a group and one word."""
    found: click.Command | None = app
    for word in name.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word)
    assert found is not None
    return found


def leaves() -> list[str]:
    """Every command that does something, those of groups by both words."""
    found = []
    for name in COMMANDS:
        group = command(name)
        found += [f"{name} {each}" for each in group.commands] if isinstance(group, click.Group) else [name]
    return found


LEAVES = leaves()


def options(name: str) -> set[str]:
    given = [param for param in command(name).params if isinstance(param, click.Option)]
    return {opt for param in given for opt in (*param.opts, *param.secondary_opts)}


def documented(name: str) -> set[str]:
    """The first column of the section's table."""
    rows = re.findall(r"^\| (`-.+?) \|", SECTIONS[name], re.MULTILINE)
    return {option for row in rows for option in re.findall(r"`(.+?)`", row)}


def test_every_command_has_its_section_in_the_same_order_and_no_other_has() -> None:
    assert list(SECTIONS) == LEAVES


# Where it has a meaning of its own, the section says which; elsewhere it is the namespace of what the command names or lists.
OWN_NAMESPACE = {"apply", "next", "crontab import", "calendar apply", "diff-schedule", "cost"}


def common(name: str) -> set[str]:
    """The options that the page documents once for all commands."""
    return {"-o", "--output", "--context"} | (set() if name in OWN_NAMESPACE else {"-n", "--namespace"})


@pytest.mark.parametrize("name", LEAVES)
def test_every_option_is_documented_with_its_command(name: str) -> None:
    assert options(name) - common(name) <= documented(name)


@pytest.mark.parametrize("name", LEAVES)
def test_no_option_is_documented_that_is_not_there(name: str) -> None:
    assert documented(name) <= options(name)


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_has_an_example_with_its_output(name: str) -> None:
    examples = re.findall(r"```console\n\$ (.+?)\n(.+?)```", SECTIONS[name], re.DOTALL)
    assert examples
    assert any(f"minutehand {name}" in line for line, _ in examples)


@pytest.mark.parametrize("name", LEAVES)
def test_the_help_of_every_command_has_examples_that_can_be_typed(cli: Cli, name: str) -> None:
    shown = cli(*name.split(), "--help").stdout
    examples = shown.partition("\nExample")[2].splitlines()[1:]
    assert examples
    for line in examples:
        *_, typed = line.split(" | ")
        program, *words = shlex.split(typed)
        named = name.split()
        assert (program, words[: len(named)]) == ("minutehand", named)
        command(name).make_context(name, words[len(named) :], obj=Session())


@pytest.mark.parametrize("name", LEAVES)
def test_the_examples_use_options_that_exist(name: str) -> None:
    for line in re.findall(r"^\$ .*?minutehand (.+)$", SECTIONS[name], re.MULTILINE):
        words = re.sub(r'"[^"]*"', "TEXT", line).split()
        other = next(each for each in (" ".join(words[:2]), words[0]) if each in LEAVES)
        used = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert used <= options(other)


def test_what_holds_for_all_commands_is_documented() -> None:
    for text in (
        "`-o json`",
        "`NAME` with `-n`, `--namespace` (default `default`). Lists take `-n` too.",
        "`--output json`",
        "MINUTEHAND_URL",
        "MINUTEHAND_TOKEN",
        "MINUTEHAND_CONTEXT",
        "--context NAME",
        ".minutehand/local.json",
        "NO_COLOR",
    ):
        assert text in PAGE


def test_every_exit_code_is_documented() -> None:
    assert set(re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)) == {str(int(code)) for code in Exit}


def test_the_examples_that_need_no_api_print_what_the_page_says(cli: Cli) -> None:
    shown_there = SECTIONS["next"] + SECTIONS["diff-schedule"]
    examples = re.findall(r"^\$ minutehand ((?:next|diff-schedule) \".+)\n((?:.*\n)+?)```", shown_there, re.MULTILINE)
    assert len(examples) == 2
    for line, output in examples:
        shown = cli(*shlex.split(line)).output
        assert [each.rstrip() for each in shown.splitlines()] == output.splitlines()


def test_the_questions_by_the_line_are_answered_as_the_page_says(cli: Cli) -> None:
    [(questions, output)] = re.findall(
        r"^\$ cat questions\n((?:.+\n)+?)\$ minutehand next < questions\n((?:.+\n)+?)```",
        SECTIONS["next"],
        re.MULTILINE,
    )
    assert cli("next", stdin=questions).output == output


def test_the_tour_of_the_readme_is_what_make_up_suggests() -> None:
    suggested = re.findall(r"^  (\.venv/bin/minutehand .+)$", WELCOME, re.MULTILINE)
    assert len(suggested) == 3
    assert re.findall(r"^(\.venv/bin/minutehand .+)$", README, re.MULTILINE) == suggested


def test_the_schedule_of_the_tour_is_shown_as_the_readme_says(cli: Cli) -> None:
    [(line, output)] = re.findall(
        r"^\.venv/bin/minutehand (next .+)\n```\n\n```\n(.+?)…\n```", README, re.MULTILINE | re.DOTALL
    )
    assert cli(*shlex.split(line)).output.startswith(output)


def test_the_first_job_is_applied_with_the_warnings_that_the_tutorial_shows(api: ApiServer, cli: Cli) -> None:
    found = re.search(
        r"^cat > hello.yaml <<END\n(.*?)END\nminutehand apply -f hello.yaml\n```\n\n```\n(.*?)```",
        TUTORIAL,
        re.MULTILINE | re.DOTALL,
    )
    assert found is not None
    Path("hello.yaml").write_text(found[1], encoding="utf-8")
    result = cli("apply", "-f", "hello.yaml")
    assert result.stdout + result.stderr == found[2]


def test_the_schedule_that_the_tutorial_refuses_is_refused_so(cli: Cli) -> None:
    [(line, output)] = re.findall(r"^minutehand (next .+)\n```\n\n```\n(.+?)```", TUTORIAL, re.MULTILINE | re.DOTALL)
    assert cli(*shlex.split(line)).output == output
