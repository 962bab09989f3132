"""A calendar given to a command for jobs, and a job given to one for calendars: the error names the right command."""

import pytest

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli
from tests.unit.cli.files import job, write

ICS = "BEGIN:VCALENDAR\nEND:VCALENDAR\n"
CALENDAR = "name: holidays\ndates: [2026-12-25]\n"


@pytest.mark.parametrize(
    ("command", "name", "text", "said", "hint"),
    [
        ("apply", "x.ics", ICS, "x.ics:1: this is an iCalendar file", "`minutehand calendar apply`"),
        ("apply", "x.ics", "<html>", "x.ics:1: this is an iCalendar file", "`minutehand calendar apply`"),
        ("apply", "x.txt", ICS, "x.txt:1: this is an iCalendar file", "`minutehand calendar apply`"),
        (
            "apply",
            "x.yaml",
            CALENDAR,
            "x.yaml:1: this document is a calendar, not a job",
            "`minutehand calendar apply`",
        ),
        (
            "calendar apply",
            "x.yaml",
            job("a"),
            "x.yaml:1: this document is a job, not a calendar",
            "`minutehand apply`",
        ),
        ("calendar apply", "x.yaml", "schedule: x", "this document is a job, not a calendar", "`minutehand apply`"),
        ("cost", "x.ics", ICS, "this is an iCalendar file", "with --calendars"),
        ("cost --calendars", "x.yaml", job("a"), "this document is a job, not a calendar", "without --calendars"),
    ],
)
def test_a_document_of_the_other_kind_is_refused_with_the_command_for_it(
    api: ApiServer, cli: Cli, command: str, name: str, text: str, said: str, hint: str
) -> None:
    write(name, text)
    others = [write("jobs.yaml", job("other"))] if command == "cost --calendars" else []
    result = cli(*command.split(), name, *others)
    assert result.exit_code == 2
    assert said in result.stderr
    assert hint in result.stderr.partition("hint: ")[2]
    assert api.requests == []


def test_an_icalendar_text_on_stdin_is_recognized(cli: Cli) -> None:
    assert "<stdin>:1: this is an iCalendar file" in cli("apply", "-", stdin=ICS).stderr


def test_a_document_with_fields_of_both_kinds_is_left_to_the_api(api: ApiServer, cli: Cli) -> None:
    write("x.yaml", job("a", more="dates: [2026-12-25]"))
    assert "x.yaml:4:1 default/a dates:" in cli("apply", "x.yaml").stderr
    assert api.requests != []
