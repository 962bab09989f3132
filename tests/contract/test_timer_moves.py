"""Contract of stores of timers: a stale advance or skip changes nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import Ahead
from tests.contract.examples import HOUR, MINUTE, NINE, creation, deletion, recheck_of, timer_of
from tests.contract.timers import skip_an_hour, to
from tests.contract.together import together

pytestmark = pytest.mark.usefixtures("due_at_nine")

EAST = timedelta(hours=5, minutes=45)
LIMITED = {"offset": EAST, "runs_left": 7}


@pytest.fixture
def limited(stores, namespace):
    """A job whose timer knows its clocks' offset and how many runs are left."""
    key = JobKey(namespace=namespace, name="limited")
    assert stores.definitions.save(creation(key)._replace(timer_after=timer_of(key, **LIMITED)))
    return key


def test_an_advance_changes_next_at(stores, job):
    stores.timers.advance([to(job, NINE + HOUR)])
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR)
    assert stores.due(job, NINE) == []
    assert stores.due(job, NINE + HOUR) == [timer_of(job, next_at=NINE + HOUR)]


def test_an_advance_to_the_end_of_the_schedule_removes_the_timer_from_the_index(stores, job):
    stores.timers.advance([to(job, None)])
    assert stores.timers.get(job) == timer_of(job, next_at=None)
    assert stores.due(job, NINE + 1000 * HOUR) == []


@pytest.mark.parametrize("offset", [-EAST, timedelta(0), EAST, None])
@pytest.mark.parametrize("runs_left", [0, 7, None])
def test_offset_and_remaining_runs_of_a_timer_are_read_back(stores, namespace, offset, runs_left):
    key = JobKey(namespace=namespace, name="limited")
    timer = timer_of(key, offset=offset, runs_left=runs_left)
    assert stores.definitions.save(creation(key)._replace(timer_after=timer))
    assert stores.timers.get(key) == timer
    assert stores.due(key, NINE) == [timer]


def test_an_advance_sets_offset_and_remaining_runs(stores, limited):
    stores.timers.advance([to(limited, NINE + HOUR)._replace(offset=-EAST, runs_left=5)])
    expected = timer_of(limited, next_at=NINE + HOUR, offset=-EAST, runs_left=5)
    assert (stores.timers.get(limited), stores.due(limited, NINE + HOUR)) == (expected, [expected])


def test_an_advance_remembers_what_was_dispatched_ahead_of_missed_occurrences(stores, job):
    ahead = Ahead(NINE + HOUR, NINE + 2 * HOUR)
    stores.timers.advance([to(job, NINE + MINUTE)._replace(ahead=ahead)])
    assert stores.timers.get(job).ahead == ahead
    stores.timers.advance([to(job, NINE + HOUR)._replace(old=NINE + MINUTE)])
    kept = stores.timers.get(job)
    assert (kept.ahead_from, kept.ahead_until, kept.ahead) == (*ahead, None), "the timer has passed them"


def test_an_advance_after_the_last_run_removes_the_timer_from_the_index(stores, limited):
    stores.timers.advance([to(limited, None)._replace(runs_left=0)])
    assert stores.timers.get(limited) == timer_of(limited, next_at=None, offset=EAST, runs_left=0)
    assert stores.due(limited, NINE + 1000 * HOUR) == []


def test_an_advance_without_offset_and_runs_keeps_them(stores, limited):
    stores.timers.advance([to(limited, NINE + HOUR)])
    assert stores.timers.get(limited) == timer_of(limited, next_at=NINE + HOUR, **LIMITED)


def test_an_advance_may_change_only_the_offset(stores, limited):
    stores.timers.advance([to(limited, NINE)._replace(offset=timedelta(0))])
    assert stores.timers.get(limited) == timer_of(limited, offset=timedelta(0), runs_left=7)


@pytest.mark.parametrize("stale", [{"old": NINE - HOUR}, {"revision": 2}], ids=["moved", "edited"])
def test_a_stale_advance_does_not_change_the_remaining_runs(stores, limited, stale):
    stores.timers.advance([to(limited, NINE + HOUR, **stale)._replace(offset=-EAST, runs_left=5)])
    assert stores.timers.get(limited) == timer_of(limited, **LIMITED)


def test_a_skip_sets_the_offset_and_keeps_the_remaining_runs(stores, limited):
    assert skip_an_hour(stores, limited, to(limited, NINE + HOUR)._replace(offset=-EAST))
    assert stores.timers.get(limited) == timer_of(limited, next_at=NINE + HOUR, offset=-EAST, runs_left=7)


def test_a_skip_may_reduce_the_remaining_runs(stores, limited):
    assert skip_an_hour(stores, limited, to(limited, None)._replace(runs_left=3))
    assert stores.timers.get(limited) == timer_of(limited, next_at=None, offset=EAST, runs_left=3)


@pytest.mark.parametrize("new", [NINE + HOUR, None], ids=["on", "to the end"])
@pytest.mark.parametrize("given", [{"offset": -5 * HOUR}, {"runs_left": 0}, {"offset": HOUR, "runs_left": -2}])
def test_an_advance_may_change_or_keep_offset_and_remaining_runs(stores, job, new, given):
    stores.timers.advance([to(job, NINE + MINUTE)._replace(offset=2 * HOUR, runs_left=7)])
    counted = {"offset": 2 * HOUR, "runs_left": 7}
    assert stores.timers.get(job) == replace(timer_of(job, next_at=NINE + MINUTE), **counted)
    stores.timers.advance([to(job, new, old=NINE + MINUTE)._replace(**given)])
    assert stores.timers.get(job) == replace(timer_of(job, next_at=new), **(counted | given))


@pytest.mark.parametrize("new", [NINE + HOUR, None], ids=["on", "to the end"])
@pytest.mark.parametrize("given", [{"offset": -5 * HOUR}, {"runs_left": 0}, {"offset": HOUR, "runs_left": -2}])
def test_a_skip_may_change_or_keep_offset_and_remaining_runs(stores, job, new, given):
    assert skip_an_hour(stores, job, to(job, new)._replace(**given))
    assert stores.timers.get(job) == replace(timer_of(job, next_at=new), **given)


def test_a_repeated_advance_changes_nothing(stores, job):
    stores.timers.advance([to(job, NINE + HOUR)])
    stores.timers.advance([to(job, NINE + HOUR)])
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR)


def test_a_stale_advance_changes_nothing(stores, job):
    stores.timers.advance([to(job, NINE + HOUR)])
    stores.timers.advance([to(job, NINE + MINUTE)])
    assert stores.timers.get(job) == timer_of(job, next_at=NINE + HOUR)


def test_an_advance_under_another_revision_changes_nothing(stores, job):
    stores.timers.advance([to(job, NINE + HOUR, revision=2)])
    assert stores.timers.get(job) == timer_of(job)


def test_an_advance_never_restores_a_deleted_timer(stores, job):
    assert stores.definitions.save(deletion(job))
    stores.timers.advance([to(job, NINE + HOUR)])
    stores.timers.advance([to(job, None)])
    assert stores.timers.get(job) is None
    assert stores.due(job, NINE + HOUR) == []


def test_a_stale_advance_does_not_stop_the_others(stores, job, jobs):
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


def test_of_concurrent_skips_one_succeeds(stores, job):
    done = together(lambda _: skip_an_hour(stores, job, to(job, NINE + HOUR)))
    assert sorted(done) == [False] * 7 + [True]
    assert len(stores.skipped(job)) == 1
