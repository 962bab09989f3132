"""The simulation itself is tested: each rule of packed timers, broken on purpose, must be noticed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain, pairwise
from random import Random
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryDefinitions, MemoryState, MemoryTimers
from minutehand.adapters.memory import runs as memory_runs
from minutehand.adapters.memory import timers as memory_timers
from minutehand.adapters.memory.shards import own_timers, packed_in
from minutehand.adapters.sharding import BUCKETS, bucket_of
from minutehand.domain.job_key import JobKey
from minutehand.domain.planning import Plan
from minutehand.domain.timer import Due, Timer
from minutehand.usecases.dispatching import claim, due_plans
from minutehand.usecases.dispatching import tick as ticking
from minutehand.usecases.dispatching.due_plans import SET_ASIDE
from minutehand.usecases.dispatching.tick import RESERVE, Parts, tick
from minutehand.usecases.ports.job_change import Change
from minutehand.usecases.ports.stores import Move
from tests.simulation.mutations import Mutation, Patch, assert_noticed
from tests.simulation.observed import SKEW
from tests.simulation.scenario import LOOK_AHEAD, Scenario
from tests.unit.domain.examples import timer
from tests.unit.usecases.stage import SHARDS, Stage, after_opening


def a_writer_that_takes_another_place(patch: Patch) -> None:
    right = claim.move_of

    def move_of(planned: Plan, *known: Any) -> Move:
        return right(planned, *known)._replace(packed=False)

    patch.setattr(claim, "move_of", move_of)


def a_writer_that_makes_a_timer_at_its_old_place(patch: Patch) -> None:
    """As an update without a condition does, if the timer was moved since it was read."""
    right = memory_timers.advance

    def advance(state: MemoryState, move: Move) -> bool:
        found = own_timers(state, move.job)
        if found and move.packed and not any(each.packed for each in found):
            state.strays[bucket_of(move.job), move.job] = replace(found[0], packed=True, next_at=move.new)
            return True
        return right(state, move)

    for module in (memory_timers, memory_runs):
        patch.setattr(module, "advance", advance)


def a_move_that_leaves_the_timer_at_its_old_place(patch: Patch) -> None:
    """As two writes instead of one transaction may do."""
    right = MemoryDefinitions.save

    def save(self: MemoryDefinitions, change: Change) -> bool:
        saved, before, after = right(self, change), change.timer_before, change.timer_after
        if saved and before is not None and after is not None and before.packed and not after.packed:
            self._state.strays[bucket_of(before.job), before.job] = before
        return saved

    patch.setattr(MemoryDefinitions, "save", save)


def a_tick_that_forgets_a_bucket(patch: Patch) -> None:
    """After a read that failed, as if its timers had been deleted."""
    right = ticking._Part.open
    unread: set[int] = set()

    def opened(self: ticking._Part) -> ticking._Part:
        if self.packed and self.number in unread:
            return self
        right(self)
        if self.packed and self.problem:
            unread.add(self.number)
        return self

    patch.setattr(ticking._Part, "open", opened)


@pytest.mark.parametrize(
    "mutation",
    [
        a_writer_that_takes_another_place,
        a_writer_that_makes_a_timer_at_its_old_place,
        a_move_that_leaves_the_timer_at_its_old_place,
        a_tick_that_forgets_a_bucket,
    ],
    ids=lambda mutation: mutation.__name__,
)
def test_the_checker_notices(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch, histories=300)


# timers that cannot be planned


def set_aside_too_often(seed: int, patch: Patch) -> list[str]:
    """Timers that were set aside again before they were due, in a history in which one job cannot be planned."""
    right = due_plans.plan

    def plan(timer: Timer, **known: Any) -> Plan:
        if timer.job.name == "job-0":
            raise ValueError("out of its mind")
        return right(timer, **known)

    patch.setattr(due_plans, "plan", plan)
    scenario = Scenario(seed)
    scenario.play()
    aside = [each for each in scenario.history.passed if str(each.range.policy).startswith("timer set aside")]
    return [
        f"{two.range.job} was set aside at {one.clock} and at {two.clock}"
        for one, two in pairwise(aside)
        if one.revision == two.revision and two.clock - one.clock < SET_ASIDE - LOOK_AHEAD - 2 * SKEW
    ]


def a_plan_of_what_is_not_due(patch: Patch) -> None:
    def due_packed(self: MemoryTimers, bucket: int, _until: datetime) -> Iterator[Sequence[Due]]:
        yield [each for each in packed_in(self._state, bucket) if each.next_at is not None]

    patch.setattr(MemoryTimers, "due_packed", due_packed)


def test_a_timer_that_cannot_be_planned_is_set_aside_once_until_it_is_due(monkeypatch: Patch) -> None:
    assert [problem for seed in range(20) for problem in set_aside_too_often(seed, monkeypatch)] == []


def test_a_plan_of_what_is_not_due_is_noticed(monkeypatch: Patch) -> None:
    a_plan_of_what_is_not_due(monkeypatch)
    assert any(set_aside_too_often(seed, monkeypatch) for seed in range(20))


# ticks that run out of time


def starved(seed: int) -> set[JobKey]:
    """Jobs that never run in two hours of ticks too short for all that is due in a minute; half of their timers are packed."""
    random, stage = Random(seed), Stage("09:00")
    jobs = [JobKey("sim", f"job-{number}") for number in range(30)]
    for number, job in enumerate(jobs):
        stage.put(timer("09:00", "* * * * *", job=job, packed=number % 2 == 0))
    for minute in range(120):
        stage.now += timedelta(minutes=1 if minute else 0)
        groups = after_opening(stage, [RESERVE] * random.randint(6, 12))
        left = lambda groups=groups: next(groups, timedelta(0))  # noqa: E731 - asked once for each step of a group
        tick(stage.ports, parts=Parts(range(SHARDS), range(BUCKETS)), time_left=left)
    return set(jobs) - {run.job for run in stage.state.runs}


def _in_order(*, packed_first: bool) -> Mutation:
    def mutation(patch: Patch) -> None:
        right = ticking._open

        def opened(*known: Any) -> list[ticking._Part]:
            return sorted(right(*known), key=lambda part: (part.packed != packed_first, part.number))

        def one_after_another(given: Iterable[Iterable[Any]]) -> Iterator[Any]:
            return chain.from_iterable(given)

        patch.setattr(ticking, "_open", opened)
        patch.setattr(ticking, "_round_robin", one_after_another)

    return mutation


packed_timers_that_come_first = _in_order(packed_first=True)
packed_timers_that_come_last = _in_order(packed_first=False)


@pytest.fixture
def _short_ticks(monkeypatch: Patch) -> None:
    monkeypatch.setattr(ticking, "group_size", lambda _: 2)


@pytest.mark.usefixtures("_short_ticks")
def test_short_ticks_starve_no_timer() -> None:
    assert [starved(seed) for seed in range(5)] == [set()] * 5


@pytest.mark.usefixtures("_short_ticks")
@pytest.mark.parametrize("mutation", [packed_timers_that_come_first, packed_timers_that_come_last])
def test_an_order_that_starves_timers_is_noticed(mutation: Mutation, monkeypatch: Patch) -> None:
    mutation(monkeypatch)
    assert all(starved(seed) for seed in range(5))
