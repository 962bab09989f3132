"""How log lines look, and which are wanted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from localstack.errors import LocalStackError
from localstack.lines import Line, Look, Wanted, chosen

FUNCTIONS = ["Tick", "HttpWorker", "Api", "Authorizer", "Drain", "Sweep", "Seed"]
AT = 1_795_165_200_123  # 2026-11-20T09:00:00.123Z


def a_line(function: str = "HttpWorker", **fields: Any) -> Line:
    return Line(AT, function, json.dumps({"level": "INFO", "message": "ran", "service": "http-worker"} | fields))


def test_a_structured_line_is_its_level_message_and_fields_without_what_every_line_has() -> None:
    line = a_line(location="handler:28", timestamp="2026-11-20 09:00:00,123+0000", job="demo/heartbeat", attempt=1)
    assert line.text == 'INFO ran job="demo/heartbeat" attempt=1'


def test_a_stack_trace_stands_below_its_line() -> None:
    line = a_line(level="ERROR", exception="Traceback …\nValueError: no", exception_name="ValueError")
    assert line.text == "ERROR ran\nTraceback …\nValueError: no"


@pytest.mark.parametrize("message", ["plain words", "{not json", '["level"]', '{"no": "level of its own"}', ""])
def test_any_other_line_is_shown_as_it_is(message: str) -> None:
    assert Line(AT, "Tick", message).text == message


def test_a_line_begins_with_the_time_in_utc_and_the_function() -> None:
    assert Look(FUNCTIONS, colours=False)(a_line()) == "09:00:00Z HttpWorker  INFO ran"


def test_each_function_has_a_colour_of_its_own() -> None:
    look = Look(FUNCTIONS, colours=True)
    shown = {look(Line(AT, name, "hello")).split("\033[")[1].partition("m")[0] for name in FUNCTIONS}
    assert len(shown) == len(FUNCTIONS)


def test_a_function_keeps_its_colour_when_only_some_are_followed() -> None:
    line = a_line()
    assert Look(FUNCTIONS, colours=True)(line) == Look(list(reversed(FUNCTIONS)), colours=True)(line)


def test_a_problem_is_coloured_by_how_bad_it_is_and_an_ordinary_line_is_not() -> None:
    look = Look(FUNCTIONS, colours=True)
    assert look(a_line(level="WARNING")).endswith("\033[33mWARNING ran\033[0m")
    assert look(a_line(level="ERROR")).endswith("\033[31mERROR ran\033[0m")
    assert look(a_line()).endswith("\033[0mINFO ran")


def test_without_colours_there_is_no_escape_sequence() -> None:
    look = Look(FUNCTIONS, colours=False)
    assert not [level for level in ("INFO", "WARNING", "ERROR") if "\033" in look(a_line(level=level))]


@pytest.mark.parametrize(
    "message",
    [
        "START RequestId: 1 Version: $LATEST",
        "END RequestId: 1",
        "REPORT RequestId: 1\tDuration: 5 ms",
        '{"_aws":{"Timestamp":1}}',
    ],
)
def test_lambdas_own_lines_and_metrics_are_never_wanted(message: str) -> None:
    assert not Wanted()(Line(AT, "Tick", message))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Wanted(), True),
        (Wanted(run="20261120T090000Z"), True),
        (Wanted(run="20261120T09"), True),
        (Wanted(run="20261120T10"), False),
        (Wanted(run="090000Z"), False),
        (Wanted(job="default/report"), True),
        (Wanted(job="report"), True),
        (Wanted(job="demo/report"), False),
        (Wanted(job="default/rep"), False),
        (Wanted(job="report", run="20261120T09"), True),
        (Wanted(job="report", run="20261121"), False),
    ],
)
def test_lines_are_wanted_by_the_run_and_the_job_they_name(wanted: Wanted, expected: bool) -> None:
    assert wanted(a_line(job="default/report", run_id="20261120T090000Z")) is expected


def test_a_line_that_names_no_run_is_not_wanted_when_one_is_asked_for() -> None:
    for line in (a_line(), Line(AT, "Tick", "plain words")):
        assert Wanted()(line)
        assert not Wanted(run="20261120")(line)
        assert not Wanted(job="report")(line)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("", FUNCTIONS),
        ("tick", ["Tick"]),
        ("http-worker", ["HttpWorker"]),
        ("a", ["Api", "Authorizer"]),
        ("AUTH", ["Authorizer"]),
    ],
)
def test_a_function_is_chosen_by_the_beginning_of_its_name(asked: str, names: list[str]) -> None:
    assert chosen(FUNCTIONS, asked) == names


def test_a_function_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(LocalStackError, match="no function 'tock'; there are: Api, Authorizer, Drain"):
        chosen(FUNCTIONS, "tock")
