"""Watchlists for the sweep: runs that are claimed so late that it has passed their instant, and would not look at them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND, ceiling
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.dispatching.send import OVERDUE, send
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Claim
from minutehand.usecases.ports.sweeps import MOST_IN_A_LIST, Watchlist

LATE = OVERDUE / 2
"""A run claimed this long after its instant goes on a watchlist, since the sweep may pass the instant before it sees the claim. Half of
`OVERDUE` allows for clocks that differ, and for an index that lags behind its table."""
_TOGETHER = 10
"""Seconds to which the next looks at late runs are rounded up, so that those claimed together share a watchlist."""


def claim_watched(runs: Sequence[Run], ports: Ports) -> Sequence[Claim]:
    """Claim runs, the late ones only if a watchlist names them. Returns an outcome for each, in order.

    ◆ The watchlist is stored before the claim. A name without a run is harmless. A late run without a watchlist would not be found if
    this process died after the claim and the run's message were lost.
    """
    now = ports.clock()
    late = [run for run in runs if claimed_late(run, now)]
    try:
        watch(late, ports)
    except Unavailable:
        keys = {run.key for run in late}
        prompt = [run for run in runs if run.key not in keys]
        claims = iter(ports.runs.claim(prompt) if prompt else ())
        return [Claim.FAILED if run.key in keys else next(claims) for run in runs]
    return ports.runs.claim(runs) if runs else []


def send_watched(runs: Sequence[Run], ports: Ports, now: datetime) -> Sequence[bool]:
    """Send runs that a deadline timer sends again if this process dies, and put the late ones on a watchlist. Returns whether both were
    done for each."""
    sent = send(runs, ports, now)
    late = [run for run, accepted in zip(runs, sent, strict=True) if accepted and claimed_late(run, ports.clock())]
    try:
        watch(late, ports)
    except Unavailable:
        return [accepted and run not in late for run, accepted in zip(runs, sent, strict=True)]
    return sent


def claimed_late(run: Run, now: datetime) -> bool:
    """Whether a new run is claimed so long after its instant that the sweep may have passed the instant before.

    The claim of a missed occurrence does so, a child's run, whose instant is the beginning of its join window, and the replacement of
    a lost run. Runs of backfills are left out, since a backfill's watchdog sends them again.
    """
    new = run.state is RunState.QUEUED and run.attempt == 0 and run.key.backfill is None and run.share is None
    return new and run.scheduled_for + LATE <= now


def watch(runs: Sequence[Run], ports: Ports) -> None:
    """Put active runs on watchlists, so that the sweep looks at them when they may be overdue.

    Raises:
        Unavailable: when the store does not answer.
    """
    now = ports.clock()
    lists: defaultdict[datetime, list[RunKey]] = defaultdict(list)
    for run in runs:
        at = ceiling(max(run.wakes_at, now) + OVERDUE)
        lists[at + -at.second % _TOGETHER * SECOND].append(run.key)
    for look_at, keys in lists.items():
        for first in range(0, len(keys), MOST_IN_A_LIST):
            ports.sweeps.watch(Watchlist(look_at, tuple(keys[first : first + MOST_IN_A_LIST])))
