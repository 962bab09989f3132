"""The line and the column of a field that is wrong."""

import pytest

from minutehand.cli.documents.positions import position_of
from tests.unit.cli.conftest import Cli
from tests.unit.cli.files import write

TEXT = """\
name: first
---
# a comment
name: report
schedule:
  - "0 9 * * *"
  - "61 * * * *"
target:
  type: http
  headers: {X.Y: 5,
            Accept: 7}
limits: [{name: db, max: 3},
         {name: mail}]
"""


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("name", (4, 1)),
        ("schedule", (5, 1)),
        ("schedule[1]", (7, 5)),
        ("target.type", (9, 3)),
        ("target.headers.X.Y", (10, 13)),
        ("target.headers.Accept", (11, 13)),
        ("target.url", (8, 1)),
        ("limits[1].name", (13, 11)),
        ("limits[1].max", (13, 10)),
        ("limits[7].max", (12, 1)),
        ("owner", None),
        ("", None),
    ],
)
def test_a_field_has_a_line_and_a_column(path: str, place: tuple[int, int] | None) -> None:
    assert position_of(TEXT, 3, path) is None  # no document starts there
    assert position_of(TEXT, 4, path) == place


def test_json_has_positions_too_and_other_texts_none() -> None:
    assert position_of('{"name": "a",\n "retry": {"max_attempts": "3"}}', 1, "retry.max_attempts") == (2, 12)
    assert position_of("a: [", 1, "a") is None
    assert position_of("BEGIN:VCALENDAR\nEND:VCALENDAR", 1, "dates") is None


def test_errors_and_warnings_name_the_line_and_the_column_of_the_field(cli: Cli) -> None:
    write("a.yaml", "name: a\nschedule: '@hourly'\ntimeout: 90\ntarget:\n  type: http\n  url: ftp://x\n")
    said = cli("apply", "a.yaml").stderr
    assert "  a.yaml:3:1 default/a timeout: this must be text, not a number\n" in said
    assert "  a.yaml:6:3 default/a target.url: " in said
    write("a.yaml", "name: a\ntarget: {type: http, url: 'https://example.com'}\nschedule: '0 9 13 * FRI'\n")
    assert cli("apply", "a.yaml").stderr.startswith("warning: a.yaml:3:1 default/a schedule: ")
