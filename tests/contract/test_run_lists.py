"""Contract of stores of runs: lists of a job in pages, and of a namespace by time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.adapters import cursors
from minutehand.domain.errors import Invalid
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from tests.contract.examples import HOUR, MILLISECONDS, MINUTE, NINE, SECOND, run_at, triggered


def test_runs_are_listed_newest_first(stores, job):
    asked, deadline = triggered(job, instant=NINE + MINUTE)
    stores.runs.claim([run_at(job), run_at(job, NINE + HOUR), run_at(job, NINE + MINUTE)])
    stores.runs.trigger(asked, "a key", deadline)
    page = stores.runs.page(job, 10, None)
    assert [run.key for run in page.items] == [
        run_at(job, NINE + HOUR).key,
        asked.key,
        run_at(job, NINE + MINUTE).key,
        run_at(job).key,
    ]
    assert page.next is None


@pytest.mark.parametrize(("limit", "pages"), [(1, 5), (2, 3), (4, 2), (5, 1), (6, 1)])
def test_runs_are_listed_in_pages_without_an_empty_last_page(stores, job, limit, pages):
    runs = [run_at(job, NINE + number * MINUTE) for number in range(5)]
    stores.runs.claim(runs)
    found, cursor, asked = [], None, 0
    while cursor is not None or not asked:
        page = stores.runs.page(job, limit, cursor)
        found += page.items
        cursor, asked = page.next, asked + 1
    assert (found, asked) == (runs[::-1], pages)


def test_pages_are_stable_while_new_runs_are_claimed(stores, job):
    stores.runs.claim([run_at(job), run_at(job, NINE + HOUR)])
    cursor = stores.runs.page(job, 1, None).next
    stores.runs.claim([run_at(job, NINE + 2 * HOUR)])
    assert stores.runs.page(job, 1, cursor).items == (run_at(job),)


@pytest.mark.parametrize("looked_at", [1, 2, 500])
@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_runs_in_given_states_are_listed_in_pages_newest_first(stores, job, limit, looked_at, monkeypatch):
    for adapter in ("memory", "dynamodb"):
        monkeypatch.setattr(f"minutehand.adapters.{adapter}.runs.MOST_LOOKED_AT", looked_at)
    runs = [run_at(job, NINE + number * MINUTE) for number in range(7)]
    stores.runs.claim(runs)
    for number, state in (
        (1, RunState.SKIPPED),
        (2, RunState.CANCELLED),
        (4, RunState.SKIPPED),
        (6, RunState.CANCELLED),
    ):
        stores.runs.move(runs[number], replace(runs[number], state=state, finished_at=NINE + HOUR))
    wanted = (RunState.SKIPPED, RunState.CANCELLED)
    found, cursor, asked = [], None, 0
    while cursor is not None or not asked:
        page = stores.runs.page(job, limit, cursor, wanted)
        assert len(page.items) <= limit
        found += page.items
        cursor, asked = page.next, asked + 1
    assert [run.key for run in found] == [runs[number].key for number in (6, 4, 2, 1)]
    assert asked <= 1 + len(runs) // min(limit, looked_at)
    assert stores.runs.page(job, 10, None, (RunState.LOST,)).items == ()


def test_a_job_without_runs_has_an_empty_page(stores, job):
    page = stores.runs.page(job, 10, None)
    assert (page.items, page.next) == ((), None)


@pytest.mark.parametrize("cursor", ["", "nonsense", "bm9uc2Vuc2U", "ünicode", "W10", "e30"])
def test_a_list_of_runs_refuses_an_invalid_cursor(stores, job, cursor):
    with pytest.raises(Invalid) as refusal:
        stores.runs.page(job, 10, cursor)
    assert [problem.path for problem in refusal.value.problems] == ["cursor"]


def test_a_list_of_runs_refuses_the_cursor_of_another_job(stores, jobs):
    one, other = jobs(2)
    stores.runs.claim([run_at(one), run_at(one, NINE + HOUR)])
    cursor = stores.runs.page(one, 1, None).next
    with pytest.raises(Invalid, match="another list"):
        stores.runs.page(other, 1, cursor)


def test_runs_between_two_instants_are_later_than_the_first_and_not_later_than_the_second(stores, jobs):
    job, other = jobs(2)
    asked = [triggered(job, instant=NINE + number * SECOND) for number in range(4)]
    for number, (run, deadline) in enumerate(asked):
        stores.runs.trigger(run, f"key {number}", deadline)
    runs = [run_at(job, NINE + number * SECOND) for number in range(4)]
    stores.runs.claim([*runs, run_at(other, NINE + SECOND)])
    wanted = [runs[1], asked[1][0], runs[2], asked[2][0]]
    assert list(stores.runs.between(job, NINE, NINE + 2 * SECOND)) == wanted
    assert list(stores.runs.between(job, NINE + MILLISECONDS, NINE + 2 * SECOND + MILLISECONDS)) == wanted
    assert list(stores.runs.between(job, NINE, NINE)) == []
    assert list(stores.runs.between(job, NINE + SECOND, NINE)) == []


def test_an_hour_holds_the_runs_of_the_whole_namespace_and_of_no_other(stores, jobs):
    wanted = [run_at(job, NINE + number * MINUTE) for number, job in enumerate(jobs(20))]
    elsewhere = jobs(1)[0]._replace(namespace=f"{jobs(1)[0].namespace}x")
    stores.runs.claim([*wanted, run_at(elsewhere), run_at(wanted[0].key.job, NINE + HOUR)])
    found = [key for page in stores.runs.within(jobs(1)[0].namespace, NINE, NINE + HOUR) for key in page]
    assert sorted(found) == sorted(run.key for run in wanted)


def test_an_interval_includes_its_start_and_excludes_its_end_for_every_kind_of_run(stores, job):
    inside = [run_at(job, NINE + 58 * MINUTE), run_at(job, NINE + HOUR), run_at(job, NINE + HOUR + 2 * MINUTE)]
    key = RunKey.triggered(job, NINE + HOUR + 2 * MINUTE, "a1")
    asked_for = replace(inside[-1], key=key)
    outside = [run_at(job, NINE + 58 * MINUTE - SECOND), run_at(job, NINE + HOUR + 2 * MINUTE + SECOND)]
    stores.runs.claim([*inside, asked_for, *outside])
    pages = stores.runs.within(job.namespace, NINE + 58 * MINUTE, NINE + HOUR + 2 * MINUTE + SECOND)
    assert {found for page in pages for found in page} == {*(run.key for run in inside), key}


@pytest.mark.parametrize("limit", [1, 2, 10])
@pytest.mark.parametrize("states", [(), (RunState.QUEUED,)])
def test_runs_of_an_interval_are_listed_in_pages_from_its_start_to_before_its_end(stores, job, limit, states):
    runs = [run_at(job, NINE + number * MINUTE) for number in range(7)]
    asked, deadline = triggered(job, instant=NINE + 4 * MINUTE)
    stores.runs.claim(runs)
    stores.runs.trigger(asked, "a key", deadline)
    within = (NINE + 2 * MINUTE, NINE + 5 * MINUTE)
    found, cursor, turns = [], None, 0
    while cursor is not None or not turns:
        page = stores.runs.page(job, limit, cursor, states, within)
        found += [run.key for run in page.items]
        cursor, turns = page.next, turns + 1
    assert found == [asked.key, runs[4].key, runs[3].key, runs[2].key]


def test_a_cursor_of_an_interval_belongs_to_that_interval(stores, job):
    stores.runs.claim([run_at(job, NINE + number * MINUTE) for number in range(4)])
    cursor = stores.runs.page(job, 1, None, (), (NINE, NINE + HOUR)).next
    for within in (None, (NINE, NINE + 2 * HOUR)):
        with pytest.raises(Invalid, match="another list"):
            stores.runs.page(job, 1, cursor, (), within)


def test_a_cursor_outside_of_its_interval_leads_to_an_empty_page(stores, job):
    stores.runs.claim([run_at(job, NINE + number * HOUR) for number in range(2)])
    within = (NINE, NINE + MINUTE)
    altered = cursors.encode(listing="runs", of=cursors.owner_of_runs(job, within), last="20261119T000000Z")
    assert stores.runs.page(job, 1, altered, (), within).items == ()
