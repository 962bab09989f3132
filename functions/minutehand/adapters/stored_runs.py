"""Rules for stored runs, the same in every store."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from minutehand.domain.instants import ceiling
from minutehand.domain.run import Run

KEY_REMEMBERED = timedelta(hours=24)
"""How long the idempotency key of a trigger is kept, so that a repeated request finds its run."""
FENCE = ("state", "attempt", "nonce", "revision", "cancelled_by")
"""Fields that every update of a run compares: the update is refused if one of them is not as it was read."""


def as_stored(run: Run) -> Run:
    """The run as the store returns it: its expiry rounded up to the second, so that it never expires early."""
    return run if not run.expires_at.microsecond else replace(run, expires_at=ceiling(run.expires_at))
