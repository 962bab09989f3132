"""Quotas of a namespace: how many attempts are in progress at once, and how many runs begin in a minute."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.namespace import Namespace
from minutehand.domain.policies import Backoff, Overlap, Retry
from minutehand.domain.quota import Quota
from minutehand.domain.run import RunState, SkipReason
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Outcome
from tests.unit.domain.examples import SECOND, at
from tests.unit.usecases.running.slots.limited import (
    LATER,
    OTHER,
    known,
    meanwhile,
    next_look,
    queued,
    state,
    under_way,
)
from tests.unit.usecases.stage import Stage

NAMES = ("a", "b", "c", "d", "e", "f")


def allow(stage: Stage, own: int | None = None, **quota: int) -> None:
    stage.state.settings["shop"] = Namespace(name="shop", max_concurrency=own, quota=Quota(**quota), revision=1)


def of_jobs(stage: Stage, *names: str, **fields: object) -> list[Received]:
    keys = [JobKey("shop", name) for name in names]
    for key in keys:
        known(stage, key, **fields)
    return [queued(stage, key=key) for key in keys]


def begun(stage: Stage) -> int:
    return sum(run.attempt > 0 for run in stage.state.runs.values())


@pytest.mark.parametrize(("own", "quota"), [(None, 1), (5, 1), (1, 5)])
def test_the_lower_of_the_quota_and_the_namespaces_own_limit_applies(stage: Stage, own: int | None, quota: int) -> None:
    allow(stage, own, concurrency=quota)
    known(stage)
    known(stage, OTHER)
    call, came = meanwhile(stage, queued(stage))
    stage.execute([queued(stage, key=OTHER)], call)
    waits = came[0].run
    assert waits is not None
    assert waits.waits_for is not None
    assert waits.waits_for.quota is (own != 1)
    whose = "the namespace's max_concurrency" if own == 1 else "the namespace's quota of concurrency"
    assert waits.waits_for.text == f"{whose}, 1 of 1 in use"


@pytest.mark.parametrize("own", [None, 2, 1000])
def test_no_change_of_the_namespaces_own_limit_evades_the_quota(stage: Stage, own: int | None) -> None:
    allow(stage, 1, concurrency=1)
    known(stage, target=LATER)
    under_way(stage, queued(stage))
    allow(stage, own, concurrency=1)
    known(stage, OTHER)
    other = queued(stage, key=OTHER)
    stage.execute([other])
    assert state(stage, other) is RunState.QUEUED


def test_no_more_runs_begin_in_a_minute_than_the_quota_allows_and_the_others_wait_for_theirs(stage: Stage) -> None:
    allow(stage, runs_per_minute=2)
    messages = of_jobs(stage, *NAMES[:5])
    stage.execute(messages)
    assert begun(stage) == 2
    waiting = [run for run in stage.state.runs.values() if not run.attempt]
    assert [run.place for run in waiting] == [at("09:01"), at("09:01"), at("09:02")]
    assert {run.waits_for.text for run in waiting if run.waits_for} == {
        "the namespace's quota, which let 2 runs begin in a minute when it asked"
    }
    for run in waiting:
        assert run.retry_at is not None
        assert run.place is not None
        assert run.place <= run.retry_at < run.place + 20 * SECOND
    assert sorted(each.not_before for each in stage.state.messages) == sorted(run.retry_at for run in waiting)
    stage.at("09:01:20").work()
    assert begun(stage) == 4
    stage.at("09:02:20").work()
    assert begun(stage) == 5
    assert not stage.state.messages


def test_a_run_whose_minute_passed_before_a_worker_took_it_up_needs_another_place(stage: Stage) -> None:
    allow(stage, runs_per_minute=1)
    stage.execute(of_jobs(stage, "a", "b"))
    stage.at("09:07:30").execute(of_jobs(stage, "c"))
    assert begun(stage) == 2
    stage.work()
    late = stage.run("09:00", JobKey("shop", "b"))
    assert late is not None
    assert (late.attempt, late.place) == (0, at("09:08"))


def test_a_retry_counts_no_second_time(stage: Stage) -> None:
    allow(stage, runs_per_minute=1)
    retry = Retry(3, Backoff(SECOND, 1, SECOND, 0))
    [message] = of_jobs(stage, "a", retry=retry)
    stage.execute([message], lambda _: Outcome(state=RunState.FAILED))
    assert state(stage, message) is RunState.RETRYING
    stage.at("09:00:05").work()
    assert state(stage, message) is RunState.SUCCEEDED
    assert stage.namespaces.calls["take_place"] == 1


def test_a_run_beyond_reach_waits_without_a_place_and_takes_one_later(stage: Stage) -> None:
    allow(stage, runs_per_minute=1)
    messages = of_jobs(stage, *NAMES)
    stage.execute(messages)
    [last] = [run for run in stage.state.runs.values() if not run.attempt and run.place is None]
    assert last.retry_at is not None
    assert at("09:05") <= last.retry_at < at("09:05:20")
    for minute in range(1, 6):
        stage.at(f"09:0{minute}:20").work()
    assert begun(stage) == 6


def test_a_run_that_finds_no_slot_takes_no_place(stage: Stage) -> None:
    allow(stage, concurrency=1, runs_per_minute=5)
    known(stage)
    known(stage, OTHER)
    call, _ = meanwhile(stage, queued(stage))
    stage.execute([queued(stage, key=OTHER)], call)
    assert stage.namespaces.calls["take_place"] == 1


def test_a_run_keeps_its_place_while_it_tries_other_slots(stage: Stage) -> None:
    allow(stage, concurrency=1, runs_per_minute=1)
    known(stage)
    mine = queued(stage)
    stage.runs.before("start", lambda: _taken_by_another(stage))
    stage.execute([mine])
    assert state(stage, mine) is RunState.SUCCEEDED
    assert stage.runs.calls["start"] == 3, "one of the other, and two of this one"
    assert stage.namespaces.calls["take_place"] == 1


def _taken_by_another(stage: Stage) -> None:
    """Another run takes the slot that this one has read."""
    stage.state.settings["shop"] = replace(stage.state.settings["shop"], quota=Quota(concurrency=1))
    known(stage, OTHER)
    stage.execute([queued(stage, key=OTHER)])


def test_a_run_that_waits_for_its_minute_keeps_its_turn_at_the_lock(stage: Stage) -> None:
    allow(stage, runs_per_minute=1)
    known(stage, overlap=Overlap.QUEUE_ALL)
    [first] = of_jobs(stage, "a")
    earlier, later = queued(stage, "08:59"), queued(stage)
    stage.execute([first])
    stage.execute([earlier])
    stage.execute([later])
    stage.at("09:01:20").work()
    assert state(stage, earlier) is RunState.SUCCEEDED


def test_start_within_and_a_cancelled_quota_end_the_wait(stage: Stage) -> None:
    allow(stage, runs_per_minute=1)
    messages = of_jobs(stage, "a", "b", start_within=30 * SECOND)
    stage.execute(messages)
    assert next_look(stage, messages[1]) == at("09:00:30")
    stage.at("09:00:30").work()
    skipped = stage.state.runs[messages[1].run]
    assert skipped.skip_reason is SkipReason.START_WITHIN
    assert skipped.waits_for is not None
    assert skipped.waits_for.of_minutes


def test_a_store_that_does_not_answer_leaves_the_message_in_the_queue(stage: Stage) -> None:
    allow(stage, runs_per_minute=1)
    stage.namespaces.fails("take_place")
    [message] = of_jobs(stage, "a")
    [handled] = stage.execute([message])
    assert (handled.deletable, state(stage, message)) == (False, RunState.QUEUED)


def test_the_first_place_of_a_minute_is_given_out_once(stage: Stage) -> None:
    allow(stage, runs_per_minute=1)
    first, second = of_jobs(stage, "a", "b")
    stage.namespaces.before("restart_pace", lambda: stage.execute([first]))
    stage.execute([second])
    assert begun(stage) == 1
    assert stage.state.runs[second.run].place == at("09:01")


def test_places_that_others_get_while_one_begins_to_count_anew_stay_counted(stage: Stage) -> None:
    allow(stage, runs_per_minute=2)
    before, last, *others = of_jobs(stage, "a", "b", "c", "d", "e")
    stage.execute([before])
    stage.at("09:01:01")
    stage.namespaces.before("restart_pace", lambda: stage.execute(others[:2]))
    stage.execute([last, others[2]])
    begun_now = [run for run in stage.state.runs.values() if run.started_at and run.started_at >= at("09:01")]
    assert len(begun_now) == 2


def test_without_a_quota_nothing_is_read_or_written_for_one(stage: Stage) -> None:
    known(stage)
    message = queued(stage)
    stage.execute([message])
    assert state(stage, message) is RunState.SUCCEEDED
    assert not stage.namespaces.calls
    assert stage.state.runs[message.run].place is None


@pytest.mark.parametrize("overlap", [Overlap.REPLACE, Overlap.QUEUE_ALL])
def test_messages_of_an_ended_run_multiply_none_of_a_run_that_waits_for_its_minute(
    stage: Stage, overlap: Overlap
) -> None:
    allow(stage, runs_per_minute=1)
    known(stage, overlap=overlap)
    first = queued(stage)
    stage.execute([first])
    second = queued(stage, "09:00:30")
    stage.at("09:00:30").execute([second])
    waiting = next_look(stage, second)
    for copy in ("again", "and again"):
        stage.execute([first._replace(receipt=copy)])
    assert next_look(stage, second) == waiting, "it has one message, which arrives in its minute"
    stage.now = waiting
    stage.work()
    assert state(stage, second) is RunState.SUCCEEDED


def test_two_messages_of_a_run_that_waits_for_its_minute_become_one(stage: Stage) -> None:
    allow(stage, runs_per_minute=2)
    known(stage)
    stage.execute([queued(stage), queued(stage, "08:59:59")])
    second = queued(stage, "09:00:30")
    stage.at("09:00:30").execute([second, second._replace(receipt="a copy")])
    instants = sorted(message.not_before for message in stage.state.messages if message.run == second.run)
    assert len(set(instants)) == len(instants), "the earlier one is deleted when it arrives"
