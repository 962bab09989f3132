"""Entries of runs that are about to be claimed together: by them the runs are found by time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minutehand.domain.run_entry import Nameable, entries_of
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.bundle import Ports


def entered(runs: Sequence[Nameable], ports: Ports) -> Mapping[RunKey, str]:
    """Store an entry for the runs of each namespace and minute, and return the ids of the entries by run.

    A run that is alone, or whose entry may not be stored, has none, so the claim lists it by itself.

    ◆ Entries are stored before the claim. A name without a run is harmless. A run without an entry would not be found by the sweep:
    if this process died after the claim, no other would store one, since the run exists.
    """
    wanted = list(entries_of(runs))
    stored = ports.runs.enter([entry for entry, _ in wanted]) if wanted else ()
    ids: dict[RunKey, str] = {}
    for (entry, named), is_stored in zip(wanted, stored, strict=True):
        if is_stored:
            ids |= dict.fromkeys((run.key for run in named), entry.id)
    return ids
