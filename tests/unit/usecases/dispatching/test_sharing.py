"""Busy shards and buckets are shared among several invocations of the tick."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.adapters.sharding import bucket_of, shard_of
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.usecases.dispatching.claim import DispatchReport
from minutehand.usecases.dispatching.tick import HAND_OVER_LIMIT, HandOver, Parts, share, tick
from tests.unit.domain.examples import timer
from tests.unit.usecases.stage import PARTS, SHARDS, Stage

PAGE = 2


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00", page_size=PAGE)


def fill(stage: Stage, **jobs_by_shard: int) -> None:
    """So many jobs due at nine in the shards named, such as `s0=3`."""
    left = {int(name[1:]): number for name, number in jobs_by_shard.items()}
    number = 0
    while any(left.values()):
        key = JobKey(namespace="shop", name=f"job-{number}")
        if left.get(shard_of(key, SHARDS), 0):
            left[shard_of(key, SHARDS)] -= 1
            stage.put(timer("09:00", "0 9 * * *", job=key))
        number += 1


def ticking(stage: Stage, most: int, hand_over: HandOver) -> DispatchReport:
    return tick(stage.ports, parts=PARTS, time_left=lambda: timedelta(minutes=1), most=most, hand_over=hand_over)


def shards_of_runs(stage: Stage) -> set[int]:
    return {shard_of(key.job, SHARDS) for key in stage.state.runs}


def test_busy_shards_are_shared_and_the_first_of_them_and_all_others_kept(stage: Stage) -> None:
    fill(stage, s0=PAGE, s1=PAGE + 1, s2=PAGE + 1, s3=PAGE + 1)
    handed: list[Parts] = []
    dispatched = ticking(stage, 4, handed.append)
    assert handed == [Parts([2], []), Parts([3], [])]
    assert shards_of_runs(stage) == {0, 1}
    assert (dispatched.handed_over, dispatched.timers, dispatched.problems) == (2, 2 * PAGE + 1, [])


def test_among_few_invocations_each_has_several_shards(stage: Stage) -> None:
    fill(stage, s0=PAGE + 1, s1=PAGE + 1, s2=PAGE + 1, s3=PAGE + 1)
    handed: list[Parts] = []
    ticking(stage, 2, handed.append)
    assert handed == [Parts([1, 3], [])]
    assert shards_of_runs(stage) == {0, 2}


@pytest.mark.parametrize("most", [1, 4])
def test_a_single_busy_shard_is_not_handed_over(stage: Stage, most: int) -> None:
    fill(stage, s1=5 * PAGE)
    handed: list[Parts] = []
    assert ticking(stage, most, handed.append).sent == 5 * PAGE
    assert handed == []


def test_with_one_invocation_no_shard_is_handed_over(stage: Stage) -> None:
    fill(stage, s0=PAGE + 1, s1=PAGE + 1)
    handed: list[Parts] = []
    assert ticking(stage, 1, handed.append).sent == 2 * PAGE + 2
    assert handed == []


class Nobody:
    """Takes only the shards that a test names."""

    def __init__(self, *takes: int) -> None:
        self._takes = takes
        self.asked: list[Parts] = []

    def __call__(self, parts: Parts) -> None:
        self.asked.append(parts)
        if not set(parts.shards) <= set(self._takes):
            raise Unavailable(f"{parts} are refused")


def test_shards_that_cannot_be_handed_over_are_dispatched_here_and_reported(stage: Stage) -> None:
    fill(stage, s0=PAGE + 1, s1=PAGE + 1, s2=PAGE + 1)
    dispatched = ticking(stage, 4, Nobody(1))
    assert shards_of_runs(stage) == {0, 2}
    assert (dispatched.handed_over, dispatched.problems) == (1, ["shards 2 are refused"])


def test_after_a_failed_hand_over_the_tick_does_not_try_further_ones(stage: Stage) -> None:
    fill(stage, s0=PAGE + 1, s1=PAGE + 1, s2=PAGE + 1, s3=PAGE + 1)
    nobody = Nobody()
    dispatched = ticking(stage, 4, nobody)
    assert nobody.asked == [Parts([1], [])]
    assert (shards_of_runs(stage), dispatched.handed_over) == ({0, 1, 2, 3}, 0)


def test_a_share_dispatches_its_shards_and_leaves_no_row_of_a_tick(stage: Stage) -> None:
    fill(stage, s0=PAGE + 1, s1=PAGE + 1)
    dispatched = share(stage.ports, parts=Parts([1]), time_left=lambda: timedelta(minutes=1))
    assert shards_of_runs(stage) == {1}
    assert dispatched.sent == PAGE + 1
    assert stage.timers.calls["record_tick"] == 0


def test_a_share_that_is_never_dispatched_is_left_to_the_next_tick(stage: Stage) -> None:
    fill(stage, s0=PAGE + 1, s1=PAGE + 1)
    ticking(stage, 2, lambda _: None)
    assert shards_of_runs(stage) == {0}
    stage.tick()
    assert shards_of_runs(stage) == {0, 1}


def test_handing_over_leaves_the_tick_time_for_its_own(stage: Stage) -> None:
    """A call that is slow is not refused; waiting for one after the other, a tick would be left with nothing done of what nobody else does."""
    fill(stage, s0=PAGE, s1=PAGE + 1, s2=PAGE + 1, s3=PAGE + 1)
    left = [minute := timedelta(minutes=1)]

    def slow(_parts: Parts) -> None:
        left[0] -= HAND_OVER_LIMIT

    dispatched = tick(stage.ports, parts=PARTS, time_left=lambda: left[0], most=4, hand_over=slow)
    assert left[0] == minute - HAND_OVER_LIMIT
    assert (dispatched.handed_over, shards_of_runs(stage), dispatched.stopped_early) == (1, {0, 1, 3}, False)
    assert [problem for problem in dispatched.problems if "3" in problem]


def test_busy_buckets_are_shared_as_shards_are(stage: Stage) -> None:
    fill(stage, s0=PAGE, s1=PAGE + 1)
    packed = [JobKey(namespace="shop", name=f"packed-{number}") for number in range(200)]
    bucket = bucket_of(packed[0])
    for key in [key for key in packed if bucket_of(key) == bucket][: PAGE + 1]:
        stage.put(timer("09:00", "* * * * *", job=key, packed=True))
    handed: list[Parts] = []
    assert ticking(stage, 2, handed.append).handed_over == 1
    [parts] = handed
    assert parts in (Parts([1], []), Parts([], [bucket]))
    assert share(stage.ports, parts=parts, time_left=lambda: timedelta(minutes=1)).timers == PAGE + 1
    assert len({run.job for run in stage.state.runs}) == PAGE + 2 * (PAGE + 1)


def test_a_bucket_is_busy_by_what_is_due_in_it_not_by_what_it_holds(stage: Stage) -> None:
    fill(stage, s1=PAGE + 1)
    packed = [JobKey(namespace="shop", name=f"packed-{number}") for number in range(200)]
    for number, key in enumerate(packed):
        stage.put(timer("09:00" if not number else "09:30", "*/30 * * * *", job=key, packed=True))
    handed: list[Parts] = []
    assert ticking(stage, 2, handed.append).timers == PAGE + 2
    assert handed == []
