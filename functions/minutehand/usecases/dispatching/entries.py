"""Entries of runs that are about to be claimed together: by them the runs are found by time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minutehand.domain.run import Run
from minutehand.domain.run_entry import entries_of
from minutehand.usecases.ports.bundle import Ports


def entered(runs: Sequence[Run], ports: Ports) -> Sequence[Run]:
    """Store an entry for the runs of each namespace and minute, and return all runs, in order, ready to be claimed: each with the id of
    the entry that names it.

    A run that is alone, or whose entry may not be stored, has none, so the claim lists it by itself.

    ◆ Entries are stored before the claim. A name without a run is harmless. A run without an entry would not be found by the sweep:
    if this process died after the claim, no other would store one, since the run exists.
    """
    wanted = list(entries_of(runs))
    stored = ports.runs.enter([entry for entry, _ in wanted]) if wanted else ()
    ids = {
        run.key: entry.id
        for (entry, named), is_stored in zip(wanted, stored, strict=True)
        if is_stored
        for run in named
    }
    return [replace(run, entry=ids[run.key]) if run.key in ids else run for run in runs]
