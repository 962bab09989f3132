"""Usage: what a run uses of AWS services. The parts that cannot be measured while they happen are computed.

The figures are those of docs/reference/costs.md, which `make bench` counts. Functions load this module only for jobs with
`record_units`.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from minutehand.domain.definition import Definition
from minutehand.domain.instants import SECOND
from minutehand.domain.occurrence_rule import rule_of
from minutehand.domain.packing import is_packed
from minutehand.domain.run import Run, Usage
from minutehand.domain.run_entry import share_of

# DynamoDB write units of each step.
_CLAIM = 2  # of a run alone; together, 1 and the run's share of an entry
_ADVANCE, _ADVANCE_PACKED = 3, 1  # of a timer in the index, and of a packed one; a fixed delay's next instant, too
_COUNTED = 8  # a transaction writes claim (3) and deadline (3); removing the deadline takes 2. The advance in it costs one more
_TRIGGERED = 14  # a transaction writes run (3), key (2), deadline (3) and the record of who asked (4); removing the deadline takes 2
_PAYLOAD = 2
_BACKFILL_STEP = 2
_DEADLINE = 4  # creating the timer takes 2, removing it 2


HEARTBEAT = Usage(write=1, read=2, calls=3)
"""Usage of a heartbeat or a report of progress: the API reads the definition and the run, and writes the run."""

UNNOTED = Usage(write=1, read=3, calls=3, messages=4)
"""Estimated usage of an attempt whose worker recorded none, since it died or its target reported first: a run's read and start."""


def to_create(run: Run, definition: Definition) -> Usage:
    """Usage of whatever created the run: the tick, the API, a backfill, or the worker that ended a parent's run."""
    job = definition.job
    if run.key.triggered_by_hand:
        return Usage(write=_TRIGGERED + _PAYLOAD * run.own_payload)
    if run.key.started_by_parents:
        return Usage(write=_CLAIM)
    if run.key.backfill is not None:
        return Usage(write=_CLAIM + _BACKFILL_STEP)
    advance = _advance(run.scheduled_for, definition)
    if job.max_runs is not None:
        return Usage(write=_COUNTED + advance + 1)
    delay = advance if job.fixed_delay else 0
    claim = 1 + share_of(run.entry) if run.entry else _CLAIM
    return Usage(write=round(claim + advance / _together(run.scheduled_for, definition) + delay, 3))


def _advance(instant: datetime, definition: Definition) -> int:
    """Write units of an advance from this instant. A save has decided by an earlier one whether the timer is packed."""
    stored = definition.revisions[-1].rule if definition.revisions else None
    return _ADVANCE_PACKED if stored and is_packed(stored, instant) else _ADVANCE


def _together(instant: datetime, definition: Definition) -> int:
    """How many occurrences share one write that moves the timer: a tick moves it past all occurrences of a minute."""
    stored = definition.revisions[-1].rule if definition.revisions else None
    if stored is None:
        return 1
    minute = instant.replace(second=0, microsecond=0)
    return max(len(rule_of(stored).between(minute - SECOND, minute + timedelta(minutes=1) - SECOND, 60)), 1)


def to_handle(*, batch: int, of_job: int, of_namespace: int) -> Usage:
    """Usage of handling a message: sending, receiving, hiding and deleting it; reading the run, its job and its namespace's
    settings.

    Args:
        batch, of_job, of_namespace: messages in the batch, and how many of these are of the same job, and of the same namespace.
    """
    return Usage(read=1 + 1 / of_job + 1 / of_namespace, calls=2 / batch, messages=4 / batch)


def to_report(after: Run, weight: int, *, sent_later: bool) -> Usage:
    """Usage of the write of an attempt's report, which also records the usage, and of the index entry and the deadline that it
    needs.

    Args:
        weight: write units of the run's own record.
        sent_later: whether a deadline timer sends the message of the next attempt.
    """
    return Usage(write=weight + after.state.wants_attention + _DEADLINE * sent_later, calls=1)


def to_report_later(after: Run, *, moves: bool, sent_later: bool) -> Usage:
    """The capacity units of a target's later report through the API: of the transaction that writes the run with a deadline timer,
    and of the delete of that timer. Assumes that the run's record is below 1 KB.

    Args:
        moves: whether the waiting run already has a deadline timer; the transaction then replaces that timer.
    """
    return Usage(write=7 + moves + after.state.wants_attention + _DEADLINE * sent_later, read=2, calls=4)
