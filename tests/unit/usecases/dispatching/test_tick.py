from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.sharding import shard_of
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Deadline, Due
from minutehand.usecases.dispatching.claim import DispatchReport
from minutehand.usecases.dispatching.dispatch import dispatch
from minutehand.usecases.dispatching.tick import (
    LEAST_AT_ONCE,
    MOST_AT_ONCE,
    RESERVE,
    SORTED_AT_ONCE,
    _by_namespace,
    group_size,
    tick,
)
from tests.unit.domain.examples import at, timer
from tests.unit.usecases.stage import PARTS, SHARDS, Stage, after_opening

DAILY = "0 9 * * *"


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def keys_of(shard: int) -> Iterator[JobKey]:
    """Keys of jobs whose timers are in a shard."""
    number = 0
    while True:
        key = JobKey(namespace="shop", name=f"job-{number}")
        if shard_of(key, SHARDS) == shard:
            yield key
        number += 1


def fill(stage: Stage, *, per_shard: int = 1) -> dict[JobKey, int]:
    """Jobs due at nine in each shard; the shard of each."""
    shard_by_key = {
        key: shard for shard in range(SHARDS) for key, _ in zip(keys_of(shard), range(per_shard), strict=False)
    }
    for key in shard_by_key:
        stage.put(timer("09:00", DAILY, job=key))
    return shard_by_key


def test_a_tick_dispatches_what_is_due_in_every_shard(stage: Stage) -> None:
    jobs = fill(stage, per_shard=3)
    dispatched = stage.tick()
    assert {message.run.job for message in stage.state.messages} == set(jobs)
    assert (dispatched.timers, dispatched.sent, dispatched.stopped_early) == (12, 12, False)


def test_timers_beyond_the_look_ahead_are_not_read(stage: Stage) -> None:
    stage.put(timer("09:02", DAILY, job=JobKey(namespace="shop", name="within")))
    stage.put(timer("09:02:01", DAILY, job=JobKey(namespace="shop", name="beyond")))
    assert stage.tick().timers == 1


def test_a_second_tick_at_the_same_moment_finds_nothing_left(stage: Stage) -> None:
    fill(stage)
    stage.tick()
    before = (dict(stage.state.runs), list(stage.state.messages))
    assert stage.tick().timers == 0
    assert (stage.state.runs, stage.state.messages) == before


def test_groups_draw_from_each_shard_in_turn(stage: Stage) -> None:
    jobs = fill(stage, per_shard=3)
    stage.tick()
    order = [jobs[message.run.job] for message in stage.state.messages]
    assert order == [*range(SHARDS)] * 3, "so that no partition has all the writes, and none waits for another"


def named(*namespaces: str) -> list[Due]:
    """A due timer of each of these namespaces, in this order."""
    return [timer("09:00", DAILY, job=JobKey(name, f"job-{number:05d}")) for number, name in enumerate(namespaces)]


def test_timers_of_a_namespace_come_together_in_the_order_of_their_first() -> None:
    wanted = named("b", "a", "c", "a", "b", "a")
    wanted[2] = Deadline(run=RunKey.scheduled(JobKey("b", "asked"), at("09:00")), next_at=at("09:00"))
    found = list(_by_namespace(iter(wanted)))
    assert found == [wanted[n] for n in (0, 2, 4, 1, 3, 5)]


@pytest.mark.thorough
def test_timers_are_brought_together_only_within_a_bounded_number() -> None:
    wanted = named(*(("a", "b") * SORTED_AT_ONCE))
    read = iter(wanted)
    found = _by_namespace(read)
    assert next(found) is wanted[0]
    assert next(read) is wanted[SORTED_AT_ONCE], "no more is read ahead"
    rest = [timer.job.namespace for timer in found]
    half = SORTED_AT_ONCE // 2
    assert rest == ["a"] * (half - 1) + ["b"] * half + ["b"] * half + ["a"] * (half - 1)


def test_a_group_holds_timers_of_as_few_namespaces_as_its_size_allows(stage: Stage) -> None:
    for number in range(4 * LEAST_AT_ONCE):
        stage.put(timer("09:00", DAILY, job=JobKey(f"team-{number % 4}", f"job-{number:03d}")))
    stage.tick()
    assert len(stage.state.runs) == 4 * LEAST_AT_ONCE
    assert sorted(entry.size for entry in stage.state.entries.values()) == [LEAST_AT_ONCE] * 4


def test_a_tick_short_of_time_stops_and_the_next_continues(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minutehand.usecases.dispatching.tick.group_size", lambda _: 1)
    jobs = fill(stage)
    looks = 3  # at the time: before each group, before its timer, and before what that claims
    lasts = [RESERVE] * 2 * looks + [RESERVE - timedelta(milliseconds=1)]
    dispatched = tick_with(stage, lasts)
    assert dispatched.stopped_early
    assert dispatched.timers == 2, "exactly the reserve is still enough"
    assert stage.tick().timers == len(jobs) - 2
    assert len(stage.state.runs) == len(jobs)


def tick_with(stage: Stage, time_left: list[timedelta]) -> DispatchReport:
    """A tick that finds so much time left, each time it looks after it has opened its parts."""
    left = after_opening(stage, time_left)
    return tick(stage.ports, parts=PARTS, time_left=lambda: next(left))


def test_timers_are_dispatched_in_groups_with_a_check_of_the_time_between_them(stage: Stage) -> None:
    keys = keys_of(0)
    for _ in range(LEAST_AT_ONCE + 1):
        stage.put(timer("09:00", DAILY, job=next(keys)))
    dispatched = tick_with(stage, [RESERVE] * (1 + LEAST_AT_ONCE + 1) + [timedelta(0)])
    assert (dispatched.timers, dispatched.claimed, dispatched.stopped_early) == (LEAST_AT_ONCE, LEAST_AT_ONCE, True)
    assert stage.runs.calls["claim"] == 1
    assert stage.timers.calls["advance"] == 1


def test_groups_grow_with_what_is_due_up_to_a_limit() -> None:
    sizes: list[int] = []
    while sum(sizes) < 3_000:
        sizes.append(group_size(sum(sizes)))
    assert sizes == sorted(sizes)
    assert sizes[:4] == [LEAST_AT_ONCE] * 4, "one for each thread"
    assert sizes[-1] == MOST_AT_ONCE


def test_jobs_due_often_are_claimed_in_batches_with_a_check_of_the_time_between_them(
    stage: Stage,
) -> None:
    keys = keys_of(0)
    for _ in range(5):
        stage.put(timer("09:00", "* * * * * *", job=next(keys)))  # 121 occurrences each
    dispatched = tick_with(stage, [RESERVE] * (1 + 5 + 2) + [timedelta(0)])
    assert (dispatched.timers, dispatched.claimed, dispatched.advanced, dispatched.stopped_early) == (5, 484, 4, True)
    assert stage.runs.calls["claim"] == 2
    assert stage.tick().claimed == 121, "and what is left stays due"


def test_items_with_calls_of_their_own_are_not_begun_without_time_and_stay_due(stage: Stage) -> None:
    for key, _ in zip(keys_of(0), range(3), strict=False):
        stage.timers.remind(Deadline(run=RunKey(key, "20261120T080000Z~trigger-a"), next_at=at("08:00")))
    dispatched = tick_with(stage, [RESERVE, RESERVE, timedelta(0)])
    assert (dispatched.timers, dispatched.stopped_early, len(stage.state.deadlines)) == (1, True, 2)


def test_runs_that_cannot_be_read_together_are_read_one_by_one_only_while_there_is_time(stage: Stage) -> None:
    """Where the table refuses all of them, each waits its turn to be refused."""
    fill(stage, per_shard=5)
    stage.timers.fails("advance")
    stage.tick()
    stage.state.messages.clear()
    stage.runs.refuses("get", lambda _keys: True)
    dispatched = tick(
        stage.ports,
        parts=PARTS,
        time_left=lambda: RESERVE + (6 - stage.runs.calls["get"]) * timedelta(seconds=1),
    )
    assert (stage.runs.calls["get"], dispatched.stopped_early) == (7, True)
    assert stage.state.messages == []
    stage.runs.refuses("get", lambda _keys: False)
    assert stage.tick().sent == 5 * SHARDS


def test_a_failing_group_delays_no_other(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minutehand.usecases.dispatching.tick.group_size", lambda _: 1)
    jobs = fill(stage)
    first = next(iter(jobs))

    def breaks(group: list[Due], **rest: Any) -> None:
        if group[0].job == first:
            raise RuntimeError("out of its mind")
        dispatch(group, **rest)

    monkeypatch.setattr("minutehand.usecases.dispatching.tick.dispatch", breaks)
    dispatched = stage.tick()
    assert {message.run.job for message in stage.state.messages} == set(jobs) - {first}
    assert dispatched.problems == ["1 timers: RuntimeError('out of its mind')"]


def test_timers_of_several_shards_share_a_group(stage: Stage) -> None:
    fill(stage)
    stage.tick()
    assert (stage.runs.calls["claim"], stage.outbox.calls["send"], stage.timers.calls["advance"]) == (1, 1, 1)


def test_pages_are_read_to_the_end() -> None:
    stage = Stage("09:00", page_size=2)
    fill(stage, per_shard=5)
    assert stage.tick().timers == 5 * SHARDS


def test_a_shard_that_does_not_answer_delays_no_other(stage: Stage) -> None:
    jobs = fill(stage)
    stage.timers.fails("due")
    dispatched = stage.tick()
    assert dispatched.timers == len(jobs) - 1
    [problem] = dispatched.problems
    assert problem.endswith("due did not answer")
    assert problem.startswith("shard ")
    assert stage.tick().timers == 1, "its jobs are still due"


def test_a_tick_leaves_a_row_for_its_minute(stage: Stage) -> None:
    stage.at("09:07:59.900").tick()
    assert stage.state.ticks == {at("09:07")}


def test_a_tick_that_cannot_record_itself_still_dispatches(stage: Stage) -> None:
    fill(stage)
    stage.timers.fails("record_tick")
    dispatched = stage.tick()
    assert dispatched.problems == ["the record that this tick ran could not be written: record_tick did not answer"]
    assert dispatched.timers == SHARDS
