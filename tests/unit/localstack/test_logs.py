"""Following log groups: every event once, in the order of time."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from localstack.errors import LocalStackError
from localstack.lines import Wanted
from localstack.logs import Follower, follow
from localstack.place import Record
from localstack.ports import next_free

Event = tuple[str, int, str]


class Groups:
    """Log groups in memory, read as CloudWatch Logs is: from an instant on, that instant included."""

    def __init__(self) -> None:
        self.events: dict[str, list[Event]] = {"tick-logs": [], "worker-logs": []}
        self.asked: list[tuple[str, int]] = []

    def write(self, group: str, at: int, message: str, stream: str = "s") -> None:
        self.events[group].append((stream, at, message))

    def read(self, group: str, since: int) -> Iterable[Event]:
        self.asked.append((group, since))
        return [event for event in self.events[group] if event[1] >= since]


@pytest.fixture
def groups() -> Groups:
    return Groups()


@pytest.fixture
def follower(groups: Groups) -> Follower:
    return Follower({"tick-logs": "Tick", "worker-logs": "HttpWorker"}, 1000, groups.read)


def _messages(follower: Follower) -> list[str]:
    return [line.message for line in follower.fresh()]


def test_events_of_all_groups_come_in_the_order_of_time(groups: Groups, follower: Follower) -> None:
    groups.write("worker-logs", 3000, "third")
    groups.write("tick-logs", 1000, "first")
    groups.write("worker-logs", 2000, "second")
    assert [(line.function, line.message) for line in follower.fresh()] == [
        ("Tick", "first"),
        ("HttpWorker", "second"),
        ("HttpWorker", "third"),
    ]


def test_what_is_older_than_the_beginning_is_left_out(groups: Groups, follower: Follower) -> None:
    groups.write("tick-logs", 999, "too old")
    assert _messages(follower) == []


def test_every_event_comes_once_though_the_last_instant_is_read_again(groups: Groups, follower: Follower) -> None:
    groups.write("tick-logs", 2000, "one")
    assert _messages(follower) == ["one"]
    groups.write("tick-logs", 2000, "two, of the same instant")
    groups.write("tick-logs", 2001, "three")
    assert _messages(follower) == ["two, of the same instant", "three"]
    assert _messages(follower) == []


def test_the_same_words_in_another_stream_are_another_event(groups: Groups, follower: Follower) -> None:
    groups.write("tick-logs", 2000, "hello", stream="a")
    assert _messages(follower) == ["hello"]
    groups.write("tick-logs", 2000, "hello", stream="b")
    assert _messages(follower) == ["hello"]


def test_a_quiet_group_is_not_skipped_over_by_a_busy_one(groups: Groups, follower: Follower) -> None:
    groups.write("worker-logs", 9000, "busy")
    follower.fresh()
    groups.write("tick-logs", 5000, "late to arrive")
    assert _messages(follower) == ["late to arrive"]


def test_each_group_is_asked_only_for_what_is_new(groups: Groups, follower: Follower) -> None:
    groups.write("tick-logs", 5000, "one")
    follower.fresh()
    groups.asked.clear()
    follower.fresh()
    assert groups.asked == [("tick-logs", 5000), ("worker-logs", 1000)]


def test_a_stack_that_is_down_is_answered_with_the_command_that_brings_it_up() -> None:
    port = next_free(20000)
    record = Record(
        url="", token="", endpoint_url=f"http://127.0.0.1:{port}", region="", stack="", jobs_table="", runs_table="",
        port=port, echo_port=0, echo_url="", demo="", outputs={"TickFunction": "t"},
    )  # fmt: skip
    with pytest.raises(
        LocalStackError, match=f"Nothing answers at http://127.0.0.1:{port}; bring the stack up: make up"
    ):
        follow(record, back=1, wanted=Wanted(), function="", colours=False, say=print)
