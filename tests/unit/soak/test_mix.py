"""The soak's jobs, faults and requests: drawn from the seed, of every kind, and read as the product reads them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from minutehand.schedule import Schedule
from tests.soak import faults, people
from tests.soak.evidence import Service
from tests.soak.faults import ACTIONS
from tests.soak.jobs import closed, mix
from tests.soak.people import KINDS
from tests.soak.schedules import Every, seconds_between

BEGAN = datetime(2026, 11, 22, 12, 0, 4, tzinfo=UTC)
ENDS = BEGAN + timedelta(minutes=30)


def test_a_hundred_jobs_have_every_kind_of_service_and_overlap() -> None:
    jobs = mix(1, 100, BEGAN, ENDS)
    assert {job.service for job in jobs} == set(Service)
    assert {job.overlap for job in jobs} == {"allow", "skip", "queue_one", "queue_all", "replace"}
    assert {job.catch_up for job in jobs} == {"skip", "latest", "all"}
    assert any(job.blocked for job in jobs)
    assert any(job.max_concurrency for job in jobs)
    assert any(job.jitter for job in jobs)
    assert set(KINDS) <= {job.kind for job in jobs}
    assert len({job.name for job in jobs}) == len(jobs) >= 100


def test_parents_come_before_their_children() -> None:
    seen: set[str] = set()
    for job in mix(1, 100, BEGAN, ENDS):
        assert set(job.parents) <= seen
        seen.add(job.name)


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    def drawn(seed: int) -> object:
        jobs = mix(seed, 60, BEGAN, ENDS)
        return jobs, faults.timetable(seed, 180), people.timetable(seed, jobs, 180)

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


@pytest.mark.parametrize("seed", range(20))
def test_three_minutes_have_each_kind_of_fault_and_no_two_outages_at_once(seed: int) -> None:
    planned = faults.timetable(seed, 180)
    assert {one.kind for one in planned} == set(ACTIONS)
    outages = [one for one in planned if not one.kind.endswith("killed")]
    for before, after in pairwise(outages):
        assert before.at + before.seconds < after.at


def test_an_answer_takes_less_time_than_its_attempt_may() -> None:
    for job in mix(1, 100, BEGAN, ENDS):
        assert job.seconds < job.timeout - 5, "else a halted worker's call could overlap with its take-over"


def test_no_bound_of_a_blocked_span_is_an_instant_of_its_job() -> None:
    for span in closed(BEGAN, ENDS):
        assert span.start.second % 10 == span.end.second % 10 == 1
        assert span.start < span.end


def test_the_soaks_own_reading_of_its_schedules_is_the_documented_one() -> None:
    for job in mix(1, 100, BEGAN, ENDS):
        if job.schedule is not None:
            anchor = job.schedule.anchor if isinstance(job.schedule, Every) else None
            theirs = Schedule.parse(job.schedule.text, anchor=anchor).between(BEGAN, ENDS, 2000)
            after = BEGAN + timedelta(seconds=1)
            assert [at for at in seconds_between(after, ENDS) if job.schedule.names(at)] == theirs, job.schedule.text
