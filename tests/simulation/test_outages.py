"""Outages of a part of the stack: all that is overdue is found in time and nothing is lost; and each rule, broken on purpose, is noticed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemorySweeps
from minutehand.domain.instants import floor
from minutehand.domain.run import Run
from minutehand.usecases.completion import child_runs
from minutehand.usecases.dispatching import claim, watchlists
from minutehand.usecases.dispatching.send import OVERDUE
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Claim
from minutehand.usecases.ports.sweeps import SweepProgress, Watchlist
from minutehand.usecases.running import drain
from minutehand.usecases.upkeep import sweep
from tests.simulation.checker import violations
from tests.simulation.mutations import Mutation, Patch, assert_noticed
from tests.simulation.outages import Outage, Part, problems

SEEDS = 40
GROUP = 10
pytestmark = pytest.mark.thorough


def played(seed: int) -> Outage:
    outage = Outage(seed)
    outage.play()
    return outage


def found(seed: int) -> list[str]:
    return list(problems(played(seed)))


@pytest.mark.parametrize("first", range(0, SEEDS, GROUP))
def test_whatever_part_is_away_overdue_runs_are_found_in_time_and_none_is_lost(first: int) -> None:
    for seed in range(first, first + GROUP):
        assert not found(seed), f"seed {seed}"


@pytest.mark.parametrize("part", Part)
def test_the_histories_have_runs_that_only_the_sweep_finds(part: Part) -> None:
    resent = 0
    for seed in range(list(Part).index(part), 6 * len(Part), len(Part)):
        outage = played(seed)
        assert outage.part is part
        resent += sum(run.resent_at is not None for run in outage.state.runs.values())
    assert resent > 0


def a_sweep_that_never_sends(patch: Patch) -> None:
    patch.setattr(sweep, "resend_each", lambda *_: frozenset())


def a_sweep_that_looks_at_a_run_once(patch: Patch) -> None:
    patch.setattr(sweep._Looks, "_watch", lambda *_: None)


def a_position_that_moves_before_the_look(patch: Patch) -> None:
    right = sweep._Looks.__init__

    def begin(self: Any, ports: Any, now: datetime, *more: Any) -> None:
        before = ports.sweeps.progress() or SweepProgress(now)
        ports.sweeps.record(SweepProgress(floor(now) - OVERDUE, (), before.version + 1))
        right(self, ports, now, *more)

    patch.setattr(sweep._Looks, "__init__", begin)


def a_watchlist_that_is_dropped(patch: Patch) -> None:
    """Before the list that replaces it is stored."""
    right = MemorySweeps.due

    def due(self: MemorySweeps, now: datetime) -> Iterator[Sequence[Watchlist]]:
        for page in right(self, now):
            for watchlist in page:
                self.drop(watchlist)
            yield page

    patch.setattr(MemorySweeps, "due", due)


def a_watchlist_that_is_due_half_an_hour_late(patch: Patch) -> None:
    right = MemorySweeps.watch

    def watch(self: MemorySweeps, watchlist: Watchlist) -> None:
        right(self, watchlist._replace(look_at=watchlist.look_at + timedelta(minutes=30)))

    patch.setattr(MemorySweeps, "watch", watch)


def a_late_claim_that_the_sweep_has_passed(patch: Patch) -> None:
    for module in (watchlists, claim):
        patch.setattr(module, "claimed_late", lambda *_: False)


def a_late_run_that_is_watched_after_its_claim(patch: Patch) -> None:
    def claim_watched(runs: Sequence[Run], ports: Ports) -> Sequence[Claim]:
        claims = ports.runs.claim(runs)
        watchlists.watch([run for run in runs if watchlists.claimed_late(run, ports.clock())], ports)
        return claims

    for module in (claim, child_runs):
        patch.setattr(module, "claim_watched", claim_watched)


def a_sweep_that_does_not_look_for_children(patch: Patch) -> None:
    patch.setattr(sweep, "without_children", lambda *_: ())


def a_run_that_is_overdue_after_ten_minutes(patch: Patch) -> None:
    right = sweep.overdue
    late = timedelta(minutes=9)
    patch.setattr(sweep, "overdue", lambda run, now, **more: right(replace(run), now - late, **more))


def a_second_resend_that_waits_ten_minutes(patch: Patch) -> None:
    patch.setattr(sweep, "resend_wait", lambda resends: timedelta(minutes=10) if resends else timedelta(0))


def a_drain_that_gives_up_at_once(patch: Patch) -> None:
    patch.setattr(drain, "GIVEN_UP_AFTER", timedelta(0))


MUTATIONS: Sequence[Mutation] = (
    a_sweep_that_never_sends,
    a_sweep_that_looks_at_a_run_once,
    a_position_that_moves_before_the_look,
    a_watchlist_that_is_dropped,
    a_watchlist_that_is_due_half_an_hour_late,
    a_late_claim_that_the_sweep_has_passed,
    a_run_that_is_overdue_after_ten_minutes,
    a_second_resend_that_waits_ten_minutes,
    a_late_run_that_is_watched_after_its_claim,
    a_sweep_that_does_not_look_for_children,
    a_drain_that_gives_up_at_once,
)

FIRST = {a_watchlist_that_is_dropped: 400}
"""Where the histories begin that show a mutation which few do."""
OF_DYING_WORKERS = (a_late_run_that_is_watched_after_its_claim, a_sweep_that_does_not_look_for_children)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_broken_rule_is_noticed(mutation: Mutation, monkeypatch: Patch) -> None:
    of_dying_workers = len(Part), list(Part).index(Part.WORKERS_DIE)
    step, first = of_dying_workers if mutation in OF_DYING_WORKERS else (1, FIRST.get(mutation, 0))
    assert_noticed(mutation, monkeypatch, lambda seed: found(step * seed + first), histories=300)


def test_the_checker_notices_runs_that_are_lost_too_early(monkeypatch: Patch) -> None:
    def lost_too_early(seed: int) -> list[str]:
        return [problem for problem in violations(played(seed)) if "lost in state" in problem]

    assert_noticed(a_drain_that_gives_up_at_once, monkeypatch, lost_too_early, histories=60)
