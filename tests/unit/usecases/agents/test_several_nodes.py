"""A run on several nodes: who begins it, what each node gets, and how it ends."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.outcome import Outcome
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Result, Run, RunState, SkipReason
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.definitions import manage
from tests.unit.domain.examples import KEY, MINUTE
from tests.unit.usecases.agents.spreading import FAILS, Spreading

WAITING, QUEUED = RunState.WAITING, RunState.QUEUED
ADA = Actor("ada")


def test_the_function_begins_the_run_and_each_node_gets_a_run_of_its_own() -> None:
    stage = Spreading()
    stage.begins()
    assert stage.nine.state is WAITING
    assert stage.states == {"a": QUEUED, "b": QUEUED, "c": QUEUED}
    for name in "abc":
        [message] = stage.of(stage.node(name))
        assert message.run == stage.shares[name].key
    indexes = sorted(run.share.place for run in stage.shares.values() if run.share)
    assert indexes == [0, 1, 2]


def test_the_run_succeeds_when_all_nodes_have_and_lists_them() -> None:
    stage = Spreading()
    stage.begins()
    for name in "abc":
        assert stage.nine.state is WAITING
        stage.carries_out(name)
    assert stage.nine.state is RunState.SUCCEEDED
    lines = stage.lines()
    assert [
        (line["node"], line["state"], line["exit_code"]) for line in sorted(lines, key=lambda one: one["node"])
    ] == [
        ("a", "succeeded", 0),
        ("b", "succeeded", 0),
        ("c", "succeeded", 0),
    ]
    assert {line["run_id"] for line in lines} == {run.key.run_id for run in stage.shares.values()}


def test_the_exit_codes_are_those_of_nodes_with_long_outputs_too() -> None:
    stage = Spreading("ab")
    stage.begins()
    text = json.dumps({"exit_code": 3, "signal": None, "output": "x" * 5000}, separators=(",", ":"))
    stage.carries_out("a", FAILS._replace(final=True, result=Result("command", 0, text)))
    stage.carries_out("b", Outcome(RunState.SKIPPED, Result("command", 0, "null")))
    assert {line["node"]: (line["state"], line["exit_code"]) for line in stage.lines()} == {
        "a": ("failed", 3),
        "b": ("skipped", None),
    }


def test_a_node_that_failed_fails_the_run_for_good_though_the_job_retries() -> None:
    stage = Spreading("ab")
    stage.begins()
    stage.carries_out("a")
    stage.carries_out("b", FAILS._replace(final=True))
    assert stage.nine.state is RunState.FAILED
    assert stage.nine.error is not None
    assert stage.nine.error.type == "NodesFailed"
    assert "b failed" in stage.nine.error.message


def test_with_min_success_some_nodes_may_fail() -> None:
    stage = Spreading("abc", command={"min_success": 2})
    stage.begins()
    stage.carries_out("a", FAILS._replace(final=True))
    for name in "bc":
        stage.carries_out(name)
    assert stage.nine.state is RunState.SUCCEEDED


def test_at_most_max_parallel_nodes_run_at_once_and_the_end_of_one_starts_the_next() -> None:
    stage = Spreading("abc", command={"max_parallel": 1})
    stage.begins()
    for number in (1, 2, 3):
        assert len(stage.shares) == number
        [name] = [name for name, run in stage.shares.items() if not run.state.finished]
        stage.carries_out(name)
        stage.forward()
    assert stage.nine.state is RunState.SUCCEEDED


def test_once_the_run_cannot_succeed_nothing_more_starts() -> None:
    stage = Spreading("abc", command={"max_parallel": 1})
    stage.begins()
    [name] = stage.shares
    stage.carries_out(name, FAILS._replace(final=True))
    assert len(stage.shares) == 1
    assert stage.nine.state is RunState.FAILED
    assert stage.nine.error is not None
    assert stage.nine.error.message.count("not started") == 2


@pytest.mark.parametrize(
    ("count", "text"),
    [("3", "pool web, which has fewer than 3 live agents"), ("all", "pool web, which has no live agent")],
)
def test_a_run_for_which_too_few_nodes_are_live_waits(count: str, text: str) -> None:
    stage = Spreading("ab" if count == "3" else "", command={"count": count})
    stage.forward()
    assert stage.nine.state is QUEUED
    assert stage.nine.waits_for is not None
    assert stage.nine.waits_for.text == text
    for name in "abc":
        stage.joins(stage.node(name), f"session-{name}")
    stage.looks_after(15)
    assert stage.nine.state is WAITING


def test_a_count_chooses_as_many_nodes_and_the_least_loaded() -> None:
    stage = Spreading("abc", command={"count": "2"})
    stage.state.nodes[stage.node("b")] = replace(stage.state.nodes[stage.node("b")], running=3)
    stage.begins()
    assert sorted(stage.shares) == ["a", "c"]


def test_an_agent_that_gets_a_message_of_the_run_itself_sends_it_back_to_the_function() -> None:
    stage = Spreading()
    stage.receive()
    started = stage.starts_at("a", stage.nine.key)
    assert started.order is None
    assert stage.nine.state is QUEUED
    assert [message.run for message in stage.state.messages] == [stage.nine.key]


def test_a_nodes_run_starts_at_that_node_alone() -> None:
    stage = Spreading("ab")
    stage.begins()
    started = stage.starts_at("a", stage.shares["b"].key)
    assert started.order is None
    assert stage.states["b"] is QUEUED
    assert [message.run for message in stage.of(stage.node("b"))].count(stage.shares["b"].key) == 2


def test_a_nodes_run_is_retried_there() -> None:
    stage = Spreading("ab")
    stage.change(command={"count": "all"}, retry=stage.state.definitions[KEY].job.retry._replace(max_attempts=2))
    stage.begins()
    stage.carries_out("a", FAILS)
    assert stage.states["a"] is RunState.RETRYING
    stage.looks_after(60)
    stage.starts_at("a")
    stage.ends_at("a")
    stage.carries_out("b")
    assert stage.nine.state is RunState.SUCCEEDED


def test_a_silent_node_is_lost_and_no_other_takes_it_over() -> None:
    stage = Spreading("ab")
    stage.begins()
    stage.starts_at("a")
    assert stage.calls[-1].takeovers_left == 0
    stage.carries_out("b")
    stage.looks_after(200)
    assert stage.states["a"] is RunState.LOST
    assert stage.nine.state is RunState.FAILED


def test_nodes_runs_take_neither_the_lock_nor_a_slot() -> None:
    stage = Spreading("abc", overlap=Overlap.SKIP, max_concurrency=1)
    stage.begins()
    for name in "abc":
        assert stage.starts_at(name).order is not None


def test_the_lock_is_held_as_long_as_the_run_goes_on() -> None:
    stage = Spreading("ab", overlap=Overlap.SKIP)
    stage.begins()
    stage.starts_at("a")
    assert stage.nine.lease_until == stage.nine.deadline_at


def test_a_pause_after_the_run_began_does_not_keep_its_nodes_from_running() -> None:
    stage = Spreading("ab")
    stage.begins()
    stage.save(replace(stage.state.definitions[KEY].job, paused=True))
    for name in "ab":
        stage.carries_out(name)
    assert stage.nine.state is RunState.SUCCEEDED


def test_a_cancel_ends_what_has_not_begun_and_asks_the_other_nodes_to_end() -> None:
    stage = Spreading("ab")
    stage.begins()
    stage.starts_at("a")
    cancel(stage.ports, stage.nine.key, who=ADA)
    assert stage.nine.state is WAITING
    assert stage.states == {"a": WAITING, "b": RunState.CANCELLED}
    assert stage.shares["a"].cancelled_by == "ada"
    stage.ends_at("a", FAILS)
    assert stage.states["a"] is RunState.CANCELLED
    assert stage.nine.state is RunState.CANCELLED


def test_a_run_of_which_nothing_runs_is_cancelled_at_once() -> None:
    stage = Spreading("ab")
    stage.begins()
    assert cancel(stage.ports, stage.nine.key, who=ADA).state is RunState.CANCELLED


def test_the_delete_of_the_job_ends_the_run_with_its_nodes() -> None:
    stage = Spreading("ab")
    stage.begins()
    manage.delete(stage.ports, KEY, who=ADA)
    stage.looks_after(121)
    assert stage.states == {"a": RunState.CANCELLED, "b": RunState.CANCELLED}
    assert stage.nine.state.finished


def test_a_nodes_run_that_cannot_start_is_skipped_after_start_within() -> None:
    stage = Spreading("ab", start_within=MINUTE)
    stage.begins()
    stage.carries_out("a")
    stage.state.pool_queues[stage.node("b")].clear()
    stage.wait(61)
    stage.execute_share("b")
    assert stage.shares["b"].skip_reason is SkipReason.START_WITHIN
    assert stage.nine.state is RunState.FAILED


def test_the_run_ends_at_its_deadline_with_all_its_nodes() -> None:
    stage = Spreading("ab")
    stage.begins()
    stage.starts_at("a")
    deadline = stage.nine.deadline_at
    assert deadline is not None
    assert stage.calls[-1].deadline == deadline
    while stage.now < deadline + timedelta(seconds=30):
        stage.wait(10)
        for key, run in list(stage.state.runs.items()):
            if run.state is WAITING and run.share is not None:
                stage.state.runs[key] = replace(run, lease_until=deadline)
        stage.forward()
    assert stage.states == {"a": RunState.TIMED_OUT, "b": RunState.CANCELLED}
    assert stage.nine.state is RunState.TIMED_OUT


def test_lists_of_the_jobs_runs_leave_the_runs_of_nodes_out() -> None:
    stage = Spreading()
    stage.begins()
    assert [run.key for run in stage.ports.runs.page(KEY, 10, None).items] == [stage.nine.key]
    assert list(stage.ports.runs.between(KEY, stage.nine.scheduled_for - MINUTE, stage.now)) == [stage.nine]
    within = stage.ports.runs.within(KEY.namespace, stage.nine.scheduled_for, stage.now + MINUTE)
    assert [key for page in within for key in page] == [stage.nine.key]


def test_a_step_that_died_after_it_took_nodes_is_finished_by_the_watch() -> None:
    stage = Spreading("ab")
    stage.runs.fails("claim", times=8)
    stage.begins()
    assert stage.shares == {}
    stage.runs._fates.clear()
    stage.looks_after(121)
    assert stage.states == {"a": QUEUED, "b": QUEUED}


def test_a_lost_message_of_a_nodes_run_is_sent_again_by_the_watch() -> None:
    stage = Spreading("a")
    stage.change(command={"count": "all"}, timeout=60 * MINUTE)
    stage.begins()
    stage.state.pool_queues[stage.node("a")].clear()
    for _ in range(10):
        stage.looks_after(61)
    assert stage.of(stage.node("a"))


def test_only_one_message_of_the_run_waits_for_its_next_look() -> None:
    stage = Spreading("a")
    stage.begins()
    for _ in range(4):
        stage.looks_after(121)
    assert [message.run for message in stage.state.messages].count(stage.nine.key) == 1


def test_a_nodes_run_does_not_start_after_the_run_has_ended() -> None:
    stage = Spreading("a")
    stage.begins()
    stage.state.runs[stage.nine.key] = replace(stage.nine, state=RunState.FAILED)
    assert stage.starts_at("a").order is None
    ended = stage.shares["a"]
    assert ended.state is RunState.CANCELLED
    assert ended.error is not None
    assert ended.error.type == "ParentEnded"


def test_a_run_whose_list_of_nodes_was_deleted_ends() -> None:
    stage = Spreading("a")
    stage.begins()
    stage.state.spreads.clear()
    stage.looks_after(121)
    assert stage.nine.state is RunState.FAILED
    assert stage.nine.error is not None
    assert stage.nine.error.message == "the list of its nodes is gone from the store"


def test_a_run_for_one_node_runs_there_alone_though_the_job_names_all() -> None:
    stage = Spreading("abc")
    stage.state.runs[stage.nine.key] = replace(stage.nine, only_node="b")
    stage.begins()
    assert stage.shares == {}
    assert [message.run for message in stage.of(stage.node("b"))] == [stage.nine.key]
    assert stage.starts_at("b").order is not None


def test_the_nodes_of_a_pool_that_no_tags_fit_are_left_out() -> None:
    stage = Spreading("", command={"tags": (("disk", "big"),)})
    stage.joins(stage.node("a"), "session-a", tags=(("disk", "big"),))
    stage.joins(stage.node("b"), "session-b")
    stage.begins()
    assert list(stage.shares) == ["a"]


def test_the_end_of_the_run_is_told_once() -> None:
    stage = Spreading("ab")
    told: list[Run] = []
    stage.ports = stage.ports._replace(tell_end=told.append)
    stage.begins()
    for name in "ab":
        stage.carries_out(name)
    stage.looks_after(121)
    assert [run.key for run in told] == [stage.nine.key]


def test_a_shadow_runs_on_no_node() -> None:
    stage = Spreading("ab", shadow=True)
    stage.begins()
    assert stage.shares == {}
    assert stage.nine.skip_reason is SkipReason.SHADOW
