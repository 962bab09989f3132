"""Pauses of a namespace: which runs they stop, to the second."""

from __future__ import annotations

import pytest

from minutehand.domain.namespace import PAUSES_KEPT, Namespace, NamespacePause
from minutehand.domain.run import RunState, SkipReason
from minutehand.domain.run_decisions import Skip, Start, Wait, decide
from minutehand.domain.run_key import RunKey
from tests.unit.domain.examples import KEY, MINUTE, at, definition, revision, run

SHOP = Namespace(name="shop")
PAUSED = SHOP.with_pause(None, now=at("09:00:00.250"), who="ada")
UNTIL = SHOP.with_pause(at("09:10"), now=at("09:00"), who="ada")
RESUMED = PAUSED.resumed(now=at("09:05:30.750"), who="bob")
SKIPPED = Skip(reason=SkipReason.NAMESPACE_PAUSED, revision=1)
STARTS = Start(attempt=1, takeover=False)
SCHEDULED, CHILD, BACKFILLED, TRIGGERED = (
    lambda clock: RunKey.scheduled(KEY, at(clock)),
    lambda clock: RunKey.child(KEY, at(clock), "c"),
    lambda clock: RunKey.backfilled(KEY, at(clock), "b"),
    lambda clock: RunKey.triggered(KEY, at(clock), "t"),
)


@pytest.mark.parametrize(
    ("namespace", "scheduled_for", "now", "expected", "why"),
    [
        (None, "09:03", "09:03", STARTS, "no settings"),
        (SHOP, "09:03", "09:03", STARTS, "not paused"),
        (PAUSED, "09:03", "09:03", SKIPPED, "its instant lies in the pause"),
        (PAUSED, "09:00", "09:00:00.500", SKIPPED, "due just before, and would start in it"),
        (PAUSED, "08:00", "09:30", SKIPPED, "due long before, and would start in it"),
        (PAUSED, "09:00", "08:59:59.900", Wait(until=at("09:00")), "it may be resumed by then"),
        (UNTIL, "09:09:59", "09:11", SKIPPED, "a second before the pause ends by itself, however late one looks"),
        (UNTIL, "09:10", "09:10", STARTS, "the instant at which it ends runs"),
        (UNTIL, "09:00", "09:10", STARTS, "due before it began, and late"),
        (RESUMED, "09:05:30", "09:05:31", SKIPPED, "the second in which it was resumed still belongs to it"),
        (RESUMED, "09:05:31", "09:05:31", STARTS, "the next one does not"),
        (RESUMED, "09:00:00", "09:06", STARTS, "nor does the one in which it began"),
        (RESUMED, "09:00:01", "09:06", SKIPPED, "but all between, however late one looks"),
        (RESUMED.with_pause(None, now=at("10:00"), who="eve"), "09:04", "09:59", SKIPPED, "one before the last counts"),
    ],
)
def test_runs_scheduled_for_a_pause_or_starting_in_it_are_skipped(
    namespace: Namespace | None, scheduled_for: str, now: str, expected: object, why: str
) -> None:
    assert decide(run(scheduled_for), definition(), namespace, now=at(now)) == expected, why


@pytest.mark.parametrize("clock", ["09:00:02", "08:59:58"])
def test_a_worker_with_a_skewed_clock_obeys_the_pause(clock: str) -> None:
    assert decide(run("08:59:57"), definition(), PAUSED, now=at(clock)) == SKIPPED


@pytest.mark.parametrize(
    ("key", "in_it", "after_it", "why"),
    [
        (SCHEDULED("09:03"), SKIPPED, SKIPPED, "a scheduled run belongs to its instant"),
        (CHILD("09:03"), SKIPPED, STARTS, "a dependent one to when its parents ended"),
        (BACKFILLED("09:03"), SKIPPED, STARTS, "what a pause kept from running may be replayed after it"),
        (TRIGGERED("09:03"), STARTS, STARTS, "what a person asks for runs"),
    ],
)
def test_each_kind_of_run_obeys_the_pause_that_applies_to_it(
    key: RunKey, in_it: object, after_it: object, why: str
) -> None:
    assert decide(run(key=key), definition(), PAUSED, now=at("09:04")) == in_it, why
    assert decide(run(key=key), definition(), RESUMED, now=at("09:06")) == after_it, why


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.RETRYING])
def test_active_runs_continue(state: RunState) -> None:
    begun = run(state=state, attempt=1, lease_until=at("09:01"), retry_at=at("09:01"))
    assert isinstance(decide(begun, definition(), PAUSED, now=at("09:02")), Start)


def test_the_jobs_own_pause_counts_first() -> None:
    edited = definition(revision(1, "08:00"), revision(2, "08:30", "*/15 * * * *"))
    assert decide(run("09:03"), edited, PAUSED, now=at("09:03")) == Skip(reason=SkipReason.SUPERSEDED, revision=2)


def test_pausing_again_changes_the_end_and_keeps_the_start() -> None:
    again = UNTIL.with_pause(at("09:20"), now=at("09:05"), who="bob")
    assert again.pauses == (NamespacePause(begun=at("09:00"), until=at("09:20"), who="ada"),)
    assert again.with_pause(None, now=at("09:06"), who="bob").pauses[-1].ends is None


def test_a_backfill_that_ended_is_not_restarted_but_followed_by_another() -> None:
    again = UNTIL.with_pause(None, now=at("09:10"), who="bob")
    assert [(pause.begun, pause.ends) for pause in again.pauses] == [(at("09:00"), at("09:10")), (at("09:10"), None)]


def test_resuming_an_active_job_changes_nothing() -> None:
    assert SHOP.resumed(now=at("09:00"), who="bob") == SHOP
    assert UNTIL.resumed(now=at("09:10"), who="bob") == UNTIL
    assert (RESUMED.pauses[-1].ends, RESUMED.pauses[-1].ended_by) == (at("09:05:30"), "bob")


def test_the_newest_pauses_are_kept() -> None:
    namespace = SHOP
    for number in range(PAUSES_KEPT + 5):
        now = at("09:00") + number * 2 * MINUTE
        namespace = namespace.with_pause(None, now=now, who="ada").resumed(now=now + MINUTE, who="ada")
    assert len(namespace.pauses) == PAUSES_KEPT
    assert namespace.pauses[-1].begun == now
