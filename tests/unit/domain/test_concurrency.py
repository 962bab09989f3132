"""Slots: which ones a run reads, in which order, and which are free."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import pytest

from minutehand.domain.concurrency import (
    FIRST_LOOK,
    LOOK,
    Limit,
    NobodyLive,
    free_slot,
    limits_of,
    next_look,
    slots_in_order,
)
from minutehand.domain.namespace import Namespace
from minutehand.domain.overlap_lock import Permit, PermitKey
from minutehand.domain.policies import NamedLimit
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, job, run

MINE = RunKey.scheduled(KEY, at("09:00"))
SLOT = PermitKey(KEY, "SLOT#0")


def under_way(clock: str = "08:59", **fields: object) -> Run:
    return replace(run(clock, state=RunState.RUNNING, attempt=1, lease_until=at("09:01")), **fields)


def free(holder: Run | None, *, attempt: int = 1, now: str = "09:00") -> bool:
    """Whether the slot is free that an attempt of this run took."""
    slot = Permit(SLOT, holder.key if holder else RunKey.scheduled(KEY, at("08:00")), attempt)
    return free_slot([slot], {holder.key: holder} if holder else {}, MINE, at(now)) == slot


@pytest.mark.parametrize(("name", "prefix"), [("", ""), ("db", "LIMIT#db#")])
@pytest.mark.parametrize("most", [1, 2, 3, 8, 9, 10, 97, 100, 1000])
def test_a_run_reads_every_slot_once_a_few_first(most: int, name: str, prefix: str) -> None:
    looks = list(slots_in_order(Limit("shop", most, name), MINE))
    assert {slot.name for slot in chain(*looks)} == {f"{prefix}SLOT#{number}" for number in range(most)}
    assert sum(map(len, looks)) == most
    assert len(looks[0]) == min(most, FIRST_LOOK)
    assert all(len(look) <= LOOK for look in looks)


def test_runs_begin_at_different_slots_and_each_always_at_the_same() -> None:
    def first(clock: str) -> PermitKey:
        return next(slots_in_order(Limit("shop", 100), RunKey.scheduled(KEY, at(clock))))[0]

    minutes = [f"09:{minute:02d}" for minute in range(60)]
    assert len({first(minute) for minute in minutes}) > 30
    assert [first(minute) for minute in minutes] == [first(minute) for minute in minutes]


def test_a_job_and_its_namespace_may_both_have_a_limit() -> None:
    assert list(limits_of(job(), None)) == list(limits_of(job(), Namespace(name="shop"))) == []
    both = limits_of(job(max_concurrency=3), Namespace(name="shop", max_concurrency=20))
    assert list(both) == [Limit(KEY, 3), Limit("shop", 20)]


def test_named_limits_belong_to_the_namespace_and_each_has_slots_of_its_own() -> None:
    named = job(max_concurrency=1, limits=(NamedLimit("db", 2), NamedLimit("licence", 1)))
    own, db, licence = limits_of(named, None)
    assert (db, licence) == (Limit("shop", 2, "db"), Limit("shop", 1, "licence"))
    slots = [slot for limit in (own, Limit("shop", 2), db, licence) for slot in limit.slots]
    assert len(set(slots)) == 6
    assert list(db.slots) == [PermitKey("shop", "LIMIT#db#SLOT#0"), PermitKey("shop", "LIMIT#db#SLOT#1")]


def test_a_lower_max_of_the_same_name_has_the_first_slots_of_the_higher() -> None:
    assert list(Limit("shop", 5, "db").slots)[:3] == list(Limit("shop", 3, "db").slots)


@pytest.mark.parametrize(
    ("limit", "taken"),
    [
        (Limit(KEY, 3), TakenLimit(LimitKind.JOB, 3)),
        (Limit("shop", 20), TakenLimit(LimitKind.NAMESPACE, 20)),
        (Limit("shop", 2, "db"), TakenLimit(LimitKind.NAMED, 2, "db")),
    ],
)
def test_a_limit_is_noted_by_its_kind(limit: Limit, taken: TakenLimit) -> None:
    assert limit.taken == taken
    assert taken.has_slots


@pytest.mark.parametrize(
    ("nobody", "text"),
    [
        (NobodyLive("web"), "pool web, which has no live agent"),
        (NobodyLive("web", "a"), "node a of pool web, which is not live"),
        (NobodyLive("web", "", (("role", "web"),)), "pool web, which has no live agent with role=web"),
    ],
)
def test_a_pool_without_a_live_agent_is_noted_as_what_a_run_waits_for(nobody: NobodyLive, text: str) -> None:
    assert nobody.taken == TakenLimit(LimitKind.POOL, 0, "web", node=nobody.node, tags=nobody.tags)
    assert nobody.taken.text == text
    assert not nobody.taken.has_slots


@pytest.mark.parametrize(
    ("holder", "expected", "why"),
    [
        (None, True, "nothing is known of the run any more: its retention is over"),
        (under_way(), False, "its attempt is under way"),
        (under_way(lease_until=at("08:59:57")), True, "its worker died, and the lease has run out"),
        (under_way(lease_until=at("08:59:58")), False, "but by a clock that is behind it has not"),
        (under_way(attempt=2), True, "its next attempt has taken another slot"),
        (under_way(state=RunState.WAITING), False, "its target answers later"),
        (under_way(state=RunState.WAITING, lease_until=at("08:59:57")), True, "its target was not heard of in time"),
        (under_way(state=RunState.RETRYING, retry_at=at("09:10")), True, "between its attempts it does nothing"),
        (under_way(state=RunState.SUCCEEDED), True, "it has ended"),
        (under_way(state=RunState.LOST), True, "it has ended"),
    ],
)
def test_a_slot_is_free_when_the_attempt_that_took_it_is_over(holder: Run | None, expected: bool, why: str) -> None:
    assert free(holder) is expected, why


def test_a_slot_that_was_never_taken_is_free() -> None:
    assert free_slot([Permit(SLOT)], {}, MINE, at("09:00")) == Permit(SLOT)


def test_a_run_takes_the_slot_that_it_holds_before_any_other() -> None:
    own = Permit(PermitKey(KEY, "SLOT#1"), MINE, 1)
    mine = run("09:00", state=RunState.RUNNING, attempt=1, lease_until=at("09:01"))
    assert free_slot([Permit(SLOT), own], {MINE: mine}, MINE, at("09:00")) == own


def test_a_run_without_a_slot_looks_again_within_seconds_and_later_the_longer_it_waits() -> None:
    def waits(clock: str) -> list[float]:
        runs = [run(f"08:00:{second:02d}") for second in range(60)]
        base = at(clock)
        return sorted((next_look(each, base, of="m") - base).total_seconds() for each in runs)

    fresh, old = waits("08:00:30"), waits("09:00:30")
    assert all(5 <= seconds <= 15 for seconds in (*fresh, *old))
    assert sum(fresh) < sum(old)
    assert len(set(old)) > 3, "not all at once"
    assert next_look(run(), at("09:00:00.250"), of="m").microsecond == 0


def test_a_run_that_is_early_by_another_clock_looks_again_as_soon_as_any() -> None:
    assert next_look(run(), at("08:59"), of="m") <= at("08:59") + 10 * SECOND < at("08:59") + MINUTE
