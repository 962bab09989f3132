"""The successors of a run: pure, allowed by the transition table, and cut to what a record holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.deadlines import LEASE_MARGIN
from minutehand.domain.definition import Definition
from minutehand.domain.endpoint import Visit
from minutehand.domain.job_key import JobKey
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.policies import Retry
from minutehand.domain.run import Progress, Result, Run, RunError, RunState, SkipReason
from minutehand.domain.run_decisions import Close, Lose, Miss, Skip, Start
from minutehand.domain.run_successors import (
    MOST_ATTEMPTS,
    MOST_VISITS,
    PREVIEW,
    Mark,
    answered_later,
    asked_to_cancel,
    cancelled,
    concluded,
    decided,
    heard_from,
    is_same_attempt,
    kept_longer,
    looking_again,
    lost,
    progressed,
    started,
)
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from minutehand.domain.transitions import MOVES, check
from minutehand.targets.http.fields import HttpTarget
from tests.unit.domain.examples import MINUTE, SECOND, at, definition, job, run

NOW = at("09:01")
MARK = Mark(nonce="digest", worker="lines", at=NOW)
FAILED = Outcome(RunState.FAILED, Result("http", 500, "oh no"), RunError("HttpStatus", "500"))
SUCCEEDED = Outcome(RunState.SUCCEEDED, Result("http", 200, "ok"))
OUT_OF_TIME = RunError(ErrorType.ANSWER_MISSED, "no answer")

RUNNING = started(run(), Start(1, takeover=False), job(), MARK._replace(at=at("09:00:01")))
WAITING = answered_later(RUNNING, Outcome(RunState.WAITING), job(), NOW)
RETRIES = replace(definition(), job=job(retry=Retry(max_attempts=3)))
RETRYING = concluded(RUNNING, FAILED, RETRIES, NOW).run
BY_STATE = {RunState.QUEUED: run(), RunState.RUNNING: RUNNING, RunState.WAITING: WAITING, RunState.RETRYING: RETRYING}

SUCCESSORS: dict[str, tuple[tuple[RunState, ...], Callable[[Run], Run]]] = {
    "started": (
        (RunState.QUEUED, RunState.RUNNING, RunState.RETRYING),
        lambda one: started(one, Start(one.attempt + 1, takeover=False), job(), MARK),
    ),
    "looking_again": (
        (RunState.QUEUED, RunState.RUNNING, RunState.RETRYING),
        lambda one: looking_again(one, NOW, None),
    ),
    "answered_later": (
        (RunState.RUNNING, RunState.WAITING),
        lambda one: answered_later(one, Outcome(RunState.WAITING), job(), NOW),
    ),
    "concluded": ((RunState.RUNNING, RunState.WAITING), lambda one: concluded(one, FAILED, None, NOW).run),
    "concluded with a retry": (
        (RunState.RUNNING, RunState.WAITING),
        lambda one: concluded(one, FAILED, RETRIES, NOW).run,
    ),
    "missed": ((RunState.WAITING,), lambda one: decided(one, Miss(OUT_OF_TIME), None, NOW)),
    "skipped": ((RunState.QUEUED,), lambda one: decided(one, Skip(SkipReason.PAUSED, 1), None, NOW)),
    "closed": (
        (RunState.RUNNING, RunState.WAITING, RunState.RETRYING),
        lambda one: decided(one, Close(RunState.TIMED_OUT, OUT_OF_TIME), None, NOW),
    ),
    "lost": (tuple(BY_STATE), lambda one: lost(one, "its worker died", None, NOW)),
    "cancelled": (tuple(BY_STATE), lambda one: cancelled(one, None, NOW, by="ada")),
    "asked to cancel": (tuple(BY_STATE), lambda one: asked_to_cancel(one, by="ada")),
    "progressed": (
        (RunState.RUNNING, RunState.WAITING),
        lambda one: progressed(one, Progress(percent=10, text="started")),
    ),
    "heard from": ((RunState.RUNNING, RunState.WAITING), lambda one: heard_from(one, definition(), NOW)),
}


@pytest.mark.parametrize("name", SUCCESSORS)
def test_every_successor_is_a_move_of_the_transition_table(name: str) -> None:
    states, successor = SUCCESSORS[name]
    for state in states:
        check(BY_STATE[state], successor(BY_STATE[state]))


def test_the_examples_reach_every_active_state_and_most_final_ones() -> None:
    assert {state: one.state for state, one in BY_STATE.items()} == {state: state for state in BY_STATE}
    reached = {successor(BY_STATE[state]).state for states, successor in SUCCESSORS.values() for state in states}
    assert set(MOVES) - reached == {RunState.SUCCEEDED}


def test_a_start_clears_what_the_last_attempt_left_and_keeps_it_among_the_attempts() -> None:
    again = started(RETRYING, Start(2, takeover=False), job(), MARK)
    assert (again.result, again.error, again.retry_at, again.finished_at) == (None, None, None, None)
    assert (again.attempt, again.nonce, again.started_at) == (2, "digest", NOW)
    assert [(one.number, one.state, one.error) for one in again.attempts] == [(1, RunState.FAILED, RETRYING.error)]


def test_a_take_over_counts_and_keeps_the_dead_attempt_as_running() -> None:
    again = started(RUNNING, Start(2, takeover=True), job(), MARK)
    assert (again.takeovers, again.attempts[-1].state) == (1, RunState.RUNNING)


def test_the_lease_of_a_start_ends_a_margin_after_the_limit_of_the_run() -> None:
    short = started(run(), Start(1, takeover=False), job(timeout=MINUTE, run_timeout=20 * SECOND), MARK)
    assert short.lease_until == NOW + 20 * SECOND + LEASE_MARGIN


def test_a_run_keeps_its_newest_attempts() -> None:
    one = run()
    for number in range(1, MOST_ATTEMPTS + 5):
        one = started(one, Start(number, takeover=True), job(), MARK)
    assert [each.number for each in one.attempts] == list(range(4, MOST_ATTEMPTS + 4))


def test_lateness_is_that_of_the_first_attempt() -> None:
    assert RUNNING.lateness == SECOND
    assert started(RETRYING, Start(2, takeover=False), job(), MARK).lateness == SECOND


def test_a_final_outcome_is_not_retried() -> None:
    assert concluded(RUNNING, FAILED, RETRIES, NOW).run.state is RunState.RETRYING
    assert concluded(RUNNING, FAILED._replace(final=True), RETRIES, NOW).run.state is RunState.FAILED


@pytest.mark.parametrize(("shadow", "reason"), [(False, SkipReason.TARGET), (True, SkipReason.SHADOW)])
def test_an_attempt_that_ends_in_a_skip_says_whether_its_target_was_called(shadow: bool, reason: SkipReason) -> None:
    result = Result("callback", 0, "exit code 75")
    for before in (RUNNING, WAITING):
        after = concluded(replace(before, shadow=shadow), Outcome(RunState.SKIPPED, result), RETRIES, NOW).run
        assert (after.state, after.skip_reason, after.retry_at) == (RunState.SKIPPED, reason, None)
        assert (after.result, after.finished_at, after.deadline_at) == (result, NOW, None)
        assert not after.never_began


def test_a_cancelled_run_whose_target_had_nothing_to_do_is_not_skipped() -> None:
    asked = replace(WAITING, cancelled_by="bob")
    after = concluded(asked, Outcome(RunState.SKIPPED), None, NOW).run
    assert (after.state, after.skip_reason) == (RunState.CANCELLED, None)


@pytest.mark.parametrize("without", [None, replace(RETRIES, deleted=True)])
def test_a_run_without_a_job_is_not_retried(without: Definition | None) -> None:
    assert concluded(RUNNING, FAILED, without, NOW).run.state is RunState.FAILED


def test_a_cancelled_run_ends_cancelled_unless_it_succeeded() -> None:
    asked = asked_to_cancel(RUNNING, by="ada")
    assert concluded(asked, FAILED, RETRIES, NOW).run.state is RunState.CANCELLED
    assert concluded(asked, SUCCEEDED, RETRIES, NOW).run.state is RunState.SUCCEEDED


@pytest.mark.parametrize(
    ("body", "short", "overflows"),
    [
        ("x" * PREVIEW, "x" * PREVIEW, False),
        ("x" * PREVIEW + "y", "x" * PREVIEW, True),
        ("é" * PREVIEW, "é" * 128, True),
    ],
)
def test_a_record_holds_a_preview_cut_between_characters(body: str, short: str, overflows: bool) -> None:
    after, more = concluded(RUNNING, SUCCEEDED._replace(result=Result("http", 200, body)), None, NOW)
    assert after.result is not None
    assert (after.result.body, after.detailed, more) == (short, overflows, overflows)


def test_a_result_whose_place_the_next_attempt_takes_is_kept_beside_the_run() -> None:
    after, overflows = concluded(RUNNING, FAILED, RETRIES, NOW)
    assert (after.state, after.detailed, overflows) == (RunState.RETRYING, False, True)


def test_a_stack_is_never_part_of_the_record() -> None:
    error = RunError("ValueError", "no", stack="line 1")
    after, overflows = concluded(RUNNING, Outcome(RunState.FAILED, error=error), None, NOW)
    assert (after.error, overflows) == (RunError("ValueError", "no"), True)


def test_a_run_that_ends_while_it_waits_for_its_retry_keeps_the_attempt_before() -> None:
    ended = cancelled(RETRYING, None, NOW + MINUTE, by="ada")
    assert [(one.number, one.finished_at) for one in ended.attempts] == [(1, NOW)]
    assert (ended.cancelled_by, ended.finished_at, ended.error) == ("ada", NOW + MINUTE, RETRYING.error)
    assert cancelled(RUNNING, None, NOW, by="ada").attempts == ()


def test_the_first_who_asks_for_a_cancel_stays_on_record() -> None:
    assert asked_to_cancel(asked_to_cancel(RUNNING, by="ada"), by="bob").cancelled_by == "ada"


def test_a_heartbeat_moves_the_lease_up_to_the_deadline() -> None:
    target = HttpTarget(method="POST", url="https://api.test", heartbeat=30 * SECOND)
    known = replace(definition(), job=job(target=target, timeout=2 * MINUTE))
    waiting = answered_later(RUNNING, Outcome(RunState.WAITING), known.job, NOW)
    assert (waiting.lease_until, waiting.deadline_at) == (NOW + 30 * SECOND, at("09:02:01"))
    assert heard_from(waiting, known, NOW + 20 * SECOND).lease_until == NOW + 50 * SECOND
    assert heard_from(waiting, known, NOW + 50 * SECOND).lease_until == at("09:02:01")
    assert heard_from(waiting, definition(), NOW).lease_until == at("09:02:01"), "its job has no heartbeat any more"
    assert heard_from(waiting, None, NOW) == waiting
    assert heard_from(RUNNING, known, NOW) == RUNNING


def test_an_edit_lengthens_the_time_between_heartbeats_of_an_attempt_and_never_shortens_it() -> None:
    def known(seconds: int) -> Definition:
        target = HttpTarget(method="POST", url="https://api.test", heartbeat=seconds * SECOND)
        return replace(definition(), job=job(target=target, timeout=10 * MINUTE))

    waiting = answered_later(RUNNING, Outcome(RunState.WAITING), known(90).job, NOW)
    for seconds, lasts in ((30, 90), (90, 90), (120, 120)):
        assert heard_from(waiting, known(seconds), NOW).lease_until == NOW + lasts * SECOND
    before = replace(waiting, heartbeat=None)
    assert heard_from(before, known(30), NOW).lease_until == NOW + 30 * SECOND, "an earlier version started it"


def test_a_run_that_looks_for_a_slot_again_has_an_instant_for_it_unless_its_worker_died() -> None:
    taken = TakenLimit(LimitKind.NAMED, 3, "db")
    again = looking_again(run(), NOW, taken)
    assert (again.retry_at, again.waits_for) == (NOW, taken)
    assert looking_again(RUNNING, NOW, taken) == RUNNING


@pytest.mark.parametrize(
    "goes_on",
    [
        lambda one: started(one, Start(1, takeover=False), job(), MARK),
        lambda one: decided(one, Skip(SkipReason.PAUSED, 1), None, NOW),
        lambda one: cancelled(one, None, NOW, by="ada"),
        lambda one: looking_again(one, NOW, None),
    ],
)
def test_a_run_that_goes_on_waits_for_no_limit(goes_on: Callable[[Run], Run]) -> None:
    waits = looking_again(run(), NOW, TakenLimit(LimitKind.JOB, 1))
    assert goes_on(waits).waits_for is None


def test_a_record_that_waits_is_kept_for_at_least_half_its_retention() -> None:
    kept = timedelta(days=2)
    one = run(expires_at=NOW + kept)
    assert kept_longer(one, job(retention=kept), NOW) == one
    assert kept_longer(one, job(retention=kept), NOW + kept / 2).expires_at == NOW + kept / 2 + kept


@pytest.mark.parametrize(
    ("before", "decision", "state"),
    [
        (run(), Skip(SkipReason.OVERLAP, 3, blocked_by="other"), RunState.SKIPPED),
        (RETRYING, Close(RunState.FAILED), RunState.FAILED),
        (WAITING, Miss(OUT_OF_TIME), RunState.TIMED_OUT),
        (RUNNING, Lose("its worker died"), RunState.LOST),
    ],
)
def test_a_decision_ends_the_run(before: Run, decision: Skip | Close | Miss | Lose, state: RunState) -> None:
    after = decided(before, decision, definition(), NOW)
    assert (after.state, after.finished_at, after.retry_at, after.deadline_at) == (state, NOW, None, None)


def test_a_decision_without_an_error_keeps_that_of_the_last_attempt() -> None:
    assert decided(RETRYING, Close(RunState.FAILED), None, NOW).error == RETRYING.error
    assert decided(RETRYING, Close(RunState.TIMED_OUT, OUT_OF_TIME), None, NOW).error == OUT_OF_TIME


def test_two_states_are_of_one_attempt_by_number_and_mark() -> None:
    assert is_same_attempt(RUNNING, WAITING)
    assert not is_same_attempt(RUNNING, replace(RUNNING, nonce="another worker's"))
    assert not is_same_attempt(RUNNING, started(RUNNING, Start(2, takeover=True), job(), MARK))


PARENT = replace(definition(), children=frozenset({JobKey("shop", "child")}))
ENDS: dict[str, Callable[[Definition | None], Run]] = {
    "reported": lambda known: concluded(RUNNING, SUCCEEDED, known, NOW).run,
    "skipped": lambda known: decided(run(), Skip(SkipReason.PAUSED, 1), known, NOW),
    "closed": lambda known: decided(RETRYING, Close(RunState.FAILED), known, NOW),
    "missed": lambda known: decided(WAITING, Miss(OUT_OF_TIME), known, NOW),
    "lost": lambda known: lost(RUNNING, "its worker died", known, NOW),
    "cancelled": lambda known: cancelled(RETRYING, known, NOW, by="ada"),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_an_ended_run_notes_whether_jobs_depend_on_its_job(end: Callable[[Definition | None], Run]) -> None:
    assert end(PARENT).has_children
    assert not end(definition()).has_children
    assert not end(None).has_children


def test_a_run_that_is_tried_again_notes_no_children() -> None:
    retries = replace(PARENT, job=RETRIES.job)
    assert not concluded(RUNNING, FAILED, retries, NOW).run.has_children


def test_the_log_of_a_target_is_kept_beside_the_record_and_not_in_it() -> None:
    result = Result(type="lambda", status=200, body="done", log="START")
    conclusion = concluded(run("09:00", state=RunState.RUNNING), Outcome(RunState.SUCCEEDED, result), None, at("09:01"))
    assert conclusion.overflows
    assert conclusion.run.result == Result(type="lambda", status=200, body="done")


def test_a_run_names_the_endpoints_that_its_last_attempts_tried() -> None:
    tried = FAILED._replace(endpoints=("http://a", "http://b"))
    retrying = concluded(RUNNING, tried, RETRIES, NOW).run
    assert retrying.visits == (Visit(1, "http://a"), Visit(1, "http://b"))
    again = started(retrying, Start(2, takeover=False), job(), MARK)
    assert again.visits == retrying.visits, "the next attempt prefers others"
    later = answered_later(again, Outcome(RunState.WAITING, endpoints=("http://c",)), job(), NOW)
    assert later.visits == (*retrying.visits, Visit(2, "http://c"))
    assert concluded(later, SUCCEEDED, None, NOW).run.visits == later.visits, "the report of a target names none"


def test_a_run_names_no_more_visits_than_its_record_holds() -> None:
    tried = FAILED._replace(endpoints=tuple(f"http://{n}" for n in range(MOST_VISITS + 5)))
    visits = concluded(RUNNING, tried, None, NOW).run.visits
    assert [visit.endpoint for visit in visits] == list(tried.endpoints[5:])
