"""Timers follow a change of the number of shards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryShards, MemoryTimers
from minutehand.adapters.memory.shards import indexed, job_of
from minutehand.adapters.sharding import shard_of
from minutehand.domain.actor import Actor
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Deadline
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.shards import MOST_SHARDS, Layout
from minutehand.usecases.upkeep.reshard import AT_MOST, EMPTY_FOR, PAUSE_PER_MOVE, Resharding
from minutehand.usecases.upkeep.rests import REST
from minutehand.usecases.upkeep.shards import ReshardingState, ShardsToRead, shard_status
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY
from tests.unit.domain.examples import at
from tests.unit.usecases.stage import SHARDS, Port, Stage

PAGE = 3
JOBS = 20
MINUTE = timedelta(minutes=1)
PLENTY = timedelta(minutes=5)


@dataclass
class Index:
    """The index of a stage, and the process of a sweep that looks after it."""

    stage: Stage
    port: Port
    waited: list[timedelta] = field(default_factory=list)
    process: Resharding | None = None

    def deploy(self, shards: int) -> None:
        """The sweep's process ends, and one with another number begins; a tick has made that number known."""
        self.known(shards)
        self.restart(shards)

    def known(self, shards: int) -> None:
        ShardsToRead(self.port, shards).at(self.stage.now)

    def restart(self, shards: int) -> None:
        """The sweep's process ends, and one begins."""
        self.process = Resharding(self.port, over=shards, clock=lambda: self.stage.now, wait=self.waited.append)

    def sweep(self, time_left: Callable[[], timedelta] = lambda: PLENTY) -> int:
        assert self.process is not None
        return self.process.go_on(time_left).moved

    @property
    def layout(self) -> Layout:
        layout: Layout = self.port.layout()
        return layout

    def timers(self) -> list[Any]:
        return sorted(map(str, (timer for _, _, timer in indexed(self.stage.state, SHARDS))))

    def by_shard(self) -> Counter[int]:
        return Counter(shard for _, shard, _ in indexed(self.stage.state, SHARDS))

    def all_are_home(self, shards: int) -> bool:
        return all(shard == shard_of(job_of(timer), shards) for _, shard, timer in indexed(self.stage.state, SHARDS))


@pytest.fixture
def index() -> Index:
    """Jobs with timers and, for some, a deadline, spread over `SHARDS` shards, which timers have been moved for."""
    stage = Stage()
    for number in range(JOBS):
        key = JobKey(namespace="team", name=f"job-{number}")
        stage.save(key=key, schedule="0 12 * * *")
        if number % 3 == 0:
            run = RunKey.scheduled(key, at("10:00"))
            stage.timers.remind(Deadline(run=run, next_at=at("11:00") + number * MINUTE))
    index = Index(stage, Port(MemoryShards(stage.state, shards=SHARDS, page_size=PAGE)))
    index.deploy(SHARDS)
    assert index.sweep() == 0
    return index


def test_after_a_raise_every_timer_is_moved_to_the_shard_that_the_new_number_gives_it(index: Index) -> None:
    before = index.timers()
    index.deploy(2 * SHARDS)
    assert index.sweep() > 0
    assert index.all_are_home(2 * SHARDS)
    assert index.timers() == before, "and nothing else of a timer is changed"
    assert shard_status(index.layout, 2 * SHARDS).state is ReshardingState.SETTLED
    assert index.sweep() == 0


def test_no_timer_is_moved_to_a_shard_that_no_tick_is_known_to_read(index: Index) -> None:
    index.restart(2 * SHARDS)
    assert index.sweep() == 0
    assert max(index.by_shard()) < SHARDS
    index.known(2 * SHARDS)
    assert index.sweep() > 0


def test_before_the_first_tick_nothing_is_moved() -> None:
    stage = Stage()
    stage.save()
    index = Index(stage, Port(MemoryShards(stage.state)))
    index.restart(1)
    assert index.sweep() == 0
    assert index.port.calls["page"] == 0


def test_after_a_lowering_the_shards_that_are_no_more_are_emptied_first_and_all_timers_are_at_home(
    index: Index,
) -> None:
    before = index.timers()
    index.deploy(3)
    seen: list[int] = []
    index.port.refuses("page", lambda shard, _cursor: bool(seen.append(shard)))
    assert index.sweep() > 0
    assert [shard for shard in dict.fromkeys(seen) if shard < SHARDS] == [3, 2, 1, 0]
    assert index.all_are_home(3)
    assert index.timers() == before


def test_shards_that_are_no_more_are_read_until_they_have_been_empty_for_an_hour(index: Index) -> None:
    index.deploy(1)
    index.sweep()
    start = index.stage.now
    index.stage.now += 2 * MINUTE
    index.sweep()
    assert index.layout.empty_since == index.stage.now
    index.stage.now += EMPTY_FOR - MINUTE
    index.sweep()
    assert index.layout.spread == SHARDS
    index.stage.now += MINUTE
    index.sweep()
    assert index.stage.now - start > EMPTY_FOR
    assert index.layout.spread == 1
    assert shard_status(index.layout, 1).state is ReshardingState.SETTLED


def test_late_writes_of_an_old_process_are_moved_and_restart_the_hour(index: Index) -> None:
    index.deploy(1)
    index.sweep()
    index.sweep()
    assert index.layout.empty_since == index.stage.now
    index.stage.now += EMPTY_FOR
    late = Deadline(run=RunKey.scheduled(JobKey(namespace="team", name="job-1"), at("10:00")), next_at=at("11:00"))
    MemoryTimers(index.stage.state, shards=SHARDS).remind(late)
    assert max(index.by_shard()) > 0
    assert index.sweep() == 1
    assert index.layout.empty_since is None
    assert max(index.by_shard()) == 0
    index.sweep()
    assert index.layout.spread == SHARDS, "and it is read for another hour"
    assert index.layout.empty_since == index.stage.now


def test_shards_of_a_raise_that_is_rolled_back_are_read_for_an_hour_too(index: Index) -> None:
    index.deploy(1)
    index.sweep()
    index.sweep()
    assert index.layout.empty_since == index.stage.now
    index.stage.now += EMPTY_FOR
    index.known(3 * SHARDS)
    index.sweep()
    assert index.layout.spread == 3 * SHARDS
    assert index.layout.empty_since == index.stage.now


def test_a_number_that_is_raised_again_before_all_is_done_strands_nothing(index: Index) -> None:
    before = index.timers()
    index.deploy(1)
    index.sweep()
    index.sweep()
    index.deploy(2 * SHARDS)
    index.sweep()
    assert index.layout.empty_since is None
    assert index.layout.spread == 2 * SHARDS
    assert index.all_are_home(2 * SHARDS)
    assert index.timers() == before


def test_a_tick_that_reads_more_shards_is_not_contradicted_by_a_sweep_that_would_have_fewer_read(index: Index) -> None:
    index.deploy(1)
    index.sweep()
    index.sweep()
    index.stage.now += EMPTY_FOR
    index.port.before("record", lambda: index.known(3 * SHARDS))
    index.sweep()
    assert index.layout.spread == 3 * SHARDS


def ways(*minutes: float) -> Callable[[], timedelta]:
    left = iter(minutes)
    return lambda: timedelta(minutes=next(left))


def test_moves_stop_in_time_and_the_next_sweep_continues_there(index: Index) -> None:
    index.deploy(3 * SHARDS)
    strays = MOST_SHARDS - 3 * SHARDS
    first = index.sweep(ways(5, *[5] * strays, *[5] * (2 * SHARDS + 2), *[1] * 9))
    assert first > 0
    layout = index.layout
    assert layout.shard is not None
    assert layout.shard < 3 * SHARDS - 1
    pages: list[int] = []
    index.port.refuses("page", lambda shard, _cursor: bool(pages.append(shard)))
    assert index.sweep() > 0
    assert max(shard for shard in pages if shard < 3 * SHARDS) == layout.shard
    assert index.all_are_home(3 * SHARDS)


def test_a_sweep_moves_timers_no_longer_than_until_the_next_one(index: Index) -> None:
    assert AT_MOST < SWEEP_EVERY
    index.deploy(2 * SHARDS)
    late = (PLENTY - AT_MOST).total_seconds() / 60 - 0.01
    assert index.sweep(ways(5, *[late] * 500)) == 0


def test_moving_leaves_the_index_room_for_ticks(index: Index) -> None:
    index.deploy(2 * SHARDS)
    moved = index.sweep()
    assert sum(index.waited, timedelta(0)) == moved * PAUSE_PER_MOVE


def test_an_idle_sweep_reads_the_layout_and_one_shard(index: Index) -> None:
    index.port.calls.clear()
    shards: list[int] = []
    index.port.refuses("page", lambda shard, _cursor: bool(shards.append(shard)))
    for _ in range(MOST_SHARDS - SHARDS):
        index.stage.now += REST
        index.sweep()
    assert index.port.calls == {"layout": MOST_SHARDS - SHARDS, "page": MOST_SHARDS - SHARDS}
    assert sorted(shards) == list(range(SHARDS, MOST_SHARDS)), "in turn"


def test_with_the_maximum_of_shards_no_other_shard_is_read(index: Index) -> None:
    index.deploy(MOST_SHARDS)
    index.sweep()
    index.port.calls.clear()
    index.sweep()
    assert index.port.calls == {"layout": 1}


def test_timers_in_unread_shards_are_found_by_the_first_sweep_of_a_process(index: Index) -> None:
    """As when a raise is rolled back after the API has written by it, and before any tick knew of it."""
    before = index.timers()
    for key in index.stage.state.places:
        index.stage.state.places[key] = MOST_SHARDS - 1
    index.restart(SHARDS)
    assert index.sweep() == len(before)
    assert index.all_are_home(SHARDS)
    assert index.timers() == before


def test_strays_that_the_first_sweep_has_no_time_for_are_found_by_the_second(index: Index) -> None:
    for key in index.stage.state.places:
        index.stage.state.places[key] = MOST_SHARDS - 1
    index.restart(SHARDS)
    assert index.sweep(lambda: timedelta(seconds=9)) == 0
    assert index.sweep() == len(index.stage.state.places)
    assert index.all_are_home(SHARDS)
    index.port.calls.clear()
    index.sweep()
    assert index.port.calls["page"] == 1, "and from then on each has its turn"


def test_a_failed_move_is_repeated_by_the_next_sweep(index: Index) -> None:
    index.deploy(2 * SHARDS)
    index.port.fails("move", times=1, after_effect=True)
    with pytest.raises(Unavailable):
        index.sweep()
    index.port.fails("move", times=1)
    with pytest.raises(Unavailable):
        index.sweep()
    index.sweep()
    assert index.all_are_home(2 * SHARDS)


def test_of_two_concurrent_sweeps_one_continues(index: Index) -> None:
    before = index.timers()
    index.deploy(2 * SHARDS)
    other = Resharding(index.port, over=2 * SHARDS, clock=lambda: index.stage.now, wait=lambda _pause: None)
    index.port.before("record", lambda: other.go_on(lambda: PLENTY))
    index.sweep()
    assert index.all_are_home(2 * SHARDS)
    assert index.timers() == before
    assert shard_status(index.layout, 2 * SHARDS).state is ReshardingState.SETTLED


KEY = JobKey(namespace="team", name="job-0")


def delete_it(stage: Stage) -> None:
    manage.delete(stage.ports, KEY, who=Actor("ada"))


def pause_it(stage: Stage) -> None:
    manage.pause(stage.ports, KEY, who=Actor("ada"))


def edit_it(stage: Stage) -> None:
    stage.save(key=KEY, schedule="30 11 * * *")


def settle_it(stage: Stage) -> None:
    for deadline in list(stage.state.deadlines.values()):
        stage.timers.settle(deadline)


def tick_at_noon(stage: Stage) -> None:
    stage.now = at("12:00")
    stage.tick()


@pytest.mark.parametrize("act", [delete_it, pause_it, edit_it, settle_it, tick_at_noon], ids=lambda act: act.__name__)
@pytest.mark.parametrize("page", range(8))
@pytest.mark.thorough
def test_changes_between_the_read_and_the_move_are_kept(index: Index, act: Callable[[Stage], None], page: int) -> None:
    alone = Stage()
    alone.state.definitions.update(index.stage.state.definitions)
    alone.state.timers.update(index.stage.state.timers)
    alone.state.deadlines.update(index.stage.state.deadlines)
    act(alone)
    index.deploy(1)
    index.port.before("move", *[lambda: None] * page, lambda: act(index.stage))
    index.sweep()
    index.sweep()
    assert index.stage.state.timers == alone.state.timers, "as if nobody had moved anything"
    assert index.stage.state.deadlines == alone.state.deadlines
    assert index.stage.state.runs.keys() == alone.state.runs.keys()
