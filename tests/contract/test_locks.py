"""Contract of stores of permits: overlap locks, the runs that wait for them, and starts that take them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.overlap_lock import LOCK, Permit, PermitKey, lock_of
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.transitions import IllegalMove
from tests.contract.examples import HOUR, MINUTE, NINE, SECOND, creation, run_at, started, timer_of
from tests.contract.stores import Stores, stored
from tests.contract.together import together


@pytest.fixture
def lock(job: JobKey) -> PermitKey:
    return lock_of(job)


def claimed(stores: Stores, run: Run) -> Run:
    stores.runs.claim([run])
    return run


def permit_of(stores: Stores, key: PermitKey) -> Permit:
    return stores.permits.get([key])[key]


def taken(stores: Stores, lock: PermitKey, run: Run) -> Run:
    """The run, started with its job's lock."""
    running = stores.runs.start(run, started(run), [permit_of(stores, lock)])
    assert running == started(run)
    return running


# -- waiting runs ------------------------------------------------------------------------------------


def test_an_unused_permit_has_no_holder_and_no_waiting_runs(stores, lock):
    assert stores.permits.get([lock]) == {lock: Permit(lock)}
    assert stores.permits.get([]) == {}


def test_many_and_repeated_permits_are_read(stores, jobs):
    keys = [PermitKey(job, name) for job in jobs(60) for name in (LOCK, "SLOT#1")]
    for number, key in enumerate(keys):
        if number % 7 == 0:
            stores.permits.wait(key, f"20261120T0900{number % 60:02d}Z")
    found = stores.permits.get([*keys, keys[0]])
    assert set(found) == set(keys)
    assert {key for key in keys if found[key].waiting} == set(keys[::7])
    assert all(found[key].key == key for key in keys)


def test_waiting_runs_are_listed_once_and_in_order(stores, lock):
    for run_id in ("20261120T090200Z", "20261120T090100Z~trigger-a", "20261120T090100Z", "20261120T090200Z"):
        stores.permits.wait(lock, run_id)
    assert permit_of(stores, lock) == Permit(
        lock, waiting=("20261120T090100Z", "20261120T090100Z~trigger-a", "20261120T090200Z")
    )


def test_a_forgotten_run_waits_no_more_and_the_others_still_wait(stores, lock):
    for run_id in ("a", "b", "c"):
        stores.permits.wait(lock, run_id)
    stores.permits.forget(lock, ["a", "c", "never there"])
    assert permit_of(stores, lock).waiting == ("b",)
    stores.permits.forget(lock, ["b"])
    stores.permits.forget(lock, ["b"])
    assert permit_of(stores, lock) == Permit(lock)


def test_forgetting_nobody_is_no_error(stores, lock):
    stores.permits.forget(lock, [])
    stores.permits.forget(lock, ["nobody"])
    assert permit_of(stores, lock) == Permit(lock)


def test_concurrent_waits_are_all_kept(stores, lock):
    together(lambda number: stores.permits.wait(lock, f"run-{number}"), times=20)
    assert permit_of(stores, lock).waiting == tuple(sorted(f"run-{number}" for number in range(20)))


def test_waiting_and_forgetting_keep_the_holder(stores, lock, run):
    taken(stores, lock, run)
    stores.permits.wait(lock, "a")
    assert permit_of(stores, lock) == Permit(lock, run.key, 1, ("a",))
    stores.permits.forget(lock, ["a"])
    assert permit_of(stores, lock) == Permit(lock, run.key, 1)


def test_a_permit_changes_no_timer(stores, job, lock, run):
    assert stores.definitions.save(creation(job))
    taken(stores, lock, run)
    stores.permits.wait(lock, "a")
    assert stores.due(job, NINE + HOUR) == [timer_of(job)]
    assert stores.definitions.page(job.namespace, 10, None).items[0].job.key == job


# -- starts that take permits ------------------------------------------------------------------------


def test_a_start_takes_its_permits(stores, job, lock, run):
    slot = PermitKey(job, "SLOT#3")
    assert stores.runs.start(run, started(run), [Permit(lock), Permit(slot)]) == started(run)
    assert stored(stores, run) == started(run)
    assert stores.permits.get([lock, slot]) == {
        lock: Permit(lock, run.key, 1),
        slot: Permit(slot, run.key, 1),
    }


def test_a_start_without_permits_is_a_move(stores, lock, run):
    assert stores.runs.start(run, started(run), []) == started(run)
    assert permit_of(stores, lock) == Permit(lock)


def test_a_run_that_takes_a_permit_waits_no_more_and_the_others_still_wait(stores, job, lock, run):
    for run_id in (run.key.run_id, "20261120T090100Z"):
        stores.permits.wait(lock, run_id)
    taken(stores, lock, run)
    assert permit_of(stores, lock) == Permit(lock, run.key, 1, ("20261120T090100Z",))


def test_a_new_waiting_run_does_not_prevent_a_start(stores, lock, run):
    read = permit_of(stores, lock)
    stores.permits.wait(lock, "20261120T090100Z")
    assert stores.runs.start(run, started(run), [read]) == started(run)
    assert permit_of(stores, lock).waiting == ("20261120T090100Z",)


def test_a_permit_is_taken_over_from_the_holder_that_was_read(stores, job, lock, run):
    taken(stores, lock, run)
    later = claimed(stores, run_at(job, NINE + MINUTE))
    assert stores.runs.start(later, started(later), [permit_of(stores, lock)]) == started(later)
    assert permit_of(stores, lock) == Permit(lock, later.key, 1)


@pytest.mark.parametrize("before", ["nobody", "another run", "another attempt"])
def test_a_start_writes_nothing_if_the_holder_has_changed(stores, job, lock, run, before):
    read = {
        "nobody": Permit(lock),
        "another run": Permit(lock, RunKey.scheduled(job, NINE - HOUR), 1),
        "another attempt": Permit(lock, run.key, 2),
    }[before]
    taken(stores, lock, run)
    later = claimed(stores, run_at(job, NINE + MINUTE))
    assert stores.runs.start(later, started(later), [read]) is None
    assert stored(stores, later) == later
    assert permit_of(stores, lock) == Permit(lock, run.key, 1)


def test_a_start_writes_nothing_if_it_read_a_holder_of_a_free_permit(stores, job, lock, run):
    read = Permit(lock, RunKey.scheduled(job, NINE - HOUR), 1)
    assert stores.runs.start(run, started(run), [read]) is None
    assert (stored(stores, run), permit_of(stores, lock)) == (run, Permit(lock))


def test_a_holder_of_another_job_is_told_apart(stores, jobs):
    one, other = jobs(2)
    shared = PermitKey(one, "SLOT#0")
    first, second = claimed(stores, run_at(one)), claimed(stores, run_at(other))
    assert stores.runs.start(second, started(second), [Permit(shared)]) == started(second)
    assert permit_of(stores, shared).holder == second.key
    assert stores.runs.start(first, started(first), [Permit(shared, first.key, 1)]) is None
    assert stores.runs.start(first, started(first), [permit_of(stores, shared)]) == started(first)


def test_a_start_takes_no_permit_if_the_holder_of_one_has_changed(stores, job, lock, run):
    slot = PermitKey(job, "SLOT#0")
    taken(stores, lock, run)
    later = claimed(stores, run_at(job, NINE + MINUTE))
    for order in ([Permit(slot), Permit(lock)], [Permit(lock), Permit(slot)]):
        assert stores.runs.start(later, started(later), order) is None
    assert permit_of(stores, slot) == Permit(slot)
    assert stored(stores, later) == later


def test_a_start_that_is_repeated_finds_its_own_nonce_and_has_succeeded(stores, lock, run):
    read = permit_of(stores, lock)
    taken(stores, lock, run)
    assert stores.runs.start(run, started(run), [read]) == started(run)
    assert permit_of(stores, lock) == Permit(lock, run.key, 1)


def test_a_repeated_start_has_succeeded_though_another_run_has_the_permit_by_now(stores, job, lock, run):
    taken(stores, lock, run)
    later = claimed(stores, run_at(job, NINE + MINUTE))
    assert stores.runs.start(later, started(later), [permit_of(stores, lock)]) == started(later)
    assert stores.runs.start(run, started(run), [Permit(lock)]) == started(run)
    assert permit_of(stores, lock) == Permit(lock, later.key, 1)


def test_a_start_after_another_start_returns_the_other_and_takes_nothing(stores, job, lock, run):
    slot = PermitKey(job, "SLOT#0")
    taken(stores, lock, run)
    assert stores.runs.start(run, started(run, nonce="worker-2"), [permit_of(stores, lock)]) == started(run)
    assert stores.runs.start(run, started(run, nonce="worker-2"), [Permit(slot)]) == started(run)
    assert permit_of(stores, slot) == Permit(slot)


def test_a_next_attempt_takes_the_permit_over_from_the_one_before(stores, lock, run):
    dead = taken(stores, lock, run)
    next_one = replace(started(run, nonce="worker-2", attempt=2), takeovers=1)
    assert stores.runs.start(dead, next_one, [permit_of(stores, lock)]) == next_one
    assert permit_of(stores, lock) == Permit(lock, run.key, 2)
    assert stores.runs.start(dead, replace(next_one, nonce="worker-3"), [Permit(lock, run.key, 1)]) == next_one


def test_a_start_of_a_cancelled_run_takes_nothing(stores, lock, run):
    marked = stores.runs.move(run, replace(run, cancelled_by="ada"))
    assert stores.runs.start(run, started(run), [Permit(lock)]) == marked
    assert permit_of(stores, lock) == Permit(lock)


def test_a_start_from_an_impossible_state_is_refused(stores, lock, run):
    with pytest.raises(IllegalMove):
        stores.runs.start(run, replace(started(run), state=RunState.SUCCEEDED), [Permit(lock)])
    assert (stored(stores, run), permit_of(stores, lock)) == (run, Permit(lock))


def test_a_start_of_a_run_that_is_gone_takes_nothing(stores, job, lock):
    gone = run_at(job)
    with pytest.raises(Unavailable, match="does not exist any more"):
        stores.runs.start(gone, started(gone), [Permit(lock)])
    assert (stores.runs.get([gone.key]), permit_of(stores, lock)) == ({}, Permit(lock))


def test_of_concurrent_starts_under_one_lock_one_succeeds(stores, job, lock):
    runs = [claimed(stores, run_at(job, NINE + number * SECOND)) for number in range(20)]

    def race(number: int) -> Run | None:
        while True:
            try:
                return stores.runs.start(runs[number], started(runs[number]), [Permit(lock)])
            except Unavailable:  # too many at once; retry
                continue

    begun = [run for run in together(race, times=20) if run is not None]
    assert len(begun) == 1
    assert permit_of(stores, lock) == Permit(lock, begun[0].key, 1)
    found = stores.runs.get([run.key for run in runs])
    assert [run for run in found.values() if run.state is RunState.RUNNING] == begun


def test_of_concurrent_starts_of_one_run_one_succeeds(stores, lock, run):
    def race(number: int) -> Run | None:
        while True:
            try:
                return stores.runs.start(run, started(run, nonce=f"worker-{number}"), [Permit(lock)])
            except Unavailable:
                continue

    said = {one for one in together(race) if one is not None}
    assert said == {stored(stores, run)}
    assert permit_of(stores, lock) == Permit(lock, run.key, 1)
