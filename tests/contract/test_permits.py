"""Contract of stores of permits: the transaction that starts a run takes them if their holders are as read."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.concurrency import Limit
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Unavailable
from minutehand.domain.job import MOST_LIMITS
from minutehand.domain.job_key import JobKey
from minutehand.domain.namespace import Namespace
from minutehand.domain.overlap_lock import Permit, PermitKey, lock_of
from minutehand.domain.policies import NamedLimit, Overlap
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_successors import looking_again
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from minutehand.usecases.running.admit import Granted, admit
from tests.contract.examples import MINUTE, NINE, SECOND, definition_of, run_at, started
from tests.contract.together import together


def slot(owner: JobKey | str, number: int = 0) -> PermitKey:
    return PermitKey(owner, f"SLOT#{number}")


def named_slot(namespace: str, name: str, number: int = 0) -> PermitKey:
    return [*Limit(namespace, number + 1, name).slots][number]


def test_a_free_permit_has_no_holder(stores, job, namespace):
    wanted = [lock_of(job), slot(job), slot(job, 99), slot(namespace), slot(namespace, 999)]
    assert stores.permits.get([*wanted, wanted[0]]) == {key: Permit(key) for key in wanted}


def test_a_start_takes_all_of_its_permits(stores, run, job, namespace):
    permits = [Permit(lock_of(job)), Permit(slot(job, 2)), Permit(slot(namespace, 7))]
    assert stores.runs.start(run, started(run), permits) == started(run)
    taken = stores.permits.get([permit.key for permit in permits])
    assert taken == {permit.key: Permit(permit.key, run.key, 1) for permit in permits}


def test_a_start_may_take_a_lock_and_a_slot_of_each_limit_that_a_job_may_have(stores, run, job, namespace):
    named = [named_slot(namespace, f"limit-{number}", 999) for number in range(MOST_LIMITS)]
    keys = [lock_of(job), slot(job), slot(namespace, 999), *named]
    assert stores.runs.start(run, started(run), [Permit(key) for key in keys]) == started(run)
    assert stores.permits.get(keys) == {key: Permit(key, run.key, 1) for key in keys}


def test_slots_of_limits_of_other_names_and_namespaces_are_other_slots(stores, run, namespace):
    taken = named_slot(namespace, "db")
    free = [
        named_slot(namespace, "db-2"),
        named_slot(f"{namespace}-2", "db"),
        slot(namespace),
        named_slot(namespace, "db", 1),
    ]
    stores.runs.start(run, started(run), [Permit(taken)])
    found = stores.permits.get([taken, *free])
    assert {key for key, permit in found.items() if permit.holder} == {taken}


def unlocked(job: JobKey, **fields) -> Definition:
    """The definition of a job whose runs may overlap, with these limits."""
    return definition_of(job, overlap=Overlap.ALLOW, **{"max_concurrency": None, "limits": ()} | fields)


def begin(
    stores, ports, run: Run, wanted: Run, definition: Definition, settings: Namespace | None = None, *, now
) -> PermitKey | None:
    """The slot with which a run starts, sooner or later; None if there is none."""
    while True:
        try:
            answer = admit(run, definition, settings, ports, now)
            if not isinstance(answer, Granted):
                return None
            if stores.runs.start(run, wanted, answer.permits) == wanted:
                return answer.permits[0].key
        except Unavailable:
            continue


def test_of_concurrent_starts_of_two_jobs_as_many_succeed_as_their_limit_has_slots(stores, ports, job, namespace):
    other = JobKey(namespace=namespace, name="other")
    limited = [unlocked(key, limits=(NamedLimit("db", 3),)) for key in (job, other)]
    runs = [run_at((job, other)[number % 2], NINE + number * SECOND) for number in range(12)]
    stores.runs.claim(runs)

    def race(number: int) -> PermitKey | None:
        run = runs[number]
        wanted = started(run, nonce=f"worker-{number}")
        return begin(stores, ports, run, wanted, limited[number % 2], now=NINE + MINUTE / 2)

    taken = Counter(together(race, 12))
    assert taken.pop(None) == 9
    assert taken == Counter(named_slot(namespace, "db", number) for number in range(3))


def test_the_limit_that_a_run_waits_for_is_stored_until_it_goes_on(stores, run):
    waits = looking_again(run, NINE + MINUTE, TakenLimit(LimitKind.NAMED, 3, "db"))
    stores.runs.move(run, waits)
    assert stores.runs.get([run.key]) == {run.key: waits}
    again = looking_again(waits, NINE + 2 * MINUTE, TakenLimit(LimitKind.JOB, 1))
    assert stores.runs.move(waits, again) == again
    goes_on = replace(started(again), retry_at=None, waits_for=None)
    assert stores.runs.move(again, goes_on) == goes_on
    assert stores.runs.get([run.key]) == {run.key: goes_on}


def test_a_repeated_start_succeeds(stores, run, job):
    permits = [Permit(slot(job))]
    for _ in range(2):
        assert stores.runs.start(run, started(run), permits) == started(run)


def test_a_start_writes_nothing_if_one_permit_is_not_as_read(stores, run, job, namespace):
    other = run_at(job, NINE + SECOND)
    stores.runs.claim([other])
    stores.runs.start(other, started(other, nonce="worker-2"), [Permit(slot(job))])
    assert stores.runs.start(run, started(run), [Permit(slot(namespace)), Permit(slot(job))]) is None
    assert stores.runs.get([run.key]) == {run.key: run}
    assert stores.permits.get([slot(namespace)]) == {slot(namespace): Permit(slot(namespace))}
    stale = Permit(slot(job), other.key, 2)
    assert stores.runs.start(run, started(run), [stale]) is None, "its holder's next attempt has it"
    assert stores.runs.start(run, started(run), [stale._replace(attempt=1)]) == started(run)


def test_a_run_that_is_not_as_read_takes_nothing(stores, run, job):
    theirs = started(run, nonce="worker-2")
    stores.runs.move(run, theirs)
    assert stores.runs.start(run, started(run), [Permit(slot(job))]) == theirs
    assert stores.permits.get([slot(job)]) == {slot(job): Permit(slot(job))}


def test_a_waiting_run_is_listed_until_it_starts_or_is_forgotten(stores, run, job):
    lock = lock_of(job)
    for name in ("b", run.key.run_id, "c", "b"):
        stores.permits.wait(lock, name)
    [read] = stores.permits.get([lock]).values()
    assert read == Permit(lock, None, 0, tuple(sorted(("b", run.key.run_id, "c"))))
    stores.permits.forget(lock, ["c", "nobody"])
    assert stores.runs.start(run, started(run), [read]) == started(run), "who waits says nothing of the holder"
    assert stores.permits.get([lock])[lock] == Permit(lock, run.key, 1, ("b",))
    stores.permits.forget(lock, [])
    stores.permits.forget(lock, ["b"])
    assert stores.permits.get([lock])[lock].waiting == ()


@pytest.mark.parametrize("of_namespace", [False, True])
def test_of_twenty_concurrent_starts_as_many_succeed_as_there_are_slots(stores, ports, job, namespace, of_namespace):
    definition = unlocked(job, max_concurrency=None if of_namespace else 3)
    settings = Namespace(name=namespace, max_concurrency=3) if of_namespace else None
    runs = [run_at(job, NINE + number * SECOND) for number in range(20)]
    stores.runs.claim(runs)

    def race(number: int) -> PermitKey | None:
        run = runs[number]
        wanted = started(run, nonce=f"worker-{number}")
        return begin(stores, ports, run, wanted, definition, settings, now=NINE + MINUTE / 2)

    taken = Counter(together(race, 20))
    assert taken.pop(None) == 17
    assert taken == Counter(slot(namespace if of_namespace else job, number) for number in range(3))
    states = Counter(each.state for each in stores.runs.get([run.key for run in runs]).values())
    assert states == {RunState.RUNNING: 3, RunState.QUEUED: 17}


def test_the_slot_of_a_finished_or_dead_run_is_taken_once(stores, ports, job):
    definition = unlocked(job, max_concurrency=2)
    done, dead, *waits = (run_at(job, NINE + number * SECOND) for number in range(10))
    stores.runs.claim([done, dead, *waits])
    first = started(done)
    stores.runs.start(done, first, [Permit(slot(job, 0))])
    stores.runs.start(dead, started(dead), [Permit(slot(job, 1))])
    stores.runs.move(first, replace(first, state=RunState.SUCCEEDED, finished_at=NINE))

    def race(number: int, after: timedelta) -> PermitKey | None:
        run = waits[number]
        wanted = replace(started(run, nonce=f"worker-{number}"), lease_until=NINE + 5 * MINUTE)
        return begin(stores, ports, run, wanted, definition, now=NINE + after)

    before = [key for key in together(lambda number: race(number, MINUTE), 4) if key]
    assert len(before) == 1, "the one that has ended"
    after = [key for key in together(lambda number: race(number + 4, 2 * MINUTE), 4) if key]
    assert len(after) == 1, "the one whose lease has run out meanwhile"
