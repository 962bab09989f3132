"""What every store of timers promises."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.job import JobKey
from minutehand.domain.run import RunKey
from minutehand.domain.timer import BrokenTimer, Deadline, Recheck, SkippedRange, Timer
from minutehand.usecases.ports.stores import Move
from tests.contract.examples import (
    HOUR,
    MILLISECONDS,
    MINUTE,
    NINE,
    SECOND,
    creation,
    deletion,
    recheck_of,
    run_at,
    timer_of,
)
from tests.contract.stores import PAGE, Stores
from tests.contract.together import together


@pytest.fixture(autouse=True)
def _a_job_due_at_nine(stores: Stores, job: JobKey) -> None:
    assert stores.definitions.save(creation(job))


def to(job: JobKey, new, *, old=NINE, revision=1) -> Move:
    return Move(job=job, revision=revision, old=old, new=new)


def skip_an_hour(stores: Stores, job: JobKey, move: Move) -> bool:
    skipped = SkippedRange(job=job, first=NINE, until=NINE + HOUR, policy="catch_up=skip")
    return stores.timers.skip(skipped, move, recheck_of(job))


def test_a_timer_comes_back_as_it_was_stored(stores, job):
    assert stores.timers.get(job) == timer_of(job)
    assert stores.due(job, NINE) == [timer_of(job)]


def test_a_job_that_does_not_exist_has_no_timer(stores, namespace):
    assert stores.timers.get(JobKey(namespace=namespace, name="nobody")) is None


def test_a_timer_is_due_up_to_the_very_second(stores, job):
    assert stores.due(job, NINE - SECOND) == []
    assert stores.due(job, NINE + MILLISECONDS) == [timer_of(job)]


def test_a_timer_without_next_at_is_in_no_shard(stores, namespace):
    paused = JobKey(namespace=namespace, name="paused")
    assert stores.definitions.save(creation(paused, next_at=None))
    assert stores.due(paused, NINE + 1000 * HOUR) == []
    assert stores.timers.get(paused) == timer_of(paused, next_at=None)


def test_a_shard_gives_its_timers_page_by_page_the_earliest_first(stores, job):
    for number in range(2 * PAGE):
        recheck = Recheck(job=job, after=NINE, until=NINE + HOUR * (number + 1), next_at=NINE - number * MINUTE)
        skipped = SkippedRange(job=job, first=NINE + number * SECOND, until=NINE + (number + 1) * SECOND, policy="p")
        old, new = NINE + number * SECOND, NINE + (number + 1) * SECOND
        assert stores.timers.skip(skipped, to(job, new, old=old), recheck)
    found = [timer.next_at for timer in stores.due(job, NINE + HOUR)]
    assert found == sorted(found)
    assert len(found) == 2 * PAGE + 1


def test_every_job_is_in_one_of_the_shards(stores, jobs):
    wanted = jobs(20)
    for job in wanted:
        assert stores.definitions.save(creation(job))
    due = [timer for shard in range(8) for page in stores.timers.due(shard, NINE) for timer in page]
    found = [timer.job for timer in due if isinstance(timer, Timer)]
    assert sorted(job for job in found if job in wanted) == wanted


def test_an_advance_moves_a_timer(stores, job):
    stores.timers.advance([to(job, NINE + HOUR)])
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR)
    assert stores.due(job, NINE) == []
    assert stores.due(job, NINE + HOUR) == [timer_of(job, next_at=NINE + HOUR)]


def test_an_advance_to_the_end_of_the_schedule_takes_the_timer_out_of_the_index(stores, job):
    stores.timers.advance([to(job, None)])
    assert stores.timers.get(job) == timer_of(job, next_at=None)
    assert stores.due(job, NINE + 1000 * HOUR) == []


EAST = timedelta(hours=5, minutes=45)
LIMITED = {"offset": EAST, "runs_left": 7}


@pytest.fixture
def limited(stores, namespace):
    """A job whose timer knows its clocks' offset and how many runs are left."""
    key = JobKey(namespace=namespace, name="limited")
    assert stores.definitions.save(creation(key)._replace(timer_after=timer_of(key, **LIMITED)))
    return key


@pytest.mark.parametrize("offset", [-EAST, timedelta(0), EAST, None])
@pytest.mark.parametrize("runs_left", [0, 7, None])
def test_a_timer_s_offset_and_the_runs_that_are_left_come_back(stores, namespace, offset, runs_left):
    key = JobKey(namespace=namespace, name="limited")
    timer = timer_of(key, offset=offset, runs_left=runs_left)
    assert stores.definitions.save(creation(key)._replace(timer_after=timer))
    assert stores.timers.get(key) == timer
    assert stores.due(key, NINE) == [timer]


def test_an_advance_gives_a_timer_the_offset_of_where_it_goes_on_and_the_runs_that_are_left(stores, limited):
    stores.timers.advance([to(limited, NINE + HOUR)._replace(offset=-EAST, runs_left=5)])
    expected = timer_of(limited, next_at=NINE + HOUR, offset=-EAST, runs_left=5)
    assert (stores.timers.get(limited), stores.due(limited, NINE + HOUR)) == (expected, [expected])


def test_an_advance_after_the_last_run_takes_the_timer_out_of_the_index_with_none_left(stores, limited):
    stores.timers.advance([to(limited, None)._replace(runs_left=0)])
    assert stores.timers.get(limited) == timer_of(limited, next_at=None, offset=EAST, runs_left=0)
    assert stores.due(limited, NINE + 1000 * HOUR) == []


def test_an_advance_that_says_nothing_of_offset_and_runs_leaves_them(stores, limited):
    stores.timers.advance([to(limited, NINE + HOUR)])
    assert stores.timers.get(limited) == timer_of(limited, next_at=NINE + HOUR, **LIMITED)


def test_an_advance_that_moves_no_more_than_the_offset_is_made(stores, limited):
    stores.timers.advance([to(limited, NINE)._replace(offset=timedelta(0))])
    assert stores.timers.get(limited) == timer_of(limited, offset=timedelta(0), runs_left=7)


@pytest.mark.parametrize("stale", [{"old": NINE - HOUR}, {"revision": 2}], ids=["moved", "edited"])
def test_an_advance_from_a_stale_reading_takes_no_run_from_those_that_are_left(stores, limited, stale):
    stores.timers.advance([to(limited, NINE + HOUR, **stale)._replace(offset=-EAST, runs_left=5)])
    assert stores.timers.get(limited) == timer_of(limited, **LIMITED)


def test_a_skip_gives_a_timer_the_offset_of_where_it_goes_on_and_leaves_its_runs(stores, limited):
    assert skip_an_hour(stores, limited, to(limited, NINE + HOUR)._replace(offset=-EAST))
    assert stores.timers.get(limited) == timer_of(limited, next_at=NINE + HOUR, offset=-EAST, runs_left=7)


def test_a_skip_may_take_runs_from_those_that_are_left(stores, limited):
    assert skip_an_hour(stores, limited, to(limited, None)._replace(runs_left=3))
    assert stores.timers.get(limited) == timer_of(limited, next_at=None, offset=EAST, runs_left=3)


@pytest.mark.parametrize("new", [NINE + HOUR, None], ids=["on", "to the end"])
@pytest.mark.parametrize("given", [{"offset": -5 * HOUR}, {"runs_left": 0}, {"offset": HOUR, "runs_left": -2}])
def test_a_move_may_bring_another_offset_and_another_count_or_leave_them(stores, job, new, given):
    stores.timers.advance([to(job, NINE + MINUTE)._replace(offset=2 * HOUR, runs_left=7)])
    stood = {"offset": 2 * HOUR, "runs_left": 7}
    assert stores.timers.get(job) == replace(timer_of(job, next_at=NINE + MINUTE), **stood)
    stores.timers.advance([to(job, new, old=NINE + MINUTE)._replace(**given)])
    assert stores.timers.get(job) == replace(timer_of(job, next_at=new), **(stood | given))


@pytest.mark.parametrize("new", [NINE + HOUR, None], ids=["on", "to the end"])
@pytest.mark.parametrize("given", [{"offset": -5 * HOUR}, {"runs_left": 0}, {"offset": HOUR, "runs_left": -2}])
def test_so_may_a_skip(stores, job, new, given):
    assert skip_an_hour(stores, job, to(job, new)._replace(**given))
    assert stores.timers.get(job) == replace(timer_of(job, next_at=new), **given)


def test_a_repeated_advance_changes_nothing(stores, job):
    stores.timers.advance([to(job, NINE + HOUR)])
    stores.timers.advance([to(job, NINE + HOUR)])
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR)


def test_an_advance_from_a_stale_reading_changes_nothing(stores, job):
    stores.timers.advance([to(job, NINE + HOUR)])
    stores.timers.advance([to(job, NINE + MINUTE)])
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR)


def test_an_advance_under_another_revision_changes_nothing(stores, job):
    stores.timers.advance([to(job, NINE + HOUR, revision=2)])
    assert stores.timers.get(job) == timer_of(job)


def test_an_advance_never_brings_a_deleted_timer_back(stores, job):
    assert stores.definitions.save(deletion(job))
    stores.timers.advance([to(job, NINE + HOUR)])
    stores.timers.advance([to(job, None)])
    assert stores.timers.get(job) is None
    assert stores.due(job, NINE + HOUR) == []


def test_a_lost_move_does_not_keep_the_others_from_being_made(stores, job, jobs):
    wanted = jobs(60)
    for other in wanted:
        assert stores.definitions.save(creation(other))
    lost = to(job, NINE + HOUR, old=NINE - HOUR)
    moves = [to(other, NINE + HOUR) for other in wanted]
    stores.timers.advance([*moves[:30], lost, *moves[30:]])
    assert stores.timers.get(job) == timer_of(job)
    assert [stores.timers.get(other) for other in wanted] == [timer_of(o, next_at=NINE + HOUR) for o in wanted]


def test_two_moves_of_one_timer_are_made_one_after_the_other(stores, job):
    stores.timers.advance([to(job, NINE + MINUTE), to(job, NINE + HOUR, old=NINE + MINUTE)])
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR)


def test_a_skip_moves_the_timer_and_keeps_the_record_and_the_recheck(stores, job):
    assert skip_an_hour(stores, job, to(job, NINE + HOUR))
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR)
    assert stores.skipped(job) == [(NINE.isoformat(), (NINE + HOUR).isoformat(), "catch_up=skip")]
    assert stores.due(job, NINE + MINUTE) == [recheck_of(job)]


def test_a_skip_to_the_end_of_the_schedule_leaves_only_the_recheck_due(stores, job):
    assert skip_an_hour(stores, job, to(job, None))
    assert stores.due(job, NINE + HOUR) == [recheck_of(job)]


@pytest.mark.parametrize("stale", [{"old": NINE - HOUR}, {"revision": 2}], ids=["moved", "edited"])
def test_a_skip_of_a_timer_that_is_not_as_it_was_read_writes_nothing(stores, job, stale):
    assert not skip_an_hour(stores, job, to(job, NINE + HOUR, **stale))
    assert stores.timers.get(job) == timer_of(job)
    assert stores.skipped(job) == []
    assert stores.due(job, NINE + HOUR) == [timer_of(job)]


def test_a_skip_of_a_deleted_timer_writes_nothing(stores, job):
    assert stores.definitions.save(deletion(job))
    assert not skip_an_hour(stores, job, to(job, NINE + HOUR))
    assert (stores.timers.get(job), stores.skipped(job), stores.due(job, NINE + HOUR)) == (None, [], [])


def test_of_many_who_skip_at_once_one_does(stores, job):
    done = together(lambda _: skip_an_hour(stores, job, to(job, NINE + HOUR)))
    assert sorted(done) == [False] * 7 + [True]
    assert len(stores.skipped(job)) == 1


def test_a_recheck_is_due_until_it_is_settled(stores, job):
    assert skip_an_hour(stores, job, to(job, None))
    stores.timers.settle(recheck_of(job))
    stores.timers.settle(recheck_of(job))
    assert stores.due(job, NINE + HOUR) == []


def test_settling_a_stale_reading_leaves_a_recheck_that_was_stored_anew(stores, job):
    assert skip_an_hour(stores, job, to(job, NINE))
    later = recheck_of(job, next_at=NINE + 2 * MINUTE)
    assert stores.timers.skip(SkippedRange(job=job, first=NINE, until=NINE, policy="p"), to(job, None), later)
    stores.timers.settle(recheck_of(job))
    assert stores.due(job, NINE + HOUR) == [later]


def test_a_recheck_keeps_milliseconds_of_its_range_and_never_comes_early(stores, job):
    recheck = Recheck(job=job, after=NINE - MILLISECONDS, until=NINE + MILLISECONDS, next_at=NINE + MILLISECONDS)
    skipped = SkippedRange(job=job, first=NINE, until=NINE + HOUR, policy="p")
    assert stores.timers.skip(skipped, to(job, None), recheck)
    [found] = stores.due(job, NINE + HOUR)
    assert found == Recheck(job=job, after=recheck.after, until=recheck.until, next_at=NINE + SECOND)
    stores.timers.settle(recheck)
    assert stores.due(job, NINE + HOUR) == []


def test_a_deadline_is_due_until_it_is_settled(stores, job):
    run = run_at(job, key=RunKey.triggered(job, NINE, "abc"))
    deadline = Deadline(run=run.key, next_at=NINE - HOUR)
    stores.runs.trigger(run, "a key", deadline)
    assert stores.due(job, NINE - HOUR) == [deadline]
    stores.timers.settle(deadline)
    stores.timers.settle(deadline)
    assert stores.due(job, NINE - HOUR) == []


def test_a_reminder_is_due_until_it_is_settled_and_not_before(stores, job):
    deadline = Deadline(run=run_at(job).key, next_at=NINE - HOUR)
    stores.timers.remind(deadline)
    stores.timers.remind(deadline)
    assert stores.due(job, NINE - HOUR - SECOND) == []
    assert stores.due(job, NINE - HOUR) == [deadline]
    assert stores.timers.get(job) == timer_of(job)
    stores.timers.settle(deadline)
    assert stores.due(job, NINE - HOUR) == []


def test_a_reminder_for_another_instant_takes_the_place_of_the_one_before(stores, job):
    first, later = (Deadline(run=run_at(job).key, next_at=NINE - HOUR + wait) for wait in (0 * HOUR, MINUTE))
    stores.timers.remind(first)
    stores.timers.remind(later)
    stores.timers.settle(first)
    assert stores.due(job, NINE - MINUTE) == [later]


def test_a_reminder_never_comes_early(stores, job):
    stores.timers.remind(Deadline(run=run_at(job).key, next_at=NINE - HOUR + MILLISECONDS))
    assert stores.due(job, NINE - HOUR) == []
    assert stores.due(job, NINE - MINUTE) == [Deadline(run=run_at(job).key, next_at=NINE - HOUR + SECOND)]


@pytest.fixture
def delayed(stores: Stores, namespace: str) -> Timer:
    """The timer of a fixed delay whose run of nine is outstanding, to be looked at ten minutes later."""
    key = JobKey(namespace=namespace, name="delayed")
    timer = timer_of(key, next_at=NINE + 10 * MINUTE, occ=NINE)
    assert stores.definitions.save(creation(key)._replace(timer_after=timer))
    return timer


def test_a_fixed_delay_is_not_armed_by_who_knows_an_earlier_revision(stores, delayed):
    assert stores.timers.arm(delayed.job, 2, NINE, NINE + MINUTE) is None
    assert stores.timers.get(delayed.job) == delayed


@pytest.mark.parametrize("new", [NINE + MINUTE, NINE + 5 * HOUR])
def test_a_fixed_delay_is_armed_from_what_is_outstanding(stores, delayed, new):
    armed = replace(delayed, occ=new, next_at=new)
    assert stores.timers.arm(delayed.job, 1, NINE, new) == armed
    assert stores.timers.get(delayed.job) == armed
    assert stores.due(delayed.job, new - SECOND) == []
    assert stores.due(delayed.job, new) == [armed]


def test_arming_again_finds_it_armed(stores, delayed):
    armed = stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE)
    assert stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE) == armed


def test_arming_again_after_its_next_run_was_dispatched_finds_how_it_stands(stores, delayed):
    stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE)
    stores.timers.advance([to(delayed.job, NINE + 11 * MINUTE, old=NINE + MINUTE)])
    stands = replace(delayed, occ=NINE + MINUTE, next_at=NINE + 11 * MINUTE)
    assert stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE) == stands
    assert stores.timers.get(delayed.job) == stands


@pytest.mark.parametrize("occ", [NINE - MINUTE, NINE + SECOND, NINE + 10 * MINUTE])
def test_what_is_not_outstanding_arms_nothing(stores, delayed, occ):
    assert stores.timers.arm(delayed.job, 1, occ, NINE + MINUTE) is None
    assert stores.timers.get(delayed.job) == delayed


def test_a_run_that_ended_before_the_last_arms_nothing(stores, delayed):
    stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE)
    armed = stores.timers.arm(delayed.job, 1, NINE + MINUTE, NINE + 2 * MINUTE)
    assert stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE) is None
    assert stores.timers.get(delayed.job) == armed


def test_a_fixed_delay_at_its_end_is_in_the_index_no_more_and_is_armed_no_more(stores, delayed):
    finished = replace(delayed, next_at=None)
    assert stores.timers.arm(delayed.job, 1, NINE, None) == finished
    assert stores.timers.get(delayed.job) == finished
    assert stores.due(delayed.job, NINE + 9 * HOUR) == []
    assert stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE) is None
    assert stores.timers.get(delayed.job) == finished


def test_a_fixed_delay_that_is_paused_is_not_armed(stores, namespace):
    key = JobKey(namespace=namespace, name="paused")
    paused = timer_of(key, next_at=None, occ=NINE, schedule="")
    assert stores.definitions.save(creation(key)._replace(timer_after=paused))
    assert stores.timers.arm(key, 1, NINE, NINE + MINUTE) is None
    assert stores.timers.arm(key, 1, NINE, None) is None
    assert stores.timers.get(key) == paused


def test_a_job_that_has_no_fixed_delay_or_does_not_exist_is_not_armed(stores, job, namespace):
    assert stores.timers.arm(job, 1, NINE, NINE + MINUTE) is None
    assert stores.timers.get(job) == timer_of(job)
    nobody = JobKey(namespace=namespace, name="nobody")
    assert stores.timers.arm(nobody, 1, NINE, NINE + MINUTE) is None
    assert stores.timers.get(nobody) is None


def test_of_many_who_arm_from_one_end_at_once_all_find_the_same(stores, delayed):
    found = set(together(lambda _: stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE)))
    assert found == {replace(delayed, occ=NINE + MINUTE, next_at=NINE + MINUTE)}


def test_a_timer_that_cannot_be_read_comes_as_broken_among_the_others(stores, job):
    assert skip_an_hour(stores, job, to(job, NINE))
    stores.damage(job)
    broken, recheck = stores.due(job, NINE + MINUTE)
    assert isinstance(broken, BrokenTimer)
    assert (broken.job, broken.revision, broken.next_at) == (job, 1, NINE)
    assert "target" in broken.problem
    assert recheck == recheck_of(job)
    assert stores.timers.get(job) == broken


def test_a_broken_timer_can_be_pushed_forward(stores, job):
    stores.damage(job)
    assert skip_an_hour(stores, job, to(job, NINE + HOUR))
    assert [timer.next_at for timer in stores.due(job, NINE + HOUR)] == [NINE + MINUTE, NINE + HOUR]
    stores.timers.advance([to(job, NINE + 2 * HOUR, old=NINE + HOUR)])
    assert stores.timers.get(job).next_at == NINE + 2 * HOUR


def test_a_tick_leaves_a_row_for_its_minute(stores, namespace):
    minute = NINE + timedelta(days=int(namespace.removeprefix("team-")))
    assert not stores.ticks(minute)
    stores.timers.record_tick(minute)
    stores.timers.record_tick(minute)
    assert stores.ticks(minute)
