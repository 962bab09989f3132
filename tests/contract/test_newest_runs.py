"""Contract of lists of runs: across the jobs of a namespace and of one job, newest first."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.errors import Unreadable
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_entry import entries_of
from minutehand.domain.run_key import RunKey
from tests.contract.examples import HOUR, MINUTE, NINE, SECOND, run_at
from tests.contract.stores import Stores
from tests.contract.together import together


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch):
    monkeypatch.setattr("minutehand.adapters.dynamodb.run_lists.AT_ONCE", 2)


def claim_together(stores: Stores, runs: list[Run]) -> None:
    """Claim runs as one dispatch does: those of a minute with entries."""
    entry_of = {}
    for entry, named in entries_of(runs):
        assert list(stores.runs.enter([entry])) == [True]
        entry_of |= {run.key: entry.id for run in named}
    stores.runs.claim([replace(run, entry=entry_of.get(run.key, "")) for run in runs])


def by_time(stores: Stores, namespace: str, start=NINE, end=NINE + 2 * HOUR) -> list[RunKey]:
    return [key for page in stores.run_lists.by_time(namespace, start, end) for key in page]


def newest_first(keys: list[RunKey]) -> list[RunKey]:
    ordered = sorted(keys, key=lambda key: key.job)
    return sorted(ordered, key=lambda key: key.run_id, reverse=True)


def test_runs_of_entries_and_of_the_index_are_in_one_order_newest_first(stores, jobs):
    runs = [run_at(job, NINE + step * 30 * SECOND) for job in jobs(4) for step in range(4)]
    claim_together(stores, runs)
    alone = [run_at(jobs(5)[4], NINE + step * 50 * MINUTE) for step in range(3)]
    alone += [replace(run, key=RunKey.triggered(run.key.job, run.scheduled_for, "a")) for run in alone]
    stores.runs.claim(alone)
    assert by_time(stores, jobs(1)[0].namespace) == newest_first([run.key for run in (*runs, *alone)])


def test_a_list_by_time_includes_its_start_and_excludes_its_end(stores, jobs):
    namespace = jobs(1)[0].namespace
    claim_together(stores, [run_at(job, NINE + step * SECOND) for job in jobs(2) for step in (58, 59, 60, 61)])
    stores.runs.claim([run_at(jobs(3)[2], NINE + step * SECOND) for step in (58, 59, 60, 61)])
    found = by_time(stores, namespace, NINE + 59 * SECOND, NINE + 61 * SECOND)
    assert [key.scheduled_for - NINE for key in found] == [60 * SECOND] * 3 + [59 * SECOND] * 3
    assert by_time(stores, namespace, NINE + 61 * SECOND, NINE + 59 * SECOND) == []


def test_a_list_by_time_has_no_run_of_another_namespace(stores, job):
    other = job._replace(namespace=f"{job.namespace}x")
    stores.runs.claim([run_at(job), run_at(other)])
    assert by_time(stores, job.namespace) == [run_at(job).key]


def test_a_run_that_two_entries_name_is_listed_once(stores, jobs):
    a, b, c = (run_at(job) for job in jobs(3))
    claim_together(stores, [a, b])
    claim_together(stores, [b, c])
    assert by_time(stores, a.key.job.namespace) == [a.key, b.key, c.key]


def test_claims_during_a_list_by_time_neither_hide_nor_repeat_older_runs(stores, jobs):
    runs = [run_at(job, NINE + step * MINUTE) for job in jobs(2) for step in range(20)]
    claim_together(stores, runs)
    namespace = jobs(1)[0].namespace
    pages = stores.run_lists.by_time(namespace, NINE, NINE + 2 * HOUR)
    first = list(next(pages))
    claim_together(stores, [run_at(job, NINE + HOUR + step * MINUTE) for job in jobs(2) for step in range(5)])
    assert first + [key for page in pages for key in page] == newest_first([run.key for run in runs])


def test_runs_that_ended_badly_are_listed_by_their_end_newest_first(stores, jobs):
    half = timedelta(milliseconds=500)
    ends = [NINE + half, NINE, NINE + SECOND, NINE + SECOND + half, NINE + HOUR, NINE]
    states = [RunState.FAILED, RunState.TIMED_OUT, RunState.LOST] * 2
    runs = [run_at(job, state=state, finished_at=at) for job, state, at in zip(jobs(6), states, ends, strict=True)]
    good = run_at(jobs(7)[6], state=RunState.CANCELLED, finished_at=NINE)
    stores.runs.claim([*runs, good])
    pages = stores.run_lists.by_end(good.key.job.namespace, NINE, NINE + HOUR)
    found = [(each.at, each.run) for page in pages for each in page]
    assert found == [(ends[place], runs[place].key) for place in (3, 2, 0, 1, 5)]


def test_a_job_has_its_runs_of_an_interval_newest_first(stores, jobs):
    job, other = jobs(2)
    runs = [run_at(job, NINE + step * MINUTE) for step in range(6)]
    asked = replace(runs[3], key=RunKey.triggered(job, runs[3].scheduled_for, "a"))
    stores.runs.claim([*runs, asked, run_at(other, NINE + 2 * MINUTE)])
    end = NINE + 4 * MINUTE
    assert stores.run_lists.of_job(job, NINE + MINUTE, end, 10) == [asked, runs[3], runs[2], runs[1]]
    assert stores.run_lists.of_job(job, NINE + MINUTE, end, 2) == [asked, runs[3]]
    assert list(stores.run_lists.of_job(job, end, end, 2)) == []


def test_lists_that_are_read_while_runs_are_claimed_name_every_run_once(stores, jobs):
    every = jobs(4)
    claim_together(stores, [run_at(job, NINE + step * MINUTE) for job in every for step in range(5)])
    before = newest_first([run_at(job, NINE + step * MINUTE).key for job in every for step in range(5)])

    def claim_or_list(number: int) -> list[RunKey]:
        if number % 2:
            later = NINE + HOUR + number * MINUTE
            claim_together(stores, [run_at(job, later) for job in every])
            return []
        return by_time(stores, every[0].namespace)

    for keys in filter(None, together(claim_or_list, 6)):
        assert [key for key in keys if key.scheduled_for < NINE + HOUR] == before
        assert len(keys) == len({*keys})


def test_an_entry_that_cannot_be_read_is_passed_over_and_reported(stores, jobs):
    claim_together(stores, [run_at(job) for job in jobs(2)])
    [(entry, _)] = entries_of([run_at(job, NINE + MINUTE) for job in jobs(2)])
    assert list(stores.runs.enter([entry._replace(names="report@later")])) == [True]
    troubles: list[Unreadable] = []
    pages = stores.run_lists.by_time(entry.namespace, NINE, NINE + HOUR, troubles.append)
    assert [key for page in pages for key in page] == [run_at(job).key for job in jobs(2)]
    assert len(troubles) == 1
