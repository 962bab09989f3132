"""Contract of stores of runs: deleting the runs beyond a job's `retention_count`."""

from __future__ import annotations

from dataclasses import replace

from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.stores import Payload
from tests.contract.examples import HOUR, MINUTE, NINE, SECOND, run_at, triggered


def kept(stores, job) -> list[Run]:
    return list(reversed(stores.runs.page(job, 100, None).items))


def test_the_oldest_runs_are_those_before_the_newest_finished_ones(stores, job):
    runs = [run_at(job, NINE + number * MINUTE, state=RunState.SUCCEEDED) for number in range(8)]
    asked = replace(runs[1], key=RunKey.triggered(job, NINE + MINUTE, "abc"), state=RunState.SKIPPED)
    waiting = [run_at(job, NINE + HOUR), run_at(job, NINE + HOUR + MINUTE, state=RunState.RETRYING)]
    stores.runs.claim([*runs, asked, *waiting])
    assert list(stores.runs.oldest(job, beyond=5, limit=100)) == [runs[0], runs[1], asked, runs[2]]
    assert list(stores.runs.oldest(job, beyond=5, limit=2)) == [runs[0], runs[1]]
    assert list(stores.runs.oldest(job, beyond=9, limit=2)) == []
    assert list(stores.runs.oldest(job, beyond=10, limit=2)) == []


def test_an_active_run_is_among_the_oldest_but_not_counted(stores, job):
    runs = [run_at(job, NINE + number * MINUTE, state=RunState.FAILED) for number in range(4)]
    runs[0] = replace(runs[0], state=RunState.WAITING)
    runs[3] = replace(runs[3], state=RunState.RUNNING)
    stores.runs.claim(runs)
    assert list(stores.runs.oldest(job, beyond=1, limit=100)) == runs[:2]


def test_a_job_without_runs_has_no_oldest(stores, job):
    assert list(stores.runs.oldest(job, beyond=1, limit=100)) == []


def test_runs_are_deleted_if_they_are_as_they_were_read(stores, jobs):
    one, other = jobs(2)
    runs = [run_at(one, NINE + number * SECOND, state=RunState.SKIPPED) for number in range(60)]
    stores.runs.claim([*runs, run_at(other, state=RunState.SKIPPED)])
    opened = stores.runs.move(runs[7], replace(runs[7], state=RunState.QUEUED, revision=2))
    stores.runs.forget([*runs[:58], run_at(other, NINE + HOUR)])
    stores.runs.forget(runs[:58])
    stores.runs.forget([])
    assert kept(stores, one) == [opened, *runs[58:]]
    assert len(kept(stores, other)) == 1


def test_a_run_is_deleted_with_its_payload_and_no_other(stores, job):
    runs = []
    for name in ("abc", "def"):
        run, deadline = triggered(job, name, own_payload=True)
        stores.runs.trigger(run, name, deadline, Payload({"for": name}))
        runs.append(stores.runs.move(run, replace(run, state=RunState.SKIPPED, finished_at=NINE)))
    stores.runs.forget(runs[:1])
    stores.runs.forget(runs[:1])
    assert kept(stores, job) == runs[1:]
    assert [stores.runs.payload(run.key) for run in runs] == [None, Payload({"for": "def"})]


def test_a_deleted_run_is_in_no_list_by_time(stores, job):
    runs = [run_at(job, NINE + number * MINUTE, state=RunState.FAILED, finished_at=NINE) for number in range(3)]
    stores.runs.claim(runs)
    stores.runs.forget(runs[:2])
    found = [key for page in stores.runs.within(job.namespace, NINE, NINE + HOUR) for key in page]
    assert found == [runs[2].key]
