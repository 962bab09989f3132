"""Limits that several jobs of a history share by name, and the promise about them. Shares no code with what enforces them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from minutehand.domain.policies import NamedLimit
from tests.simulation.crowds import Ends, too_many_at_once

if TYPE_CHECKING:
    from minutehand.domain.job_key import JobKey
    from tests.simulation.scenario import Scenario

NAMES = ("db", "licence")


def drawn_for(scenario: Scenario, seed: int) -> dict[JobKey, tuple[NamedLimit, ...]]:
    """The limits of each job, which never change within a history. Of some limits, the jobs give different maxima."""
    random = Random(f"named limits {seed}")
    jobs = [*scenario.jobs, *scenario.chains.children]
    limits: dict[JobKey, tuple[NamedLimit, ...]] = dict.fromkeys(jobs, ())
    for name in NAMES:
        maxima = random.choice(((), (), (1,), (2,), (3,), (1, 3)))
        for job in jobs if maxima else ():
            if random.random() < 0.7:
                limits[job] += (NamedLimit(name, random.choice(maxima)),)
    return limits


def violations(scenario: Scenario, ends: Ends) -> list[str]:
    """Where more attempts were under way at once than a limit allows: those of the jobs that give it a max of m or less together
    never exceed m."""
    found: list[str] = []
    for name in NAMES:
        given = {job: each.max for job, limits in scenario.named_limits.items() for each in limits if each.name == name}
        for most in sorted(set(given.values())):
            calls = [call for call in scenario.history.calls if given.get(call.run.job, most + 1) <= most]
            found += too_many_at_once(scenario, calls, ends, most, f"limit {name}")
    return found
