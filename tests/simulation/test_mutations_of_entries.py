"""The simulation itself is tested: each rule of the entries that list runs by time, broken on purpose, must be noticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryRuns
from minutehand.domain.run import Run
from minutehand.domain.run_entry import Entry, Nameable
from minutehand.domain.run_key import RunKey
from minutehand.usecases.dispatching import claim
from minutehand.usecases.ports.bundle import Ports
from tests.simulation.mutations import Mutation, Patch, assert_noticed
from tests.simulation.test_outages import found


def an_entry_that_is_stored_after_the_claim(patch: Patch) -> None:
    """By a process that may die in between: no other stores one, since the runs exist."""
    right, resolve = claim.entered, claim.resolve_existing
    pending: dict[int, Sequence[Entry]] = {}

    def entered(runs: Sequence[Nameable], ports: Ports) -> Mapping[RunKey, str]:
        class Later:
            def enter(self, entries: Sequence[Entry]) -> Sequence[bool]:
                pending[id(ports)] = entries
                return [True] * len(entries)

        return right(runs, ports._replace(runs=Later()))  # type: ignore[arg-type]

    def resolve_later(wanted: Sequence[Run], found: Any, ports: Ports, *known: Any) -> None:
        if entries := pending.pop(id(ports), ()):
            ports.runs.enter(entries)
        resolve(wanted, found, ports, *known)

    patch.setattr(claim, "entered", entered)
    patch.setattr(claim, "resolve_existing", resolve_later)


def an_entry_that_is_replaced(patch: Patch) -> None:
    """By that of the next group of its namespace and minute, under the same key."""

    def enter(self: MemoryRuns, entries: Sequence[Entry]) -> Sequence[bool]:
        self._state.entries |= {(entry.namespace, entry.minute, entry.id): entry for entry in entries}
        return [True] * len(entries)

    patch.setattr(Entry, "id", "2-of-the-minute")
    patch.setattr(MemoryRuns, "enter", enter)


MUTATIONS: list[Mutation] = [an_entry_that_is_stored_after_the_claim, an_entry_that_is_replaced]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_the_checker_notices(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch, histories=300)


@pytest.mark.thorough
def test_without_its_entry_the_sweep_does_not_find_a_run_whose_message_was_lost(monkeypatch: Patch) -> None:
    assert_noticed(an_entry_that_is_replaced, monkeypatch, found, histories=400)
