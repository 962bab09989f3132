"""Contract of stores of shards of the due index."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from minutehand.adapters.sharding import shard_of
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import BrokenTimer, Deadline, SkippedRange, SkipPolicy
from minutehand.usecases.ports.shards import Layout, Place
from minutehand.usecases.ports.stores import Move
from minutehand.usecases.upkeep.reshard import Resharding
from minutehand.usecases.upkeep.shards import shard_status
from tests.contract.examples import HOUR, MINUTE, NINE, SECOND, creation, deletion, edit, recheck_of, timer_of
from tests.contract.stores import Stores
from tests.contract.together import together

pytestmark = pytest.mark.usefixtures("due_at_nine")

OVER = 200
"""A number of shards under which nearly every timer has another shard than under eight."""


def away(job: JobKey) -> int:
    """A number of shards under which a job has another shard than under eight."""
    return next(over for over in range(OVER, 256) if shard_of(job, over) != shard_of(job, 8))


def places(stores: Stores, job: JobKey, shard: int) -> list[Place]:
    """The places of a job's timers in a shard."""
    return [place for place in _all(stores, shard) if place.job == str(job)]


def _all(stores: Stores, shard: int) -> Iterator[Place]:
    cursor = None
    while True:
        page = stores.shards.page(shard, cursor)
        yield from page.items
        cursor = page.next
        if cursor is None:
            return


def here(stores: Stores, job: JobKey) -> list[Place]:
    """The places of a job's timers in their first shard."""
    return places(stores, job, shard_of(job, 8))


def due(stores: Stores, job: JobKey, shard: int):
    found = [timer for page in stores.timers.due(shard, NINE + 10 * HOUR) for timer in page]
    return [timer for timer in found if (timer.run.job if isinstance(timer, Deadline) else timer.job) == job]


def remind(stores: Stores, job: JobKey, count: int) -> list[Deadline]:
    deadlines = [Deadline(RunKey.scheduled(job, NINE + n * MINUTE), NINE + (n % 4) * SECOND) for n in range(count)]
    for deadline in deadlines:
        stores.timers.remind(deadline)
    return deadlines


def test_a_timer_is_moved_whole(stores, job):
    [place] = here(stores, job)
    assert (place.job, place.shard, place.next_at) == (str(job), shard_of(job, 8), "2026-11-20T09:00:00Z")
    assert stores.shards.move([place], away(job)) == 1
    assert stores.due(job, NINE) == []
    assert due(stores, job, shard_of(job, away(job))) == [timer_of(job)]
    assert stores.timers.get(job) == timer_of(job)


def test_every_kind_of_timer_is_found_in_pages_earliest_first_and_moved(stores, job):
    deadlines = remind(stores, job, 7)
    recheck = recheck_of(job)
    skipped = SkippedRange(job=job, first=NINE, until=NINE + HOUR, policy=SkipPolicy.of("catch_up=skip"))
    assert stores.timers.skip(skipped, Move(job=job, revision=1, old=NINE, new=NINE + HOUR), recheck)
    found = here(stores, job)
    assert len(found) == len(deadlines) + 2
    assert [place.next_at for place in found] == sorted(place.next_at for place in found)
    assert stores.shards.move(found, away(job)) == len(found)
    assert here(stores, job) == []
    moved = due(stores, job, shard_of(job, away(job)))
    assert sorted(map(str, moved)) == sorted(map(str, [timer_of(job, next_at=NINE + HOUR), recheck, *deadlines]))


def test_a_cursor_stays_valid_after_its_timer_has_moved(stores, job):
    remind(stores, job, 8)
    shard = shard_of(job, 8)
    found, cursor = [], None
    while True:
        page = stores.shards.page(shard, cursor)
        found += [place for place in page.items if place.job == str(job)]
        stores.shards.move([place for place in page.items if place.job == str(job)], away(job))
        cursor = page.next
        if cursor is None:
            break
    assert len(found) == len({place.key for place in found}) == 9
    assert here(stores, job) == []
    assert len(due(stores, job, shard_of(job, away(job)))) == 9


def test_a_timer_in_its_own_shard_is_not_moved(stores, job):
    assert stores.shards.move(here(stores, job), 8) == 0
    assert stores.due(job, NINE) == [timer_of(job)]


def test_moving_again_changes_nothing(stores, job):
    before = here(stores, job)
    assert stores.shards.move(before, away(job)) == 1
    assert stores.shards.move(before, away(job)) == 0
    assert stores.shards.move(before, away(job) + 1) == 0, "it does not stand where it was read any more"
    assert due(stores, job, shard_of(job, away(job))) == [timer_of(job)]


def test_a_timer_that_was_advanced_meanwhile_stays_where_it_is(stores, job):
    before = here(stores, job)
    stores.timers.advance([Move(job=job, revision=1, old=NINE, new=NINE + HOUR)])
    assert stores.shards.move(before, away(job)) == 0
    assert stores.due(job, NINE + HOUR) == [timer_of(job, next_at=NINE + HOUR)]
    assert stores.shards.move(here(stores, job), away(job)) == 1


def test_a_timer_in_any_shard_is_advanced_armed_and_removed_from_the_index(stores, job):
    stores.shards.move(here(stores, job), away(job))
    shard = shard_of(job, away(job))
    stores.timers.advance([Move(job=job, revision=1, old=NINE, new=NINE + HOUR)])
    assert due(stores, job, shard) == [timer_of(job, next_at=NINE + HOUR)]
    stores.timers.advance([Move(job=job, revision=1, old=NINE + HOUR, new=None)])
    assert due(stores, job, shard) == []
    assert here(stores, job) == []


def test_moving_does_not_restore_a_finished_or_deleted_timer(stores, job, jobs):
    [ended, deleted] = jobs(2)
    for key in (ended, deleted):
        assert stores.definitions.save(creation(key))
    before = [*here(stores, ended), *here(stores, deleted)]
    stores.timers.advance([Move(job=ended, revision=1, old=NINE, new=None)])
    assert stores.definitions.save(deletion(deleted))
    assert [stores.shards.move([place], away(key)) for place, key in zip(before, (ended, deleted), strict=True)] == [
        0,
        0,
    ]
    for key in (ended, deleted):
        assert due(stores, key, shard_of(key, away(key))) == here(stores, key) == []
    assert stores.timers.get(ended) == timer_of(ended, next_at=None)
    assert stores.timers.get(deleted) is None


def test_moving_does_not_restore_a_settled_deadline(stores, job):
    [deadline] = remind(stores, job, 1)
    before = here(stores, job)
    stores.timers.settle(deadline)
    assert stores.shards.move(before, away(job)) == 1, "the job's own timer"
    assert due(stores, job, shard_of(job, away(job))) == [timer_of(job)]


def test_a_deadline_in_any_shard_is_settled(stores, job):
    [deadline] = remind(stores, job, 1)
    stores.shards.move(here(stores, job), away(job))
    stores.timers.settle(deadline)
    assert due(stores, job, shard_of(job, away(job))) == [timer_of(job)]


def test_an_edit_stores_the_timer_in_the_shard_of_its_own_setting(stores, job):
    stores.shards.move(here(stores, job), away(job))
    assert stores.definitions.save(edit(job))
    assert stores.due(job, NINE + HOUR) == [timer_of(job, revision=2, next_at=NINE + HOUR)]
    assert due(stores, job, shard_of(job, away(job))) == []


def test_an_unreadable_timer_is_moved_too(stores, job):
    stores.damage(job)
    assert stores.shards.move(here(stores, job), away(job)) == 1
    [broken] = due(stores, job, shard_of(job, away(job)))
    assert isinstance(broken, BrokenTimer)
    assert broken.next_at == NINE


def test_a_concurrent_move_and_advance_neither_lose_nor_duplicate_timers(stores, jobs):
    wanted = jobs(12)
    for key in wanted:
        assert stores.definitions.save(creation(key))
    before = [place for key in wanted for place in here(stores, key)]
    moves = [Move(job=key, revision=1, old=NINE, new=NINE + HOUR) for key in wanted]
    acts = (lambda: stores.shards.move(before, OVER), lambda: stores.timers.advance(moves))
    together(lambda turn: acts[turn](), times=2)
    for key in wanted:
        both = {shard_of(key, 8), shard_of(key, OVER)}
        found = [timer for shard in both for timer in due(stores, key, shard)]
        assert found == [timer_of(key, next_at=NINE + HOUR)]


def test_a_sweep_moves_every_timer_to_its_shard_of_a_new_number_and_back(stores, jobs):
    wanted = [key for key in jobs(30) if shard_of(key, 8) != shard_of(key, 12)]
    for key in wanted:
        assert stores.definitions.save(creation(key))
    for over in (12, 8):
        stores.shards.widen(12)
        resharding = Resharding(stores.shards, over=over, clock=lambda: NINE, wait=lambda _pause: None)
        assert resharding.go_on(lambda: HOUR).moved >= len(wanted)
        assert shard_status(stores.shards.layout(), over).left == 0
        for key in wanted:
            assert due(stores, key, shard_of(key, over)) == [timer_of(key)]


def test_an_empty_shard_is_one_empty_page(stores):
    assert stores.shards.page(255, None) == ((), None)


def test_widening_never_narrows_a_layout(stores):
    before = stores.shards.layout()
    least = before.spread if before else 0
    stores.shards.widen(least + 8)
    stores.shards.widen(least + 5)
    assert stores.shards.layout().spread == least + 8


def test_a_layout_is_read_as_recorded_and_only_the_next_version_is_accepted(stores):
    stores.shards.widen(8)
    layout = stores.shards.layout()
    for fields in (
        {"over": 16, "shard": 15, "cursor": "c", "empty_since": None},
        {"over": 16, "shard": None, "cursor": None, "empty_since": NINE + timedelta(milliseconds=250)},
        {"over": 16, "shard": 0, "cursor": None, "empty_since": None},
    ):
        layout = layout._replace(**fields, version=layout.version + 1)
        assert stores.shards.record(layout)
        assert stores.shards.layout() == layout
    assert not stores.shards.record(layout)
    layout = layout._replace(empty_since=NINE, version=layout.version + 1)
    assert stores.shards.record(layout)
    stores.shards.widen(layout.spread + 1)
    assert stores.shards.layout().empty_since is None, "nobody has found the new shard empty"
    assert not stores.shards.record(layout._replace(spread=1, version=layout.version + 1))
    assert stores.shards.layout().spread == layout.spread + 1


def test_a_new_layout_says_that_no_timer_was_moved(stores):
    if stores.shards.layout() is None:
        stores.shards.widen(8)
        assert stores.shards.layout() == Layout(8)
