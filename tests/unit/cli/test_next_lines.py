"""Questions in JSON, one a line of stdin."""

import io
import json
import os
import subprocess
import sys
from typing import Any

import pytest

from minutehand.cli.documents.json_lines import LONGEST_LINE
from tests.unit.cli.conftest import Cli


def answers(cli: Cli, *lines: object, arguments: tuple[str, ...] = ()) -> list[Any]:
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    result = cli("next", *arguments, stdin=text)
    assert (result.exit_code, result.stderr) == (0, "")
    return [json.loads(line) for line in result.stdout.splitlines()]


def answer(cli: Cli, **question: object) -> Any:
    [found] = answers(cli, question)
    return found


@pytest.mark.parametrize("arguments", [(), ("-",), ("-", "-o", "json"), ("--output", "json")])
def test_each_line_gets_its_answer_in_order(cli: Cli, arguments: tuple[str, ...]) -> None:
    assert answers(
        cli,
        {"schedule": "0 9 * * *"},
        {"schedule": "0 61 * * *"},
        {"schedule": "0 9 * * *", "timezone": "Asia/Tokyo", "after": "2026-11-20T00:00:00+09:00", "count": 2},
        arguments=arguments,
    ) == [
        {"next": ["2026-11-20T09:00:00Z"]},
        {"error": {"message": "61 is out of range", "field": "hour", "column": 2, "hint": "it goes from 0 to 23"}},
        {"next": ["2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z"]},
    ]


def test_null_is_what_is_left_out(cli: Cli) -> None:
    nothing = dict.fromkeys(("timezone", "dialect", "after", "count", "name", "anchor"))
    assert answer(cli, schedule="0 9 * * *", **nothing) == {"next": ["2026-11-20T09:00:00Z"]}


def test_dialect_name_and_anchor_count(cli: Cli) -> None:
    spring = {"schedule": "30 2 * * *", "timezone": "America/New_York", "after": "2026-03-08T00:00:00Z"}
    assert answer(cli, **spring) == {"next": ["2026-03-08T07:00:00Z"]}
    assert answer(cli, **spring, dialect="robfig") == {"next": ["2026-03-09T06:30:00Z"]}
    assert answer(cli, schedule="@every 7m", anchor="2026-11-20T08:33:21Z") == {"next": ["2026-11-20T08:33:21Z"]}
    by_name = [answer(cli, schedule="H H * * *", name=name) for name in ("demo/a", "a", "default/a")]
    assert by_name[0] != by_name[1] == by_name[2]


def test_texts_of_a_list_are_joined_and_an_error_says_which_is_meant(cli: Cli) -> None:
    assert answer(cli, schedule=["0 9 * * *", "0 10 * * *"], count=2) == {
        "next": ["2026-11-20T09:00:00Z", "2026-11-20T10:00:00Z"]
    }
    error = answer(cli, schedule=["0 9 * * *", "0 61 * * *"])["error"]
    assert (error["part"], error["column"], error["field"]) == (1, 2, "hour")
    assert answer(cli, schedule=["0 9 * * *", 3])["error"]["part"] == 1


def test_a_schedule_that_ends_gives_what_there_is(cli: Cli) -> None:
    assert answer(cli, schedule="@manual", count=3) == {"next": []}
    assert answer(cli, schedule="at(2026-11-20T09:00:00)", count=3) == {"next": ["2026-11-20T09:00:00Z"]}


@pytest.mark.parametrize("count", [1, 2, 16, 17, 10_000])
def test_as_many_are_given_as_were_asked_for(cli: Cli, count: int) -> None:
    found = answer(cli, schedule="* * * * * *", count=count, after="2026-11-20T08:30:00.5Z")["next"]
    assert (len(found), found[0]) == (count, "2026-11-20T08:30:01Z")


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("", "line"),
        ("   ", "line"),
        ("{", "line"),
        ('{"schedule": "@daily"', "line"),
        ("null", "line"),
        ("[]", "line"),
        ('"@daily"', "line"),
        ("[" * 20_000, "line"),
        ("9" * 5_000, "line"),
        ("x" * (LONGEST_LINE + 1), "line"),
        ("x" * (3 * LONGEST_LINE), "line"),
        ({}, "schedule"),
        ({"schedule": None}, "schedule"),
        ({"schedule": ""}, "schedule"),
        ({"schedule": []}, "schedule"),
        ({"schedule": 5}, "schedule"),
        ({"schedule": {"cron": "@daily"}}, "schedule"),
        ({"schedule": [["@daily"]]}, "schedule"),
        ({"schedule": "@daily", "timezone": "Mars/Olympus"}, "timezone"),
        ({"schedule": "@daily", "timezone": ["UTC"]}, "timezone"),
        ({"schedule": "@daily", "dialect": "klingon"}, "dialect"),
        ({"schedule": "@daily", "dialect": {}}, "dialect"),
        ({"schedule": "@daily", "cuont": 3}, "cuont"),
        ('{"schedule": "@daily", "schedule": "@hourly"}', "schedule"),
        ('{"schedule": "@daily", "\\ud800": 1}', "\ud800"),
        *(
            ({"schedule": "@daily", "count": count}, "count")
            for count in (0, -1, 10_001, 10**9, 1e9, 1.5, "3", True, [])
        ),
        *(
            ({"schedule": "@daily", "after": after}, "after")
            for after in (
                "2026-11-20T09:00:00",
                "tomorrow",
                "",
                1_700_000_000,
                "0001-01-01T00:00:00+09:00",
                "2026-11-20",
            )
        ),
        ({"schedule": "@every 5m", "anchor": "2026-11-20T09:00:00"}, "anchor"),
        ({"schedule": "@every 5m", "anchor": "2026-11-20T09:00:00.5Z"}, "anchor"),
        ({"schedule": "H * * * *", "name": "Not A Name"}, "name"),
        ({"schedule": "H * * * *", "name": "\ud800"}, "name"),
        ({"schedule": "H * * * *", "name": 7}, "name"),
        ({"schedule": "H * * * *", "name": ""}, "name"),
    ],
)
def test_a_bad_line_is_answered_with_an_error_and_the_next_one_as_usual(cli: Cli, line: object, field: str) -> None:
    first, second = answers(cli, line, {"schedule": "0 9 * * *"})
    error = first["error"]
    assert set(error) - {"part"} == {"message", "field", "column", "hint"}
    assert error["field"] == field
    assert error["message"]
    assert error["hint"]
    assert second == {"next": ["2026-11-20T09:00:00Z"]}


def test_bytes_that_are_no_text_are_an_error_and_a_byte_order_mark_is_none(cli: Cli) -> None:
    result = cli("next", stdin=b'\xff{}\n\xef\xbb\xbf{"schedule": "0 9 * * *"}\r\n')
    first, second = map(json.loads, result.stdout.splitlines())
    assert first["error"]["field"] == "line"
    assert second == {"next": ["2026-11-20T09:00:00Z"]}


def test_the_last_line_needs_no_end(cli: Cli) -> None:
    assert cli("next", stdin='{"schedule": "0 9 * * *"}').stdout == '{"next": ["2026-11-20T09:00:00Z"]}\n'


def test_without_any_line_dash_answers_nothing_and_no_argument_is_bad_usage(cli: Cli) -> None:
    assert (cli("next", "-", stdin="").exit_code, cli("next", "-", stdin="").stdout) == (0, "")
    assert cli("next", stdin="").exit_code == 2


def test_at_a_terminal_nothing_is_waited_for(cli: Cli) -> None:
    class Terminal(io.BytesIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal(b'{"schedule": "@daily"}\n')
    result = cli("next", stdin=terminal)
    assert (result.exit_code, result.stdout, terminal.tell()) == (2, "", 0)


def test_each_answer_comes_before_the_next_question_and_rich_is_not_loaded() -> None:
    program = "import sys\nfrom minutehand.cli.main import main\ntry: main()\nfinally: print('rich' in sys.modules)"
    with subprocess.Popen(
        [sys.executable, "-c", program, "next"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for schedule in ("0 9 * * *", "61 * * * *", "@daily"):
            process.stdin.write(json.dumps({"schedule": schedule}) + "\n")
            process.stdin.flush()
            assert len(json.loads(process.stdout.readline())) == 1
        process.stdin.close()
        assert process.stdout.read() == "False\n"
        assert process.wait(timeout=60) == 0
