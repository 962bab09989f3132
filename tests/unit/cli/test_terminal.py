"""Tables on terminals of any width, and in pipes."""

import json
import sys

import pytest

from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import milliseconds
from minutehand.domain.run import RunError
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli


def test_texts_from_outside_cannot_steer_the_terminal(api: ApiServer, cli: Cli) -> None:
    hostile = {"description": "\x1b[2J[bold]早上好[/bold] \u202egnp", "owner": "a\tb"}
    api.say("/jobs/beat", api.add_job("demo/beat") | hostile)
    shown = cli("show", "demo/beat").stdout
    assert "\\x1b[2J[bold]早上好[/bold] \\u202egnp" in shown
    assert "a b" in shown


@pytest.mark.parametrize("columns", ["1", "10", "33", "200"])
@pytest.mark.parametrize(
    "command", [["list", "-n", "demo"], ["show", "demo/beat"], ["runs", "demo/beat"], ["next", "@hourly"]]
)
def test_a_terminal_of_any_width_will_do(api: ApiServer, cli: Cli, columns: str, command: list[str]) -> None:
    api.add_job("demo/beat", description="早上好" * 20)
    api.add_run("demo/beat", "20261120T080000Z")
    result = cli(*command, env={"COLUMNS": columns})
    assert result.exit_code == 0
    assert result.stdout.strip()


def test_a_pipe_gets_whole_lines_and_no_colour(api: ApiServer, cli: Cli) -> None:
    api.add_job(
        "demo/beat",
        schedule="0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27 0,1,2,3,4,5,6,7,8,9 * * *",
    )
    lines = cli("list", "-n", "demo").stdout.splitlines()
    assert len(lines) == 2
    assert "\x1b" not in "".join(lines)


def test_colour_may_be_forced_and_forbidden(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", "20261120T080000Z")
    assert "\x1b[" in cli("runs", "demo/beat", env={"FORCE_COLOR": "1", "TERM": "xterm-256color"}).stdout
    plain = cli("runs", "demo/beat", env={"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm-256color"}).stdout
    assert "\x1b[32m" not in plain


def test_a_terminal_too_narrow_for_a_table_loses_nothing(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", timezone="America/Argentina/Buenos_Aires")
    shown = cli("list", "-n", "demo", env={"COLUMNS": "12"}).stdout
    for text in (
        "job  demo/beat",
        "schedule  @hourly",
        "time zone  America/Argentina/Buenos_Aires",
        "2026-11-20 09:00:00",
    ):
        assert text in shown


def test_a_usual_run_fits_a_terminal_of_80_columns(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", "20261120T080000Z")
    assert len(cli("runs", "demo/beat", env={"COLUMNS": "80"}).stdout.splitlines()) == 2


@pytest.mark.parametrize("columns", ["60", "70", "80", "100"])
def test_an_id_or_a_name_is_never_folded(api: ApiServer, cli: Cli, columns: str) -> None:
    name, run = f"demo/{'early-morning-' * 3}report", "20261120T080000Z~trigger-ffbc8353d49595ab"
    api.add_job(name, description="x" * 50)
    api.add_run(name, run, error=RunError(type="Timeout", message="too slow " * 9))
    for shown in (["list", "-n", "demo"], ["show", name], ["runs", name], ["run", name, run]):
        wanted = run if shown[0].startswith("run") else name
        assert wanted in cli(*shown, env={"COLUMNS": columns}).stdout


def test_a_long_outcome_folds_before_the_table_is_given_up(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", "20261120T080000Z", "failed", error=RunError(type="Timeout", message="too slow " * 5))
    lines = cli("runs", "demo/beat", env={"COLUMNS": "100"}).stdout.splitlines()
    assert lines[0].startswith("scheduled for (UTC)  state")
    assert len(lines) == 3
    assert max(map(len, lines)) <= 100


def test_no_line_ends_in_blanks(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", description="x" * 99)
    api.add_run("demo/beat", "20261120T080000Z")
    api.add_run("demo/beat", "20261120T080010Z", "running")
    for shown in (["list", "-n", "demo"], ["show", "demo/beat"], ["runs", "demo/beat"]):
        for columns in ("40", "80", None):
            for line in cli(*shown, env={"COLUMNS": columns} if columns else None).stdout.splitlines():
                assert line == line.rstrip()


@pytest.mark.parametrize("columns", ["60", "80", "100"])
def test_a_schedule_and_an_instant_never_fold(api: ApiServer, cli: Cli, columns: str) -> None:
    api.add_job("demo/morning-report", schedule="at(2026-11-20T09:00:00)", timezone="America/Argentina/Buenos_Aires")
    shown = cli("list", "-n", "demo", env={"COLUMNS": columns}).stdout
    assert "at(2026-11-20T09:00:00)" in shown
    assert "2026-11-20 12:00:00" in shown


def test_of_runs_to_come_the_note_alone_folds(api: ApiServer, cli: Cli) -> None:
    args = ("next", "30 2 * * *", "--timezone", "America/New_York", "--after", "2027-03-13T12:00:00Z", "-c", "2")
    lines = cli(*args, env={"COLUMNS": "80"}).stdout.splitlines()
    assert lines[3].startswith("Sun 2027-03-14 03:00:00 -04:00  2027-03-14 07:00:00  the clocks jump from")
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "Mon 2027-03-15 02:30:00 -04:00  2027-03-15 06:30:00"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0, "0ms"),
        (412, "412ms"),
        (999.4, "999ms"),
        (999.6, "1.0s"),
        (1234, "1.2s"),
        (9960, "10s"),
        (59_700, "1m"),
        (65_000, "1m5s"),
        (7_380_000, "2h3m"),
        (7_384_000, "2h3m"),
        (100_800_000, "1d4h"),
    ],
)
def test_durations_are_written_as_options_take_them(value: float | None, text: str) -> None:
    assert milliseconds(value) == text


def test_a_status_is_rewritten_in_one_line_of_a_terminal_and_removed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "20")
    with Screen(as_json=False).live() as say:
        say("queued", "0ms")
        say("running, attempt 1, 40 % copying", "1.2s")
    assert capsys.readouterr().err == "\r\x1b[Kqueued  0ms\r\x1b[Krunning, attempt 1,\r\x1b[K"


@pytest.mark.parametrize(("as_json", "expected"), [(False, "queued\nrunning\n"), (True, "")])
def test_elsewhere_each_change_of_a_status_is_a_line(
    capsys: pytest.CaptureFixture[str], as_json: bool, expected: str
) -> None:
    with Screen(as_json=as_json).live() as say:
        for text in ("queued", "queued", "running"):
            say(text, "1s")
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize("line", [True, False])
def test_json_on_a_terminal_has_no_character_that_the_terminal_obeys_and_stays_the_same_value(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: bool
) -> None:
    value = {"a": "\u009b31m\u202eé\x7f\U000e0001", "b": [1, "\n"]}
    screen = Screen(as_json=True)
    show = screen.event if line else screen.data
    show(value)
    assert "\u202eé" in capsys.readouterr().out, "programs get the characters themselves"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    show(value)
    shown = capsys.readouterr().out
    assert "\\u009b31m\\u202eé" in shown
    assert all(each.isprintable() or each == "\n" for each in shown)
    assert json.loads(shown) == value
