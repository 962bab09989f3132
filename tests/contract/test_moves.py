"""What every store promises of moves: one of those who move a run does, and the others learn how it stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import RunState, SkipReason
from minutehand.domain.transitions import IllegalMove
from tests.contract.examples import ERROR, HOUR, NINE, RESULT, SECOND, run_at, started
from tests.contract.stores import stored
from tests.contract.together import together


def test_a_start_moves_the_run(stores, run):
    assert stores.runs.move(run, started(run)) == started(run)
    assert stored(stores, run) == started(run)


def test_a_start_that_is_repeated_finds_its_own_nonce_and_has_succeeded(stores, run):
    stores.runs.move(run, started(run))
    assert stores.runs.move(run, started(run)) == started(run)


def test_a_start_after_anothers_start_is_answered_with_the_others(stores, run):
    stores.runs.move(run, started(run))
    assert stores.runs.move(run, started(run, nonce="worker-2")) == started(run)
    assert stored(stores, run) == started(run)


def test_of_many_who_start_an_attempt_at_once_one_does(stores, run):
    stands = together(lambda number: stores.runs.move(run, started(run, nonce=f"worker-{number}")))
    assert len(set(stands)) == 1
    assert stored(stores, run) == stands[0]


def test_a_report_moves_the_run(stores, run):
    running = stores.runs.move(run, started(run))
    ended = replace(running, state=RunState.SUCCEEDED, finished_at=NINE + SECOND, result=RESULT)
    assert stores.runs.move(running, ended) == ended
    assert stores.runs.move(running, ended) == ended
    assert stored(stores, run) == ended


def test_a_report_of_an_attempt_that_was_taken_over_changes_nothing(stores, run):
    late = stores.runs.move(run, started(run))
    taken_over = replace(started(run, nonce="worker-2", attempt=2), takeovers=1)
    assert stores.runs.move(late, taken_over) == taken_over
    report = replace(late, state=RunState.FAILED, finished_at=NINE + SECOND, error=ERROR)
    assert stores.runs.move(late, report) == taken_over
    assert stored(stores, run) == taken_over


def test_a_move_that_the_table_of_moves_does_not_have_is_refused(stores, run):
    with pytest.raises(IllegalMove, match="cannot go from queued to succeeded"):
        stores.runs.move(run, replace(run, state=RunState.SUCCEEDED))
    assert stored(stores, run) == run


def test_a_move_fails_when_the_nonce_alone_is_anothers(stores, run):
    stores.runs.move(run, started(run))
    mistaken = started(run, nonce="worker-2")
    assert stores.runs.move(mistaken, replace(mistaken, state=RunState.SUCCEEDED)) == started(run)


def test_a_move_fails_when_a_field_that_it_changes_was_changed_meanwhile(stores, run):
    marked = stores.runs.move(run, replace(run, resent_at=NINE + HOUR))
    assert stores.runs.move(run, replace(run, resent_at=NINE + 2 * HOUR)) == marked
    assert stored(stores, run) == marked


def test_a_move_leaves_alone_what_it_does_not_change(stores, run):
    stores.runs.move(run, replace(run, resent_at=NINE + HOUR))
    stores.runs.move(run, started(run))
    assert stored(stores, run) == replace(started(run), resent_at=NINE + HOUR)


def test_a_repeated_start_has_succeeded_whatever_else_was_marked_meanwhile(stores, run):
    running = stores.runs.move(run, started(run))
    stores.runs.move(running, replace(running, resent_at=NINE + HOUR))
    assert stores.runs.move(run, started(run)) == started(run)


def test_a_skipped_run_can_be_opened_again_and_looks_as_new(stores, run):
    skipped = replace(run, state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED, revision=2, finished_at=NINE)
    assert stores.runs.move(run, skipped) == skipped
    new = replace(run, revision=3, claimed_at=NINE + HOUR)
    assert stores.runs.move(skipped, new) == new
    assert stored(stores, run) == new


def test_a_move_that_changes_nothing_answers_how_the_run_stands(stores, run):
    stores.runs.move(run, started(run))
    assert stores.runs.move(run, run) == started(run)


def test_moving_a_run_that_is_gone_does_not_bring_it_back(stores, job):
    gone = run_at(job)
    with pytest.raises(Unavailable, match="is gone"):
        stores.runs.move(gone, started(gone))
    assert stores.runs.get([gone.key]) == {}


def test_an_end_that_was_asked_for_meanwhile_fences_off_every_move(stores, run):
    running = stores.runs.move(run, started(run))
    marked = stores.runs.move(running, replace(running, cancelled_by="ada"))
    assert marked.cancelled_by == "ada"
    for after in (
        replace(running, state=RunState.FAILED, finished_at=NINE + SECOND),
        replace(running, state=RunState.RETRYING, retry_at=NINE + HOUR),
        replace(running, lease_until=NINE + HOUR),
        replace(running, cancelled_by="bob"),
    ):
        assert stores.runs.move(running, after) == marked
    assert stored(stores, run) == marked


def test_a_start_that_does_not_know_of_the_end_that_was_asked_for_is_not_made(stores, run):
    marked = stores.runs.move(run, replace(run, cancelled_by="ada"))
    assert stores.runs.move(run, started(run)) == marked
    assert stored(stores, run) == marked


def test_of_a_flag_and_a_report_at_once_the_report_that_knows_of_it_ends_the_run(stores, run):
    running = stores.runs.move(run, started(run))
    flagged = replace(running, cancelled_by="ada")
    reported = replace(running, state=RunState.SUCCEEDED, finished_at=NINE + SECOND)
    stands = together(lambda number: stores.runs.move(running, flagged if number % 2 else reported))
    assert set(stands) == {stored(stores, run)}
    assert stands[0] in (flagged, reported)


def test_a_stale_reading_of_a_run_that_a_later_revision_has_taken_over_moves_nothing(stores, job):
    [mine] = [run_at(job)]
    stores.runs.claim([mine])
    taken = replace(mine, revision=mine.revision + 1)
    assert stores.runs.move(mine, taken) == taken
    skipped = replace(mine, state=RunState.SKIPPED, skip_reason=SkipReason.SUPERSEDED, finished_at=NINE)
    assert stores.runs.move(mine, skipped) == taken
    assert stores.runs.get([mine.key]) == {mine.key: taken}
