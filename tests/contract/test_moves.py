"""Contract of stores of runs: of concurrent updates one succeeds, and the others get the current run."""

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


def test_a_start_after_another_start_returns_the_other(stores, run):
    stores.runs.move(run, started(run))
    assert stores.runs.move(run, started(run, nonce="worker-2")) == started(run)
    assert stored(stores, run) == started(run)


def test_of_concurrent_starts_of_an_attempt_one_succeeds(stores, run):
    results = together(lambda number: stores.runs.move(run, started(run, nonce=f"worker-{number}")))
    assert len(set(results)) == 1
    assert stored(stores, run) == results[0]


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


def test_an_impossible_transition_is_refused(stores, run):
    with pytest.raises(IllegalMove, match="cannot go from queued to succeeded"):
        stores.runs.move(run, replace(run, state=RunState.SUCCEEDED))
    assert stored(stores, run) == run


def test_a_move_fails_if_only_the_nonce_differs(stores, run):
    stores.runs.move(run, started(run))
    mistaken = started(run, nonce="worker-2")
    assert stores.runs.move(mistaken, replace(mistaken, state=RunState.SUCCEEDED)) == started(run)


def test_a_move_fails_when_a_field_that_it_changes_was_changed_meanwhile(stores, run):
    marked = stores.runs.move(run, replace(run, resent_at=NINE + HOUR))
    assert stores.runs.move(run, replace(run, resent_at=NINE + 2 * HOUR)) == marked
    assert stored(stores, run) == marked


def test_a_move_keeps_the_fields_that_it_does_not_change(stores, run):
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


def test_a_move_that_changes_nothing_returns_the_current_run(stores, run):
    stores.runs.move(run, started(run))
    assert stores.runs.move(run, run) == started(run)


def test_moving_a_missing_run_does_not_create_it(stores, job):
    gone = run_at(job)
    with pytest.raises(Unavailable, match="does not exist any more"):
        stores.runs.move(gone, started(gone))
    assert stores.runs.get([gone.key]) == {}


def test_a_cancel_request_makes_every_stale_move_fail(stores, run):
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


def test_a_start_that_has_not_seen_the_cancel_request_fails(stores, run):
    marked = stores.runs.move(run, replace(run, cancelled_by="ada"))
    assert stores.runs.move(run, started(run)) == marked
    assert stored(stores, run) == marked


def test_of_a_concurrent_cancel_and_report_the_report_that_has_seen_it_ends_the_run(stores, run):
    running = stores.runs.move(run, started(run))
    flagged = replace(running, cancelled_by="ada")
    reported = replace(running, state=RunState.SUCCEEDED, finished_at=NINE + SECOND)
    results = together(lambda number: stores.runs.move(running, flagged if number % 2 else reported))
    assert set(results) == {stored(stores, run)}
    assert results[0] in (flagged, reported)


def test_a_stale_move_fails_after_a_later_revision_has_claimed_the_run(stores, job):
    [mine] = [run_at(job)]
    stores.runs.claim([mine])
    taken = replace(mine, revision=mine.revision + 1)
    assert stores.runs.move(mine, taken) == taken
    skipped = replace(mine, state=RunState.SKIPPED, skip_reason=SkipReason.SUPERSEDED, finished_at=NINE)
    assert stores.runs.move(mine, skipped) == taken
    assert stores.runs.get([mine.key]) == {mine.key: taken}
