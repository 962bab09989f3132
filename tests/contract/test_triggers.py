"""Contract of stores of runs: an idempotency key creates one run."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.usecases.ports.stores import Payload
from tests.contract.examples import HOUR, MINUTE, NINE, SECOND, started, triggered
from tests.contract.stores import stored
from tests.contract.together import together

DAY = timedelta(days=1)


def test_a_trigger_creates_the_run_and_its_deadline(stores, job):
    run, deadline = triggered(job)
    assert stores.runs.trigger(run, "a key", deadline) == run
    assert stored(stores, run) == run
    assert stores.due(job, NINE + MINUTE) == [deadline]


def test_a_trigger_with_a_used_key_returns_its_run_and_writes_nothing(stores, job):
    first, deadline = triggered(job)
    stores.runs.trigger(first, "a key", deadline)
    moved = stores.runs.move(first, started(first))
    second, other_deadline = triggered(job, "def", NINE + HOUR)
    assert stores.runs.trigger(second, "a key", other_deadline) == moved
    assert stores.runs.trigger(first, "a key", deadline) == moved
    assert stores.runs.get([second.key]) == {}
    assert stores.due(job, NINE + 2 * HOUR) == [deadline]


def test_another_key_or_another_job_makes_another_run(stores, jobs):
    one, other = jobs(2)
    runs = [triggered(one, "a"), triggered(one, "b"), triggered(other, "a")]
    for (run, deadline), key in zip(runs, ["a key", "b key", "a key"], strict=True):
        assert stores.runs.trigger(run, key, deadline) == run
    assert len(stores.runs.get([run.key for run, _ in runs])) == 3


def test_a_key_is_forgotten_after_a_day(stores, job):
    first, deadline = triggered(job)
    stores.runs.trigger(first, "a key", deadline)
    early, early_deadline = triggered(job, "b", NINE + DAY - SECOND)
    assert stores.runs.trigger(early, "a key", early_deadline) == first
    late, late_deadline = triggered(job, "c", NINE + DAY)
    assert stores.runs.trigger(late, "a key", late_deadline) == late


def test_a_key_is_forgotten_with_its_run(stores, job):
    first, deadline = triggered(job, expires_at=NINE + HOUR)
    stores.runs.trigger(first, "a key", deadline)
    late, late_deadline = triggered(job, "c", NINE + HOUR)
    assert stores.runs.trigger(late, "a key", late_deadline) == late


def test_a_key_of_an_earlier_revision_than_counts_is_forgotten(stores, job):
    first, deadline = triggered(job, revision=3)
    assert stores.runs.trigger(first, "a key", deadline) == first
    same, same_deadline = triggered(job, "b", NINE + SECOND, revision=4)
    assert stores.runs.trigger(same, "a key", same_deadline, None, 3) == first
    anew, anew_deadline = triggered(job, "c", NINE + MINUTE, revision=5)
    assert stores.runs.trigger(anew, "a key", anew_deadline, None, 4) == anew
    again, again_deadline = triggered(job, "d", NINE + HOUR, revision=5)
    assert stores.runs.trigger(again, "a key", again_deadline, None, 4) == anew


def test_a_trigger_of_an_existing_run_returns_it(stores, job):
    run, deadline = triggered(job)
    stores.runs.trigger(run, "a key", deadline)
    assert stores.runs.trigger(replace(run, revision=5), "b key", deadline) == run


def test_a_key_may_be_long_and_in_any_script(stores, job):
    run, deadline = triggered(job)
    key = "ключ" * 1000
    assert stores.runs.trigger(run, key, deadline) == run
    assert stores.runs.trigger(replace(run, revision=5), key, deadline) == run


@pytest.mark.parametrize("value", [None, True, 0, "", "ü", [1, 2.5, {"a": None}], {"deep": [[]]}])
def test_a_runs_own_payload_is_stored(stores, job, value):
    run, deadline = triggered(job, own_payload=True)
    assert stores.runs.trigger(run, "a key", deadline, Payload(value)) == run
    kept = stores.runs.payload(run.key)
    assert kept == Payload(value)
    assert type(kept.value) is type(value)
    assert stores.runs.page(job, 10, None).items == (run,), "it is no run"


def test_a_run_without_a_payload_of_its_own_has_none(stores, job):
    run, deadline = triggered(job)
    stores.runs.trigger(run, "a key", deadline)
    assert stores.runs.payload(run.key) is None


def test_a_trigger_that_is_repeated_keeps_the_first_payload(stores, job):
    run, deadline = triggered(job, own_payload=True)
    stores.runs.trigger(run, "a key", deadline, Payload("first"))
    stores.runs.trigger(run, "a key", deadline, Payload("second"))
    assert stores.runs.payload(run.key) == Payload("first")


def test_of_concurrent_triggers_with_one_key_one_creates_the_run(stores, job):
    made = together(lambda number: stores.runs.trigger(*_arguments(job, number)))
    assert len({run.key for run in made}) == 1
    assert [run.key for run in stores.runs.page(job, 10, None).items] == [made[0].key]
    assert [timer.run for timer in stores.due(job, NINE + HOUR)] == [made[0].key]


def _arguments(job, number):
    run, deadline = triggered(job, f"id{number}")
    return run, "one key", deadline
