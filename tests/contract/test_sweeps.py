"""Contract of stores of the sweep's progress and watchlists."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.sweeps import Span, SweepProgress, Watchlist
from tests.contract.examples import HOUR, MINUTE, NINE, SECOND
from tests.contract.stores import Stores


@pytest.fixture(autouse=True)
def no_lists_of_other_tests(stores) -> Iterator[None]:
    yield
    for page in list(stores.sweeps.due(NINE + timedelta(days=365))):
        for watchlist in page:
            stores.sweeps.drop(watchlist)


def due(stores: Stores, now) -> list[Watchlist]:
    return [watchlist for page in stores.sweeps.due(now) for watchlist in page]


def test_progress_is_recorded_by_the_first_of_two_sweeps(stores):
    before = stores.sweeps.progress() or SweepProgress(NINE)
    spans = (Span(NINE - HOUR, NINE - 5 * SECOND), Span(NINE - 3 * HOUR, NINE - 2 * HOUR))
    first = SweepProgress(NINE + MINUTE, spans, before.version + 1)
    assert stores.sweeps.record(first)
    assert not stores.sweeps.record(first._replace(until=NINE, left=()))
    assert stores.sweeps.progress() == first
    assert stores.sweeps.record(SweepProgress(NINE + 2 * MINUTE, (), before.version + 2))
    assert stores.sweeps.progress().left == ()


def test_watchlists_are_due_latest_first_until_they_are_dropped(stores, job):
    runs = tuple(RunKey.scheduled(job, NINE + n * SECOND) for n in range(3))
    lists = [Watchlist(NINE + n * MINUTE, runs, resends=n % 3) for n in range(7)]
    for watchlist in lists:
        stores.sweeps.watch(watchlist)
    assert due(stores, NINE - SECOND) == []
    assert due(stores, NINE) == lists[:1]
    assert due(stores, NINE + HOUR) == lists[::-1]
    for watchlist in lists[1:]:
        stores.sweeps.drop(watchlist)
        stores.sweeps.drop(watchlist)
    assert due(stores, NINE + HOUR) == lists[:1]


def test_lists_of_several_processes_for_one_instant_all_stay(stores, job):
    each = [Watchlist(NINE, (RunKey.triggered(job, NINE, key),)) for key in "abc"]
    for watchlist in (*each, *each):
        stores.sweeps.watch(watchlist)
    assert sorted(due(stores, NINE)) == each


def test_the_instant_of_a_list_is_rounded_up(stores, job):
    stores.sweeps.watch(Watchlist(NINE + SECOND / 2, (RunKey.scheduled(job, NINE),)))
    assert due(stores, NINE) == []
    [found] = due(stores, NINE + SECOND)
    assert found.look_at == NINE + SECOND
    stores.sweeps.drop(Watchlist(NINE + SECOND / 2, (RunKey.scheduled(job, NINE),)))
    assert due(stores, NINE + SECOND) == []
