"""The quota of the namespace of a history, and the promises about it. Shares no code with what enforces it."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING

from minutehand.domain.quota import UNLIMITED, Quota
from minutehand.domain.run import RunState
from tests.simulation.crowds import NAMESPACE, Ends, too_many_at_once
from tests.simulation.rules import Rule

if TYPE_CHECKING:
    from tests.simulation.scenario import Scenario


def drawn(seed: int) -> Quota:
    """The quota of a history, which never changes within it; most histories have none."""
    random = Random(f"quotas {seed}")
    if random.random() < 0.75:
        return UNLIMITED
    return Quota(concurrency=random.choice((None, 1, 2, 3)), runs_per_minute=random.choice((None, 3, 6, 12)))


def violations(scenario: Scenario, ends: Ends) -> list[str]:
    """Where more attempts were in progress at once, or more runs began in a clock minute, than the quota allows."""
    quota = scenario.quota
    found = too_many_at_once(scenario, scenario.history.calls, ends, quota.concurrency, f"quota of {NAMESPACE}")
    return found if quota.runs_per_minute is None else found + _too_many_begun(scenario, quota.runs_per_minute)


def _too_many_begun(scenario: Scenario, most: int) -> list[str]:
    begun: Counter[datetime] = Counter()
    for move in scenario.history.moves:
        before, at = move.before, move.after.started_at
        if before is not None and not before.attempt and move.after.attempt == 1 and at is not None:
            if move.after.state is RunState.RUNNING and before.state is RunState.QUEUED:
                scenario.history.judged[Rule.QUOTA] += 1
                begun[at.replace(second=0, microsecond=0)] += 1
    return [
        f"quota of {NAMESPACE}: {runs} runs began in the minute of {minute}, of {most}"
        for minute, runs in sorted(begun.items())
        if runs > most
    ]
