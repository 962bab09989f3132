"""The judge of lists by time: each run is where its record says, so that the sweep finds it."""

from __future__ import annotations

from collections.abc import Iterator

from tests.simulation.rules import Rule
from tests.simulation.scenario import Scenario


def violations(scenario: Scenario) -> Iterator[str]:
    """Runs that no sweep would find: the entry whose id they store is missing, or does not name them."""
    named = {(place, key) for place, entry in scenario.state.entries.items() for key in entry.runs}
    for key, run in scenario.state.runs.items():
        if run.entry:
            scenario.history.judged[Rule.LISTED] += 1
            if ((key.job.namespace, key.run_id[:13], run.entry), key) not in named:
                yield f"{key.job} {key.run_id}: no entry {run.entry} names it"
