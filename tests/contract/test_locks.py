"""What every store promises of locks: who waits for them, and from whom a start takes them over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.job import JobKey
from minutehand.domain.overlap_lock import LOCK, Permit, PermitKey, lock_of
from minutehand.domain.run import Run, RunKey, RunState
from minutehand.domain.transitions import IllegalMove
from tests.contract.examples import HOUR, MINUTE, NINE, SECOND, creation, run_at, started, timer_of
from tests.contract.stores import Stores, stored
from tests.contract.together import together


@pytest.fixture
def lock(job: JobKey) -> PermitKey:
    return lock_of(job)


@pytest.fixture
def run(stores: Stores, job: JobKey) -> Run:
    """A run that is claimed and queued."""
    return claimed(stores, run_at(job))


def claimed(stores: Stores, run: Run) -> Run:
    stores.runs.claim([run])
    return run


def stands(stores: Stores, key: PermitKey) -> Permit:
    return stores.permits.get([key])[key]


def taken(stores: Stores, lock: PermitKey, run: Run) -> Run:
    """The run, started with its job's lock."""
    running = stores.runs.start(run, started(run), [stands(stores, lock)])
    assert running == started(run)
    return running


# -- those that wait ---------------------------------------------------------------------------------


def test_a_permit_that_nobody_took_has_no_holder_and_nobody_waiting(stores, lock):
    assert stores.permits.get([lock]) == {lock: Permit(lock)}
    assert stores.permits.get([]) == {}


def test_permits_are_read_each_on_its_own_and_however_often_they_are_asked_for(stores, jobs):
    keys = [PermitKey(job, name) for job in jobs(60) for name in (LOCK, "SLOT#1")]
    for number, key in enumerate(keys):
        if number % 7 == 0:
            stores.permits.wait(key, f"20261120T0900{number % 60:02d}Z")
    found = stores.permits.get([*keys, keys[0]])
    assert set(found) == set(keys)
    assert {key for key in keys if found[key].waiting} == set(keys[::7])
    assert all(found[key].key == key for key in keys)


def test_who_waits_is_named_once_and_in_order(stores, lock):
    for run_id in ("20261120T090200Z", "20261120T090100Z~trigger-a", "20261120T090100Z", "20261120T090200Z"):
        stores.permits.wait(lock, run_id)
    assert stands(stores, lock) == Permit(
        lock, waiting=("20261120T090100Z", "20261120T090100Z~trigger-a", "20261120T090200Z")
    )


def test_who_is_forgotten_waits_no_more_and_the_others_do(stores, lock):
    for run_id in ("a", "b", "c"):
        stores.permits.wait(lock, run_id)
    stores.permits.forget(lock, ["a", "c", "never there"])
    assert stands(stores, lock).waiting == ("b",)
    stores.permits.forget(lock, ["b"])
    stores.permits.forget(lock, ["b"])
    assert stands(stores, lock) == Permit(lock)


def test_forgetting_nobody_is_no_error(stores, lock):
    stores.permits.forget(lock, [])
    stores.permits.forget(lock, ["nobody"])
    assert stands(stores, lock) == Permit(lock)


def test_of_many_who_begin_to_wait_at_once_none_is_forgotten(stores, lock):
    together(lambda number: stores.permits.wait(lock, f"run-{number}"), times=20)
    assert stands(stores, lock).waiting == tuple(sorted(f"run-{number}" for number in range(20)))


def test_waiting_and_forgetting_leave_the_holder(stores, lock, run):
    taken(stores, lock, run)
    stores.permits.wait(lock, "a")
    assert stands(stores, lock) == Permit(lock, run.key, 1, ("a",))
    stores.permits.forget(lock, ["a"])
    assert stands(stores, lock) == Permit(lock, run.key, 1)


def test_a_permit_is_no_timer_and_leaves_the_jobs_own_alone(stores, job, lock, run):
    assert stores.definitions.save(creation(job))
    taken(stores, lock, run)
    stores.permits.wait(lock, "a")
    assert stores.due(job, NINE + HOUR) == [timer_of(job)]
    assert stores.definitions.page(job.namespace, 10, None).items[0].job.key == job


# -- a start that takes permits ----------------------------------------------------------------------


def test_a_start_takes_the_permits_over(stores, job, lock, run):
    slot = PermitKey(job, "SLOT#3")
    assert stores.runs.start(run, started(run), [Permit(lock), Permit(slot)]) == started(run)
    assert stored(stores, run) == started(run)
    assert stores.permits.get([lock, slot]) == {
        lock: Permit(lock, run.key, 1),
        slot: Permit(slot, run.key, 1),
    }


def test_a_start_without_permits_is_a_move(stores, lock, run):
    assert stores.runs.start(run, started(run), []) == started(run)
    assert stands(stores, lock) == Permit(lock)


def test_who_takes_a_permit_waits_for_it_no_more_and_the_others_do(stores, job, lock, run):
    for run_id in (run.key.run_id, "20261120T090100Z"):
        stores.permits.wait(lock, run_id)
    taken(stores, lock, run)
    assert stands(stores, lock) == Permit(lock, run.key, 1, ("20261120T090100Z",))


def test_who_begins_to_wait_after_a_permit_was_read_keeps_nobody_from_taking_it(stores, lock, run):
    read = stands(stores, lock)
    stores.permits.wait(lock, "20261120T090100Z")
    assert stores.runs.start(run, started(run), [read]) == started(run)
    assert stands(stores, lock).waiting == ("20261120T090100Z",)


def test_a_permit_is_taken_over_from_the_holder_that_was_read(stores, job, lock, run):
    taken(stores, lock, run)
    later = claimed(stores, run_at(job, NINE + MINUTE))
    assert stores.runs.start(later, started(later), [stands(stores, lock)]) == started(later)
    assert stands(stores, lock) == Permit(lock, later.key, 1)


@pytest.mark.parametrize("before", ["nobody", "another run", "another attempt"])
def test_when_a_permit_has_moved_nothing_is_written(stores, job, lock, run, before):
    read = {
        "nobody": Permit(lock),
        "another run": Permit(lock, RunKey.scheduled(job, NINE - HOUR), 1),
        "another attempt": Permit(lock, run.key, 2),
    }[before]
    taken(stores, lock, run)
    later = claimed(stores, run_at(job, NINE + MINUTE))
    assert stores.runs.start(later, started(later), [read]) is None
    assert stored(stores, later) == later
    assert stands(stores, lock) == Permit(lock, run.key, 1)


def test_when_a_permit_was_read_as_held_and_never_was_nothing_is_written(stores, job, lock, run):
    read = Permit(lock, RunKey.scheduled(job, NINE - HOUR), 1)
    assert stores.runs.start(run, started(run), [read]) is None
    assert (stored(stores, run), stands(stores, lock)) == (run, Permit(lock))


def test_a_holder_of_another_job_is_told_apart(stores, jobs):
    one, other = jobs(2)
    shared = PermitKey(one, "SLOT#0")
    first, second = claimed(stores, run_at(one)), claimed(stores, run_at(other))
    assert stores.runs.start(second, started(second), [Permit(shared)]) == started(second)
    assert stands(stores, shared).holder == second.key
    assert stores.runs.start(first, started(first), [Permit(shared, first.key, 1)]) is None
    assert stores.runs.start(first, started(first), [stands(stores, shared)]) == started(first)


def test_of_two_permits_one_that_has_moved_keeps_the_other_from_being_taken(stores, job, lock, run):
    slot = PermitKey(job, "SLOT#0")
    taken(stores, lock, run)
    later = claimed(stores, run_at(job, NINE + MINUTE))
    for order in ([Permit(slot), Permit(lock)], [Permit(lock), Permit(slot)]):
        assert stores.runs.start(later, started(later), order) is None
    assert stands(stores, slot) == Permit(slot)
    assert stored(stores, later) == later


def test_a_start_that_is_repeated_finds_its_own_nonce_and_has_succeeded(stores, lock, run):
    read = stands(stores, lock)
    taken(stores, lock, run)
    assert stores.runs.start(run, started(run), [read]) == started(run)
    assert stands(stores, lock) == Permit(lock, run.key, 1)


def test_a_repeated_start_has_succeeded_though_another_run_has_the_permit_by_now(stores, job, lock, run):
    taken(stores, lock, run)
    later = claimed(stores, run_at(job, NINE + MINUTE))
    assert stores.runs.start(later, started(later), [stands(stores, lock)]) == started(later)
    assert stores.runs.start(run, started(run), [Permit(lock)]) == started(run)
    assert stands(stores, lock) == Permit(lock, later.key, 1)


def test_a_start_after_anothers_start_is_answered_with_the_others_and_takes_nothing(stores, job, lock, run):
    slot = PermitKey(job, "SLOT#0")
    taken(stores, lock, run)
    assert stores.runs.start(run, started(run, nonce="worker-2"), [stands(stores, lock)]) == started(run)
    assert stores.runs.start(run, started(run, nonce="worker-2"), [Permit(slot)]) == started(run)
    assert stands(stores, slot) == Permit(slot)


def test_a_next_attempt_takes_the_permit_over_from_the_one_before(stores, lock, run):
    dead = taken(stores, lock, run)
    next_one = replace(started(run, nonce="worker-2", attempt=2), takeovers=1)
    assert stores.runs.start(dead, next_one, [stands(stores, lock)]) == next_one
    assert stands(stores, lock) == Permit(lock, run.key, 2)
    assert stores.runs.start(dead, replace(next_one, nonce="worker-3"), [Permit(lock, run.key, 1)]) == next_one


def test_a_start_of_a_run_whose_end_was_asked_for_meanwhile_takes_nothing(stores, lock, run):
    marked = stores.runs.move(run, replace(run, cancelled_by="ada"))
    assert stores.runs.start(run, started(run), [Permit(lock)]) == marked
    assert stands(stores, lock) == Permit(lock)


def test_a_start_that_the_table_of_moves_does_not_have_is_refused(stores, lock, run):
    with pytest.raises(IllegalMove):
        stores.runs.start(run, replace(started(run), state=RunState.SUCCEEDED), [Permit(lock)])
    assert (stored(stores, run), stands(stores, lock)) == (run, Permit(lock))


def test_a_start_of_a_run_that_is_gone_takes_nothing(stores, job, lock):
    gone = run_at(job)
    with pytest.raises(Unavailable, match="is gone"):
        stores.runs.start(gone, started(gone), [Permit(lock)])
    assert (stores.runs.get([gone.key]), stands(stores, lock)) == ({}, Permit(lock))


def test_of_many_who_start_under_one_lock_at_once_one_does(stores, job, lock):
    runs = [claimed(stores, run_at(job, NINE + number * SECOND)) for number in range(20)]

    def race(number: int) -> Run | None:
        while True:
            try:
                return stores.runs.start(runs[number], started(runs[number]), [Permit(lock)])
            except Unavailable:  # too many at once: whoever is told so asks again
                continue

    begun = [run for run in together(race, times=20) if run is not None]
    assert len(begun) == 1
    assert stands(stores, lock) == Permit(lock, begun[0].key, 1)
    found = stores.runs.get([run.key for run in runs])
    assert [run for run in found.values() if run.state is RunState.RUNNING] == begun


def test_of_many_workers_who_start_one_run_at_once_one_does(stores, lock, run):
    def race(number: int) -> Run | None:
        while True:
            try:
                return stores.runs.start(run, started(run, nonce=f"worker-{number}"), [Permit(lock)])
            except Unavailable:
                continue

    said = {one for one in together(race) if one is not None}
    assert said == {stored(stores, run)}
    assert stands(stores, lock) == Permit(lock, run.key, 1)
