from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from minutehand.domain.definition import Definition
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_decisions import Close, Decision, Done, Lose, Skip, Start, Wait, decide
from minutehand.domain.run_key import RunKey
from tests.unit.domain.examples import KEY, SECOND, at, definition, paused_revision, revision, run

FIRST_START = Start(attempt=1, takeover=False)


def decided(a_run: Run | None, a_definition: Definition | None, now: str = "09:00") -> Decision:
    return decide(a_run, a_definition, now=at(now))


def triggered(**fields: Any) -> Run:
    return run(key=RunKey.triggered(KEY, at("09:00"), "by-hand"), **fields)


def started_by_parents(**fields: Any) -> Run:
    return run(key=RunKey.child(KEY, at("09:00"), "of-two"), **fields)


def test_nothing_is_done_about_a_missing_run() -> None:
    assert decided(None, definition()) == Done()


@pytest.mark.parametrize("state", [state for state in RunState if state.finished])
def test_nothing_is_done_about_a_finished_run(state: RunState) -> None:
    assert decided(run(state=state), definition()) == Done()


@pytest.mark.parametrize(
    ("now", "decision", "why"),
    [
        ("08:59:59.999", Wait(until=at("09:00")), "nothing starts early"),
        ("09:00", FIRST_START, "on the instant"),
        ("11:00", FIRST_START, "however late: misfires are the tick's to judge"),
    ],
)
def test_a_queued_run_starts_at_its_instant(now: str, decision: Decision, why: str) -> None:
    assert decided(run(), definition(), now) == decision, why


def test_a_superseded_run_is_not_skipped_before_its_instant() -> None:
    paused = definition(revision(1, "08:00"), revision(2, "08:30", None), paused=True)
    assert decided(run(), paused, "08:59") == Wait(until=at("09:00")), "it may be resumed by then"


EVERY_MINUTE, QUARTERS = "* * * * *", "*/15 * * * *"

# The run is that of 09:05, claimed under revision 1; `now` is 09:05.
JUDGED = [
    ("the revision that claimed it governs", definition(revision(1, "09:00")), None),
    (
        "an edit after the instant says nothing about it",
        definition(revision(1, "09:00"), revision(2, "09:05", QUARTERS)),
        None,
    ),
    (
        "an edit that took effect a second before does, and does not name it",
        definition(revision(1, "09:00"), revision(2, "09:04:59", QUARTERS)),
        Skip(reason=SkipReason.SUPERSEDED, revision=2),
    ),
    (
        "an edit that names it as well lets it run: revisions that differ are no reason",
        definition(revision(1, "09:00"), revision(2, "09:04", "*/5 * * * *")),
        None,
    ),
    (
        "the governing edit names it, though a later one does not",
        definition(revision(1, "09:00"), revision(2, "09:04"), revision(3, "09:05", QUARTERS)),
        None,
    ),
    (
        "the governing edit does not name it, though a later one does; the newest is the judge",
        definition(revision(1, "09:00"), revision(2, "09:04", QUARTERS), revision(3, "09:05")),
        Skip(reason=SkipReason.SUPERSEDED, revision=3),
    ),
    (
        "paused before the instant, and still",
        definition(revision(1, "09:00"), revision(2, "09:04", None), paused=True),
        Skip(reason=SkipReason.PAUSED, revision=2),
    ),
    (
        "paused at the instant: what is paused now does not start, whatever governed",
        definition(revision(1, "09:00"), revision(2, "09:05", None), paused=True),
        Skip(reason=SkipReason.PAUSED, revision=2),
    ),
    (
        "paused over the instant and resumed since: it was not named",
        definition(revision(1, "09:00"), revision(2, "09:04", None), revision(3, "09:05")),
        Skip(reason=SkipReason.PAUSED, revision=3),
    ),
    (
        "paused and resumed before the instant: it is named again",
        definition(revision(1, "09:00"), revision(2, "09:03", None), revision(3, "09:04")),
        None,
    ),
    (
        "paused until after the instant, and still",
        definition(revision(1, "09:00"), paused_revision(2, "09:04", "09:06"), paused_until=at("09:06")),
        Skip(reason=SkipReason.PAUSED, revision=2),
    ),
    (
        "paused until after the instant, and resumed since: it was not named",
        definition(revision(1, "09:00"), paused_revision(2, "09:04", "09:06"), revision(3, "09:05")),
        Skip(reason=SkipReason.PAUSED, revision=3),
    ),
    (
        "paused until after the instant, and resumed before it: it is named again",
        definition(revision(1, "09:00"), paused_revision(2, "09:03", "09:06"), revision(3, "09:04")),
        None,
    ),
    (
        "paused until the instant: that is named again",
        definition(revision(1, "09:00"), paused_revision(2, "09:03", "09:05"), paused_until=at("09:05")),
        None,
    ),
    (
        "paused at the instant until later: what is paused now does not start, whatever governed",
        definition(revision(1, "09:00"), paused_revision(2, "09:05", "09:06"), paused_until=at("09:06")),
        Skip(reason=SkipReason.PAUSED, revision=2),
    ),
    (
        "deleted, even after the instant",
        definition(revision(1, "09:00"), revision(2, "09:05", None), deleted=True),
        Skip(reason=SkipReason.DELETED, revision=2),
    ),
    (
        "deleted while paused: the delete counts",
        definition(revision(1, "09:00"), revision(2, "09:03", None), deleted=True, paused=True),
        Skip(reason=SkipReason.DELETED, revision=2),
    ),
    (
        "deleted and created again before the instant: the new job names it",
        definition(revision(1, "09:00"), revision(2, "09:03", None), revision(3, "09:04")),
        None,
    ),
    (
        "there is no trace of the job: the claim's own revision is given",
        None,
        Skip(reason=SkipReason.DELETED, revision=1),
    ),
    ("the governing revision is no longer kept: the claim is believed", definition(revision(9, "09:06")), None),
]


@pytest.mark.parametrize(("why", "known", "skip"), JUDGED, ids=[row[0] for row in JUDGED])
def test_the_revision_in_effect_at_the_instant_decides(why: str, known: Definition | None, skip: Skip | None) -> None:
    assert decided(run("09:05"), known, "09:05") == (skip or FIRST_START)


def test_the_schedule_does_not_count_for_a_triggered_run() -> None:
    yearly = definition(revision(1, "08:00", "0 0 1 1 *"))
    assert decided(triggered(), yearly) == FIRST_START


def test_a_triggered_run_starts_while_the_job_is_paused() -> None:
    paused = definition(revision(1, "08:00"), revision(2, "08:30", None), paused=True)
    assert decided(triggered(), paused) == FIRST_START


def test_a_triggered_run_does_not_outlive_its_job() -> None:
    deleted = definition(revision(1, "08:00"), revision(2, "08:30", None), deleted=True)
    assert decided(triggered(), deleted) == Skip(reason=SkipReason.DELETED, revision=2)


REMADE = (revision(1, "08:00"), revision(2, "09:01", None, deleted=True), revision(3, "09:01:30"))
"""Deleted, and created again at once."""
GONE = Lose("attempt 1 ended without a report, and its job has been deleted")


@pytest.mark.parametrize("asked", [triggered, started_by_parents], ids=["triggered", "started by parents"])
def test_a_run_of_a_deleted_job_does_not_start_under_a_new_job_of_its_name(asked: Callable[..., Run]) -> None:
    assert decided(asked(), definition(*REMADE), "09:07") == Skip(reason=SkipReason.DELETED, revision=2)
    assert decided(asked(revision=3), definition(*REMADE), "09:07") == FIRST_START


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.RETRYING])
def test_an_attempt_of_a_deleted_job_is_not_followed_by_one_of_a_new_job_of_its_name(state: RunState) -> None:
    begun = run(state=state, attempt=1, lease_until=at("09:02"), retry_at=at("09:02"), started_at=at("09:00:05"))
    gone = GONE if state is RunState.RUNNING else Close(RunState.FAILED)
    assert decided(begun, definition(*REMADE), "09:03") == gone
    of_the_other = replace(begun, revision=3)
    assert isinstance(decided(of_the_other, definition(*REMADE), "09:03"), Start)


@pytest.mark.parametrize("asked", [triggered, started_by_parents], ids=["triggered", "started by parents"])
def test_a_worker_clock_that_is_ahead_moves_no_attempt_to_the_new_job(asked: Callable[..., Run]) -> None:
    begun = asked(state=RunState.RUNNING, attempt=1, lease_until=at("09:02"), started_at=at("09:01:01"))
    assert decided(begun, definition(*REMADE), "09:03") == GONE


def test_a_run_claimed_by_a_deleted_job_is_retried_if_the_new_job_names_it_too() -> None:
    begun = run("09:05", state=RunState.RETRYING, attempt=1, retry_at=at("09:06"), started_at=at("09:05"))
    assert decided(begun, definition(*REMADE), "09:07") == Start(attempt=2, takeover=False)


def used_up(takeovers: int) -> Lose:
    return Lose(f"attempt 3 ended without a report, after {takeovers} take-overs; none is left")


def running(**fields: Any) -> Run:
    return run(state=RunState.RUNNING, nonce="w", lease_until=at("09:02"), **fields)


@pytest.mark.parametrize(
    ("now", "decision", "why"),
    [
        (
            at("09:02") - SECOND / 1000,
            Wait(until=at("09:02")),
            "a live lease is its worker's alone, to its last moment",
        ),
        (at("09:02"), Start(attempt=2, takeover=True), "its end is the next one's beginning"),
        (at("10:00"), Start(attempt=2, takeover=True), "long gone"),
    ],
)
def test_a_lease_is_waited_for_and_then_taken_over(now: datetime, decision: Decision, why: str) -> None:
    assert decide(running(attempt=1), definition(takeovers=1), now=now) == decision, why


def test_a_running_attempt_without_a_lease_is_taken_over() -> None:
    assert decided(run(state=RunState.RUNNING, attempt=1), definition()) == Start(attempt=2, takeover=True)


@pytest.mark.parametrize(
    ("allowed", "done", "decision", "why"),
    [
        (0, 0, used_up(0), "none allowed: at most once"),
        (1, 0, Start(attempt=4, takeover=True), "the first"),
        (1, 1, used_up(1), "used up"),
        (2, 1, Start(attempt=4, takeover=True), "the second"),
        (2, 2, used_up(2), "used up"),
        (1, 2, used_up(2), "more than an edit now allows"),
    ],
)
def test_take_overs_are_counted(allowed: int, done: int, decision: Decision, why: str) -> None:
    dead = running(attempt=3, takeovers=done)
    assert decided(dead, definition(takeovers=allowed), "09:03") == decision, why


def test_policies_do_not_skip_a_run_that_has_begun() -> None:
    paused = definition(revision(1, "08:00"), revision(2, "08:30", None), paused=True)
    assert decided(running(attempt=1), paused, "09:03") == Start(attempt=2, takeover=True)


@pytest.mark.parametrize("gone", [None, definition(revision(2, "08:30", None), deleted=True)])
def test_a_dead_workers_run_of_a_deleted_job_is_lost(gone: Definition | None) -> None:
    assert decided(running(attempt=1), gone, "09:01") == Wait(until=at("09:02")), "a live worker may still report"
    assert decided(running(attempt=1), gone, "09:02") == GONE
    used_up = running(attempt=3, takeovers=2)
    assert decided(used_up, gone, "09:02") == Lose("attempt 3 ended without a report, and its job has been deleted")


@pytest.mark.parametrize(
    ("paused", "superseded", "expected"),
    [
        (True, False, Skip(reason=SkipReason.PAUSED, revision=1)),
        (False, True, FIRST_START),
        (False, False, FIRST_START),
    ],
)
def test_a_run_that_parents_started_is_stopped_by_a_pause_and_by_no_schedule(
    paused: bool, superseded: bool, expected: Decision
) -> None:
    known = [revision(1, "08:00", QUARTERS if superseded else EVERY_MINUTE)]
    assert decided(started_by_parents(), definition(*known, paused=paused), "09:07") == expected


def test_a_run_that_parents_started_of_a_deleted_job_is_skipped() -> None:
    deleted = definition(deleted=True)
    assert decided(started_by_parents(), deleted) == Skip(reason=SkipReason.DELETED, revision=1)
