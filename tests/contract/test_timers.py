"""What every store of timers promises of what is due: jobs' timers, rechecks, deadlines and reminders, until they are settled."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import BrokenTimer, Deadline, Recheck, SkippedRange, SkipPolicy, Timer
from tests.contract.examples import HOUR, MILLISECONDS, MINUTE, NINE, SECOND, creation, recheck_of, run_at, timer_of
from tests.contract.stores import PAGE
from tests.contract.timers import skip_an_hour, to

pytestmark = pytest.mark.usefixtures("due_at_nine")


def test_a_timer_comes_back_as_it_was_stored(stores, job):
    assert stores.timers.get(job) == timer_of(job)
    assert stores.due(job, NINE) == [timer_of(job)]


def test_a_job_that_does_not_exist_has_no_timer(stores, namespace):
    assert stores.timers.get(JobKey(namespace=namespace, name="nobody")) is None


def test_a_timer_is_due_to_the_second(stores, job):
    assert stores.due(job, NINE - SECOND) == []
    assert stores.due(job, NINE + MILLISECONDS) == [timer_of(job)]


def test_a_timer_without_next_at_is_in_no_shard(stores, namespace):
    paused = JobKey(namespace=namespace, name="paused")
    assert stores.definitions.save(creation(paused, next_at=None))
    assert stores.due(paused, NINE + 1000 * HOUR) == []
    assert stores.timers.get(paused) == timer_of(paused, next_at=None)


def test_a_shard_returns_its_timers_in_pages_earliest_first(stores, job):
    for number in range(2 * PAGE):
        recheck = Recheck(job=job, after=NINE, until=NINE + HOUR * (number + 1), next_at=NINE - number * MINUTE)
        skipped = SkippedRange(
            job=job, first=NINE + number * SECOND, until=NINE + (number + 1) * SECOND, policy=SkipPolicy.of("p")
        )
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


def test_a_recheck_is_due_until_it_is_settled(stores, job):
    assert skip_an_hour(stores, job, to(job, None))
    stores.timers.settle(recheck_of(job))
    stores.timers.settle(recheck_of(job))
    assert stores.due(job, NINE + HOUR) == []


def test_settling_a_stale_recheck_keeps_the_new_one(stores, job):
    assert skip_an_hour(stores, job, to(job, NINE))
    later = recheck_of(job, next_at=NINE + 2 * MINUTE)
    assert stores.timers.skip(
        SkippedRange(job=job, first=NINE, until=NINE, policy=SkipPolicy.of("p")), to(job, None), later
    )
    stores.timers.settle(recheck_of(job))
    assert stores.due(job, NINE + HOUR) == [later]


def test_a_recheck_keeps_milliseconds_of_its_range_and_never_comes_early(stores, job):
    recheck = Recheck(job=job, after=NINE - MILLISECONDS, until=NINE + MILLISECONDS, next_at=NINE + MILLISECONDS)
    skipped = SkippedRange(job=job, first=NINE, until=NINE + HOUR, policy=SkipPolicy.of("p"))
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


def test_a_new_reminder_replaces_the_previous_one(stores, job):
    first, later = (Deadline(run=run_at(job).key, next_at=NINE - HOUR + wait) for wait in (0 * HOUR, MINUTE))
    stores.timers.remind(first)
    stores.timers.remind(later)
    stores.timers.settle(first)
    assert stores.due(job, NINE - MINUTE) == [later]


def test_a_reminder_never_comes_early(stores, job):
    stores.timers.remind(Deadline(run=run_at(job).key, next_at=NINE - HOUR + MILLISECONDS))
    assert stores.due(job, NINE - HOUR) == []
    assert stores.due(job, NINE - MINUTE) == [Deadline(run=run_at(job).key, next_at=NINE - HOUR + SECOND)]


def test_an_unreadable_timer_is_returned_as_broken_among_the_others(stores, job):
    assert skip_an_hour(stores, job, to(job, NINE))
    stores.damage(job)
    broken, recheck = stores.due(job, NINE + MINUTE)
    assert isinstance(broken, BrokenTimer)
    assert (broken.job, broken.revision, broken.next_at) == (job, 1, NINE)
    assert "target" in broken.problem
    assert recheck == recheck_of(job)
    assert stores.timers.get(job) == broken


def test_a_broken_timer_can_be_advanced(stores, job):
    stores.damage(job)
    assert skip_an_hour(stores, job, to(job, NINE + HOUR))
    assert [timer.next_at for timer in stores.due(job, NINE + HOUR)] == [NINE + MINUTE, NINE + HOUR]
    stores.timers.advance([to(job, NINE + 2 * HOUR, old=NINE + HOUR)])
    assert stores.timers.get(job).next_at == NINE + 2 * HOUR


def test_a_tick_is_recorded_for_its_minute(stores, namespace):
    minute = NINE + timedelta(days=int(namespace.removeprefix("team-")))
    assert not stores.ticks(minute)
    stores.timers.record_tick(minute)
    stores.timers.record_tick(minute)
    assert stores.ticks(minute)


def test_timers_of_many_jobs_are_read_at_once_packed_or_not(stores, jobs):
    seldom, often, nobody = jobs(3)
    for job, packed in ((seldom, False), (often, True)):
        assert stores.definitions.save(creation(job)._replace(timer_after=timer_of(job, packed=packed)))
    found = stores.timers.of_jobs([seldom, often, nobody, seldom])
    assert found == {job: stores.timers.get(job) for job in (seldom, often)}
    assert [found[job].packed for job in (seldom, often)] == [False, True]
