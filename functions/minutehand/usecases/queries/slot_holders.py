"""Slot holders: the runs that hold the slots of the concurrency limits for which other runs wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice

from minutehand.domain.concurrency import FIRST_LOOK, LOOK, Limit, is_held, slots_in_order
from minutehand.domain.errors import Unavailable
from minutehand.domain.overlap_lock import PermitKey
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.bundle import Ports

MOST_SLOTS = FIRST_LOOK + LOOK
"""Maximum slots of one limit that are read for one answer."""
MOST_LIMITS = 7
"""Maximum limits whose slots are read for one answer: as many as one job can have."""


def slot_holders(ports: Ports, runs: Iterable[Run]) -> Mapping[RunKey, Sequence[Run]]:
    """For each of these runs that waits for a slot: the runs whose attempts now hold slots of its limit, the longest first.

    Limits belong to one namespace, so all holders are in the namespace of the waiting run: whoever may read that run may read them.

    Reads nothing unless a run waits for a slot; then at most `MOST_SLOTS` slots of each of the first `MOST_LIMITS` limits, and the
    runs that took those last. If a store does not answer, the answer is empty: a run can be shown without the holders.
    """
    slots: dict[Limit, Sequence[PermitKey]] = {}
    limits: dict[RunKey, Limit] = {}
    for run in runs:
        if run.state.finished or run.waits_for is None or not run.waits_for.has_slots:
            continue
        limit = Limit.of(run.waits_for, run.key.job)
        if limit not in slots and len(slots) < MOST_LIMITS:
            slots[limit] = list(islice(chain.from_iterable(slots_in_order(limit, run.key)), MOST_SLOTS))
        if limit in slots:
            limits[run.key] = limit
    try:
        held = _held(ports, slots) if slots else {}
    except Unavailable:
        return {}
    return {run: held[limit] for run, limit in limits.items()}


def _held(ports: Ports, slots: Mapping[Limit, Sequence[PermitKey]]) -> Mapping[Limit, Sequence[Run]]:
    """The runs that hold slots of each limit."""
    permits = ports.permits.get(list(dict.fromkeys(chain.from_iterable(slots.values()))))
    # Read the holders after the slots, so that each run is seen as it was when it took its slot, or later.
    taken = sorted({permit.holder for permit in permits.values() if permit.holder is not None})
    known = ports.runs.get(taken) if taken else {}
    now = ports.clock()
    found: dict[Limit, Sequence[Run]] = {}
    for limit, keys in slots.items():
        held = [permits[key].holder for key in keys if is_held(permits[key], known, now)]
        holders = [known[holder] for holder in held if holder is not None]
        found[limit] = sorted(holders, key=lambda run: (run.started_at or run.starts_at, run.key))
    return found
