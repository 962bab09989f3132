"""Decisions at the lock of a job."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.overlap_lock import (
    BEHIND,
    CLOCKS_DIFFER,
    MOST_WAITING,
    Free,
    Permit,
    Queue,
    at_the_lock,
    delayed_until,
    is_active,
    lock_of,
    overlap_of,
)
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_decisions import Skip
from minutehand.domain.run_key import RunKey
from tests.unit.domain.examples import KEY, SECOND, at, job, run

NOW = "09:05:01"
LEASE = "09:06"


def active(clock: str, **fields: Any) -> Run:
    """A run under way, whose lease ends at 09:06."""
    return run(
        clock, **({"state": RunState.RUNNING, "attempt": 1, "lease_until": at(LEASE), "lateness": SECOND} | fields)
    )


def waiting(clock: str, **fields: Any) -> Run:
    return run(clock, **fields)


def ended(clock: str) -> Run:
    return active(clock, state=RunState.SUCCEEDED)


def name(clock: str) -> str:
    return RunKey.scheduled(KEY, at(clock)).run_id


def said(
    one: Run, overlap: Overlap, holder: Run | None = None, *others: Run, listed: bool = False, now: str = NOW
) -> Free | Skip | Queue:
    """The decision of `one` where `holder` took the lock last and `others` wait; with `listed`, it waits itself."""
    waits = sorted([one.key.run_id for one in others] + [one.key.run_id] * listed)
    lock = Permit(lock_of(KEY), holder.key if holder else None, holder.attempt if holder else 0, tuple(waits))
    known = {each.key: each for each in (one, *others, *([holder] if holder else []))}
    return at_the_lock(one, overlap, lock, known, now=at(now))


def skip(clock: str, reason: SkipReason = SkipReason.OVERLAP) -> Skip:
    return Skip(reason=reason, revision=1, blocked_by=name(clock))


def behind(clock: str, until: str = LEASE, **fields: Any) -> Queue:
    return Queue(RunKey.scheduled(KEY, at(clock)), at(until), **fields)


ALONE = [policy for policy in Overlap if policy is not Overlap.ALLOW]
QUEUES = [Overlap.QUEUE_ONE, Overlap.QUEUE_ALL]
FIRST, SECOND_, THIRD = run("09:04"), run("09:05"), run("09:06")
MORE = at(LEASE) + BEHIND
"""When a run looks again that has other waiting runs before it."""


@pytest.mark.parametrize("overlap", ALONE)
@pytest.mark.parametrize(
    ("holder", "why"),
    [
        (None, "nobody ever took it"),
        (ended("09:04"), "whoever took it has ended"),
        (active("09:04", state=RunState.CANCELLED), "was cancelled"),
        (active("09:04", state=RunState.LOST), "was lost"),
        (active("09:04", lease_until=at("09:04:58")), "died, and its lease has run out"),
        (active("09:04", state=RunState.WAITING, lease_until=at("09:04:58")), "was not heard of"),
        (active("08:40", state=RunState.RETRYING, retry_at=at("08:50:01")), "was to be retried and never was"),
        (active("09:05"), "it has itself"),
    ],
)
def test_a_lock_without_an_active_holder_is_free(overlap: Overlap, holder: Run | None, why: str) -> None:
    assert said(SECOND_, overlap, holder) == Free(), why


@pytest.mark.parametrize("overlap", ALONE)
def test_a_holder_whose_record_is_gone_blocks_no_run(overlap: Overlap) -> None:
    lock = Permit(lock_of(KEY), FIRST.key, 1, (THIRD.key.run_id,))
    assert at_the_lock(SECOND_, overlap, lock, {}, now=at(NOW)) == Free()


HOLDERS = [
    (active("09:04"), LEASE, "is under way"),
    (
        active("09:04", lease_until=at("09:04:59")),
        "09:05:06",
        "may still be, by another clock, and is not asked each second",
    ),
    (active("09:04", state=RunState.WAITING), LEASE, "is to be answered later"),
    (active("09:04", state=RunState.RETRYING, retry_at=at("09:09")), "09:09", "is to be tried again"),
]


@pytest.mark.parametrize(("holder", "until", "why"), HOLDERS)
def test_a_run_that_is_due_while_another_is_active_obeys_the_policy(holder: Run, until: str, why: str) -> None:
    assert said(SECOND_, Overlap.SKIP, holder) == skip("09:04"), why
    assert said(SECOND_, Overlap.QUEUE_ONE, holder) == behind("09:04", until), why
    assert said(SECOND_, Overlap.QUEUE_ALL, holder) == behind("09:04", until), why
    assert said(SECOND_, Overlap.REPLACE, holder) == behind("09:04", until, cancels=True), why


@pytest.mark.parametrize(
    ("overlap", "one", "others", "listed", "expected", "why"),
    [
        (Overlap.SKIP, SECOND_, [FIRST], False, Free(), "who waits is of a policy that counts no more"),
        (Overlap.QUEUE_ONE, SECOND_, [FIRST], False, skip("09:04"), "one waits already"),
        (Overlap.QUEUE_ONE, SECOND_, [THIRD], False, skip("09:06"), "and be it a later one"),
        (Overlap.QUEUE_ONE, SECOND_, [THIRD], True, Free(), "it was there before the later one"),
        (Overlap.QUEUE_ONE, SECOND_, [FIRST], True, skip("09:04"), "two came at once, and the first stays"),
        (Overlap.QUEUE_ALL, SECOND_, [THIRD], False, Free(), "it is the oldest"),
        (Overlap.REPLACE, SECOND_, [FIRST], True, Free(), "it is the newest"),
        (Overlap.REPLACE, SECOND_, [THIRD], True, skip("09:06", SkipReason.REPLACED), "a newer one takes its place"),
        (Overlap.REPLACE, SECOND_, [THIRD], False, skip("09:06", SkipReason.REPLACED), "whether it waited or not"),
    ],
)
def test_at_a_free_lock_other_waiting_runs_count(
    overlap: Overlap, one: Run, others: list[Run], listed: bool, expected: object, why: str
) -> None:
    assert said(one, overlap, None, *others, listed=listed) == expected, why
    assert said(one, overlap, ended("09:03"), *others, listed=listed) == expected, why


@pytest.mark.parametrize(
    ("overlap", "others", "listed", "expected", "why"),
    [
        (Overlap.QUEUE_ONE, [FIRST], False, skip("09:04"), "one waits already"),
        (Overlap.QUEUE_ONE, [THIRD], True, behind("09:03"), "the later one will be skipped"),
        (Overlap.QUEUE_ALL, [THIRD], True, behind("09:03"), "it is the oldest that waits"),
        (Overlap.QUEUE_ALL, [FIRST], True, Queue(run("09:03").key, MORE), "another is to go first"),
        (Overlap.REPLACE, [FIRST], True, behind("09:03", cancels=True), "it replaces the older one as well"),
        (Overlap.REPLACE, [THIRD], True, skip("09:06", SkipReason.REPLACED), "a newer one takes its place"),
    ],
)
def test_at_a_held_lock_other_waiting_runs_count(
    overlap: Overlap, others: list[Run], listed: bool, expected: object, why: str
) -> None:
    assert said(SECOND_, overlap, active("09:03"), *others, listed=listed) == expected, why


def test_a_run_that_is_not_the_oldest_at_a_free_lock_waits_and_wakes_the_oldest() -> None:
    expected = Queue(FIRST.key, at(NOW) + BEHIND, wakes=True)
    assert said(SECOND_, Overlap.QUEUE_ALL, None, FIRST, listed=True) == expected
    assert said(SECOND_, Overlap.QUEUE_ALL, ended("09:03"), FIRST, listed=False) == expected


REPLAYED = waiting("09:01", key=RunKey.backfilled(KEY, at("09:01"), "b"))
REPLAYS = active("09:01", key=REPLAYED.key, start_delay=timedelta(minutes=4))
"""A backfill's runs of an old occurrence: one that waits, and one that started at 09:05."""


@pytest.mark.parametrize("overlap", ALONE)
def test_a_waiting_run_of_a_backfill_does_not_count_for_others(overlap: Overlap) -> None:
    assert said(SECOND_, overlap, None, REPLAYED) == Free()
    assert said(run("09:00"), overlap, None, REPLAYED) == Free()


def test_a_run_of_a_backfill_waits_for_all_others_and_for_older_ones_of_its_own() -> None:
    waits = Queue(SECOND_.key, at(NOW) + BEHIND, wakes=True)
    assert said(REPLAYED, Overlap.QUEUE_ALL, None, SECOND_, listed=True) == waits
    older = waiting("09:00", key=RunKey.backfilled(KEY, at("09:00"), "b"))
    assert said(REPLAYED, Overlap.QUEUE_ALL, None, older, listed=True) == Queue(older.key, at(NOW) + BEHIND, wakes=True)
    assert said(older, Overlap.QUEUE_ALL, None, REPLAYED, listed=True) == Free()


def test_an_active_run_of_a_backfill_has_no_other_skipped() -> None:
    waits = Queue(REPLAYED.key, at(LEASE))
    assert [said(SECOND_, policy, REPLAYS) for policy in (Overlap.SKIP, *QUEUES)] == [waits] * 3
    assert said(FIRST, Overlap.REPLACE, REPLAYS) == waits._replace(cancels=True), "however late it began"


def test_a_run_waits_for_one_of_a_backfill_where_it_would_otherwise_be_skipped() -> None:
    assert said(SECOND_, Overlap.SKIP, REPLAYS, FIRST) == skip("09:04")
    assert said(FIRST, Overlap.SKIP, REPLAYS, SECOND_, listed=True) == Queue(REPLAYED.key, at(LEASE))


@pytest.mark.parametrize("overlap", ALONE)
@pytest.mark.parametrize(
    "other",
    [
        waiting("09:04", state=RunState.SKIPPED),
        waiting("09:06", state=RunState.CANCELLED),
        waiting("09:04", cancelled_by="ada"),
        active("09:06", state=RunState.SUCCEEDED),
    ],
)
def test_a_listed_run_that_no_longer_waits_does_not_count(overlap: Overlap, other: Run) -> None:
    assert said(SECOND_, overlap, None, other, listed=True) == Free()


RETRIED = active("09:05", state=RunState.RETRYING, retry_at=at("09:05"))


@pytest.mark.parametrize("overlap", [Overlap.SKIP, *QUEUES])
@pytest.mark.parametrize("others", [[], [FIRST], [THIRD]])
def test_a_later_attempt_is_never_skipped(overlap: Overlap, others: list[Run]) -> None:
    assert said(RETRIED, overlap, RETRIED, *others) == Free()
    held = said(RETRIED, overlap, active("09:03"), *others)
    assert isinstance(held, Queue)
    assert held.behind == run("09:03").key


@pytest.mark.parametrize("others", [[], [FIRST], [THIRD]])
def test_a_later_attempt_is_not_skipped_by_a_replacing_run_either(others: list[Run]) -> None:
    assert said(RETRIED, Overlap.REPLACE, RETRIED, *others) == Free()
    held = said(RETRIED, Overlap.REPLACE, active("09:03"), *others)
    assert held == behind("09:03", cancels=True)


def test_the_number_of_waiting_runs_is_limited_and_one_that_waits_stays() -> None:
    others = [run("08:00", key=RunKey.triggered(KEY, at("08:00"), f"{n:04d}")) for n in range(MOST_WAITING)]
    assert said(SECOND_, Overlap.QUEUE_ALL, active("09:03"), *others) == skip("09:03")
    assert said(SECOND_, Overlap.QUEUE_ALL, None, *others) == Skip(SkipReason.OVERLAP, 1, others[0].key.run_id)
    stays = said(SECOND_, Overlap.QUEUE_ALL, active("09:03"), *others[1:], listed=True)
    assert stays == Queue(run("09:03").key, MORE)
    retried = said(RETRIED, Overlap.QUEUE_ALL, active("09:03"), *others)
    assert isinstance(retried, Queue)


@pytest.mark.parametrize(
    ("one", "now", "holds", "why"),
    [
        (None, NOW, False, "it is gone"),
        (run("09:05"), NOW, False, "it has not begun"),
        (ended("09:05"), NOW, False, "it has ended"),
        (active("09:05"), "09:06:02", True, "by a clock that is behind, its lease has not run out"),
        (active("09:05"), "09:06:03", False, "by no clock"),
        (active("09:05", state=RunState.WAITING), "09:06:02", True, "its target may have been heard of in time"),
        (active("09:05", state=RunState.WAITING), "09:06:03", False, "by no clock"),
        (active("09:05", lease_until=None), "23:00", True, "a lease that does not end"),
        (active("09:05", state=RunState.RETRYING, retry_at=at("10:00")), NOW, True, "it comes again"),
        (active("09:05", state=RunState.RETRYING, retry_at=at("10:00")), "10:14:59", True, "it is merely late"),
        (active("09:05", state=RunState.RETRYING, retry_at=at("10:00")), "10:15", False, "nobody retries it"),
    ],
)
def test_a_run_holds_its_lock_while_it_is_active(one: Run | None, now: str, holds: bool, why: str) -> None:
    assert is_active(one, at(now)) is holds, why


def test_a_dead_holder_blocks_others_until_its_lease_and_the_clock_difference_are_over() -> None:
    holder = active("09:04", lease_until=at("09:05"))
    assert said(SECOND_, Overlap.SKIP, holder, now="09:05:02.999") == skip("09:04")
    assert said(SECOND_, Overlap.SKIP, holder, now="09:05:03") == Free()
    assert timedelta(seconds=3) == CLOCKS_DIFFER


AFTER = "@after 5m"


@pytest.mark.parametrize(
    ("schedule", "policy", "override", "counts"),
    [
        ("* * * * *", Overlap.ALLOW, None, Overlap.ALLOW),
        ("* * * * *", Overlap.QUEUE_ALL, None, Overlap.QUEUE_ALL),
        ("* * * * *", Overlap.SKIP, Overlap.ALLOW, Overlap.ALLOW),
        ("* * * * *", Overlap.ALLOW, Overlap.REPLACE, Overlap.REPLACE),
        (AFTER, Overlap.ALLOW, None, Overlap.SKIP),
        (AFTER, Overlap.REPLACE, None, Overlap.REPLACE),
        (AFTER, Overlap.ALLOW, Overlap.ALLOW, Overlap.ALLOW),
    ],
)
def test_the_overlap_of_a_run_counts_before_that_of_its_job(
    schedule: str, policy: Overlap, override: Overlap | None, counts: Overlap
) -> None:
    one = replace(run("09:05"), overlap=override)
    assert overlap_of(one, job(schedule, overlap=policy)) is counts


@pytest.mark.parametrize(
    ("last", "fields", "expected", "why"),
    [
        (ended("08:50"), {}, "08:51:30", "the delay counts from the end of the last"),
        (active("08:50"), {}, None, "it has not ended: that is the lock's business"),
        (ended("08:50"), {"attempt": 1, "state": RunState.RETRYING}, None, "a next attempt is no next run"),
        (ended("08:50"), {"key": RunKey.triggered(KEY, at("09:00"), "k")}, None, "a person has asked for it now"),
        (replace(ended("08:50"), key=RunKey.triggered(KEY, at("08:50"), "k")), {}, None, "a person had asked for that"),
    ],
)
def test_a_run_of_a_fixed_delay_keeps_its_distance(last: Run, fields: dict[str, Any], expected: str, why: str) -> None:
    last = replace(last, finished_at=at("08:51") if last.state.finished else None)
    assert delayed_until(run("09:00", **fields), last, timedelta(seconds=30)) == (expected and at(expected)), why
    assert delayed_until(run("09:00", **fields), last, None) is None
