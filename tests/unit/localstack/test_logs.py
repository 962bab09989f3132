"""Reading log groups: every event once, oldest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from localstack import logs
from localstack.errors import LocalStackError
from localstack.log_lines import LogFilter
from localstack.logs import LogReader, _events, _log_groups, follow, match_functions
from localstack.ports import next_free
from localstack.workspace import StackInfo

from tests.support.api_server import TOKEN, ApiServer
from tests.support.fixtures import api, api_server
from tests.unit.localstack.test_workspace import INFO

__all__ = ["api", "api_server"]

Event = tuple[str, int, str]
FUNCTIONS = ["Tick", "HttpWorker", "Api", "Authorizer", "Drain", "Sweep", "Seed"]


class Groups:
    """Log groups in memory. Like CloudWatch Logs, a read includes the events of its first instant."""

    def __init__(self) -> None:
        self.events: dict[str, list[Event]] = {"tick-logs": [], "worker-logs": []}
        self.reads: list[tuple[str, int]] = []

    def write(self, group: str, at: int, message: str, stream: str = "s") -> None:
        self.events[group].append((stream, at, message))

    def read(self, group: str, since: int) -> Iterable[Event]:
        self.reads.append((group, since))
        return [event for event in self.events[group] if event[1] >= since]


@pytest.fixture
def groups() -> Groups:
    return Groups()


@pytest.fixture
def reader(groups: Groups) -> LogReader:
    return LogReader({"tick-logs": "Tick", "worker-logs": "HttpWorker"}, 1000, groups.read)


def _messages(reader: LogReader) -> list[str]:
    return [line.message for line in reader.new_lines()]


def test_events_of_all_groups_come_oldest_first(groups: Groups, reader: LogReader) -> None:
    groups.write("worker-logs", 3000, "third")
    groups.write("tick-logs", 1000, "first")
    groups.write("worker-logs", 2000, "second")
    assert [(line.function, line.message) for line in reader.new_lines()] == [
        ("Tick", "first"),
        ("HttpWorker", "second"),
        ("HttpWorker", "third"),
    ]


def test_events_before_the_start_are_left_out(groups: Groups, reader: LogReader) -> None:
    groups.write("tick-logs", 999, "too old")
    assert _messages(reader) == []


def test_every_event_comes_once_although_the_last_instant_is_read_again(groups: Groups, reader: LogReader) -> None:
    groups.write("tick-logs", 2000, "one")
    assert _messages(reader) == ["one"]
    groups.write("tick-logs", 2000, "two, of the same instant")
    groups.write("tick-logs", 2001, "three")
    assert _messages(reader) == ["two, of the same instant", "three"]
    assert _messages(reader) == []


def test_the_same_message_in_another_stream_is_another_event(groups: Groups, reader: LogReader) -> None:
    groups.write("tick-logs", 2000, "hello", stream="a")
    assert _messages(reader) == ["hello"]
    groups.write("tick-logs", 2000, "hello", stream="b")
    assert _messages(reader) == ["hello"]


def test_a_late_event_of_a_quiet_group_is_found_after_newer_events_of_another(
    groups: Groups, reader: LogReader
) -> None:
    groups.write("worker-logs", 9000, "busy")
    reader.new_lines()
    groups.write("tick-logs", 5000, "late to arrive")
    assert _messages(reader) == ["late to arrive"]


def test_each_group_is_read_from_its_own_last_event_on(groups: Groups, reader: LogReader) -> None:
    groups.write("tick-logs", 5000, "one")
    reader.new_lines()
    groups.reads.clear()
    reader.new_lines()
    assert groups.reads == [("tick-logs", 5000), ("worker-logs", 1000)]


@pytest.mark.parametrize(
    ("configuration", "groups"),
    [({"LoggingConfig": {"LogGroup": "own"}}, ["own", "/aws/lambda/tick"]), ({}, ["/aws/lambda/tick"])],
)
def test_the_configured_and_the_default_log_group_of_a_function_are_read(
    configuration: dict[str, Any], groups: list[str]
) -> None:
    """LocalStack ignores the configured one."""
    functions = SimpleNamespace(get_function_configuration=lambda **_: configuration)
    assert _log_groups(SimpleNamespace(functions=functions), "tick") == groups


class Missing(Exception):
    """The log group does not exist."""


class NoGroups:
    """CloudWatch Logs without any group."""

    exceptions = SimpleNamespace(ResourceNotFoundException=Missing)

    def get_paginator(self, _: str) -> SimpleNamespace:
        return SimpleNamespace(paginate=self._pages)

    def _pages(self, **_: object) -> Iterator[Any]:
        raise Missing
        yield


def test_only_a_default_log_group_may_be_missing() -> None:
    assert list(_events(NoGroups(), "/aws/lambda/tick", 0)) == []
    with pytest.raises(Missing):
        list(_events(NoGroups(), "own", 0))


@pytest.mark.thorough
def test_a_stopped_stack_is_an_error_with_the_command_that_starts_it() -> None:
    port = next_free(20000)
    info = StackInfo(
        url="", token="", endpoint_url=f"http://127.0.0.1:{port}", region="", stack="", jobs_table="", runs_table="",
        port=port, echo_port=0, echo_url="", demo="", outputs={"TickFunction": "t"},
    )  # fmt: skip
    with pytest.raises(LocalStackError, match=f"Nothing answers at http://127.0.0.1:{port}. Start the stack: make up"):
        follow(info, back=1, log_filter=LogFilter(), function="", colours=False, write=print, note=print)


JOB_LINE = '{"level": "INFO", "message": "run ended", "job": "demo/beat"}'
QUIET = "in the last 60 s; waiting for new ones (BACK=SECONDS looks further back)"
QUIET_NOSUCH = f"no log line of job default/nosuch {QUIET}"


@pytest.mark.parametrize(
    ("log_filter", "said"),
    [
        (LogFilter(), []),
        (LogFilter(job="demo/beat"), []),
        (LogFilter(job="demo/other"), [f"no log line of job demo/other {QUIET}"]),
        (LogFilter(run="20261120T09"), [f"no log line of a run 20261120T09… {QUIET}"]),
        (
            LogFilter(job="nosuch"),
            [f"there is no job default/nosuch (`minutehand list -n default` lists the jobs); {QUIET_NOSUCH}"],
        ),
    ],
)
def test_a_follower_that_finds_no_line_says_so_once_and_whether_the_job_exists(
    api: ApiServer, monkeypatch: pytest.MonkeyPatch, log_filter: LogFilter, said: list[str]
) -> None:
    api.add_job("demo/other")
    events = iter([[("s", 1, JOB_LINE)]])
    turns = iter([None, None])

    def sleep(_: float) -> None:
        if next(turns, "over") == "over":
            raise KeyboardInterrupt

    monkeypatch.setattr(logs, "Clients", lambda _: SimpleNamespace(logs=None))
    monkeypatch.setattr(logs, "_log_groups", lambda *_: ["tick-logs"])
    monkeypatch.setattr(logs, "_events", lambda *_: next(events, []))
    monkeypatch.setattr(logs.time, "sleep", sleep)
    notes: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        follow(
            replace(INFO, url=api.url, token=TOKEN), back=60, log_filter=log_filter, function="", colours=False,
            write=lambda _: None, note=notes.append,
        )  # fmt: skip
    assert notes == said


@pytest.mark.parametrize(
    ("prefix", "names"),
    [
        ("", FUNCTIONS),
        ("tick", ["Tick"]),
        ("http-worker", ["HttpWorker"]),
        ("a", ["Api", "Authorizer"]),
        ("AUTH", ["Authorizer"]),
    ],
)
def test_a_function_is_matched_by_the_beginning_of_its_name(prefix: str, names: list[str]) -> None:
    assert match_functions(FUNCTIONS, prefix) == names


def test_an_unknown_function_is_an_error_with_the_functions_names() -> None:
    with pytest.raises(
        LocalStackError, match=r"No function is named 'tock'\. The functions are: Api, Authorizer, Drain"
    ):
        match_functions(FUNCTIONS, "tock")
