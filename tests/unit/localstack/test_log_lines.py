"""Format and filter of log lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from localstack.log_lines import LineFormat, LogFilter, LogLine

FUNCTIONS = ["Tick", "HttpWorker", "Api", "Authorizer", "Drain", "Sweep", "Seed"]
AT = 1_795_165_200_123  # 2026-11-20T09:00:00.123Z


def structured(function: str = "HttpWorker", **fields: Any) -> LogLine:
    return LogLine(AT, function, json.dumps({"level": "INFO", "message": "ran", "service": "http-worker"} | fields))


def test_a_structured_line_shows_level_message_and_the_fields_that_not_every_line_has() -> None:
    line = structured(location="handler:28", timestamp="2026-11-20 09:00:00,123+0000", job="demo/heartbeat", attempt=1)
    assert line.text == 'INFO ran job="demo/heartbeat" attempt=1'


def test_a_stack_trace_follows_its_line() -> None:
    line = structured(level="ERROR", exception="Traceback …\nValueError: no", exception_name="ValueError")
    assert line.text == "ERROR ran\nTraceback …\nValueError: no"


@pytest.mark.parametrize("message", ["plain words", "{not json", '["level"]', '{"no": "level of its own"}', ""])
def test_any_other_line_is_shown_unchanged(message: str) -> None:
    assert LogLine(AT, "Tick", message).text == message


def test_a_line_begins_with_the_time_in_utc_and_the_function() -> None:
    assert LineFormat(FUNCTIONS, colours=False).text(structured()) == "09:00:00Z HttpWorker  INFO ran"


def test_each_function_has_its_own_colour() -> None:
    line_format = LineFormat(FUNCTIONS, colours=True)
    shown = {line_format.text(LogLine(AT, name, "hello")).split("\033[")[1].partition("m")[0] for name in FUNCTIONS}
    assert len(shown) == len(FUNCTIONS)


def test_the_colour_of_a_function_does_not_depend_on_the_order() -> None:
    line = structured()
    assert LineFormat(FUNCTIONS, colours=True).text(line) == LineFormat(list(reversed(FUNCTIONS)), colours=True).text(
        line
    )


def test_warnings_and_errors_have_their_colours_and_other_lines_have_none() -> None:
    line_format = LineFormat(FUNCTIONS, colours=True)
    assert line_format.text(structured(level="WARNING")).endswith("\033[33mWARNING ran\033[0m")
    assert line_format.text(structured(level="ERROR")).endswith("\033[31mERROR ran\033[0m")
    assert line_format.text(structured()).endswith("\033[0mINFO ran")


def test_without_colours_there_is_no_escape_sequence() -> None:
    line_format = LineFormat(FUNCTIONS, colours=False)
    assert not [level for level in ("INFO", "WARNING", "ERROR") if "\033" in line_format.text(structured(level=level))]


@pytest.mark.parametrize(
    "message",
    [
        "START RequestId: 1 Version: $LATEST",
        "END RequestId: 1",
        "REPORT RequestId: 1\tDuration: 5 ms",
        '{"_aws":{"Timestamp":1}}',
    ],
)
def test_lambdas_own_lines_and_metrics_are_hidden(message: str) -> None:
    assert not LogFilter().matches(LogLine(AT, "Tick", message))


@pytest.mark.parametrize(
    ("log_filter", "expected"),
    [
        (LogFilter(), True),
        (LogFilter(run="20261120T090000Z"), True),
        (LogFilter(run="20261120T09"), True),
        (LogFilter(run="20261120T10"), False),
        (LogFilter(run="090000Z"), False),
        (LogFilter(job="default/report"), True),
        (LogFilter(job="report"), True),
        (LogFilter(job="demo/report"), False),
        (LogFilter(job="default/rep"), False),
        (LogFilter(job="report", run="20261120T09"), True),
        (LogFilter(job="report", run="20261121"), False),
    ],
)
def test_lines_are_selected_by_run_and_job(log_filter: LogFilter, expected: bool) -> None:
    assert log_filter.matches(structured(job="default/report", run_id="20261120T090000Z")) is expected


def test_a_line_without_a_run_or_job_is_hidden_by_a_filter() -> None:
    for line in (structured(), LogLine(AT, "Tick", "plain words")):
        assert LogFilter().matches(line)
        assert not LogFilter(run="20261120").matches(line)
        assert not LogFilter(job="report").matches(line)
