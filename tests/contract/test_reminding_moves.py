"""Contract of stores of runs: an update and its deadline are stored together or not at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Run, RunState
from minutehand.domain.timer import Deadline
from minutehand.domain.transitions import IllegalMove
from tests.contract.examples import HOUR, MILLISECONDS, NINE, SECOND, run_at, started
from tests.contract.stores import stored


def due_at(stores, run) -> list[Deadline]:
    return [timer for timer in stores.due(run.key.job, NINE + 2 * HOUR) if isinstance(timer, Deadline)]


def ended(run: Run) -> Run:
    return replace(run, state=RunState.CANCELLED, cancelled_by="ada", finished_at=NINE + SECOND)


def test_a_reminding_move_stores_the_run_and_the_deadline(stores, run):
    deadline = Deadline(run.key, NINE + HOUR)
    assert stores.runs.move_reminding(run, ended(run), deadline) == ended(run)
    assert stored(stores, run) == ended(run)
    assert due_at(stores, run) == [deadline]
    stores.timers.settle(deadline)
    assert due_at(stores, run) == []


def test_the_deadline_of_a_move_never_comes_early(stores, run):
    stores.runs.move_reminding(run, ended(run), Deadline(run.key, NINE + MILLISECONDS))
    assert due_at(stores, run) == [Deadline(run.key, NINE + SECOND)]


def test_a_failed_reminding_move_stores_no_deadline(stores, run):
    running = stores.runs.move(run, started(run))
    assert stores.runs.move_reminding(run, ended(run), Deadline(run.key, NINE + HOUR)) == running
    assert stored(stores, run) == running
    assert due_at(stores, run) == []


def test_a_repeated_reminding_move_succeeds_without_a_second_deadline(stores, run):
    deadline = Deadline(run.key, NINE + HOUR)
    stores.runs.move_reminding(run, ended(run), deadline)
    stores.timers.settle(deadline)
    assert stores.runs.move_reminding(run, ended(run), deadline) == ended(run)
    assert due_at(stores, run) == []


def test_a_reminding_move_of_a_missing_run_stores_nothing(stores, job):
    gone = run_at(job)
    with pytest.raises(Unavailable, match="does not exist any more"):
        stores.runs.move_reminding(gone, ended(gone), Deadline(gone.key, NINE + HOUR))
    assert (stores.runs.get([gone.key]), due_at(stores, gone)) == ({}, [])


def test_an_impossible_reminding_move_is_refused(stores, run):
    with pytest.raises(IllegalMove):
        stores.runs.move_reminding(run, replace(run, state=RunState.SUCCEEDED), Deadline(run.key, NINE))
    assert (stored(stores, run), due_at(stores, run)) == (run, [])
