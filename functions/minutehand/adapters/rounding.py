"""What every store rounds, always up, so that nothing comes or goes early: timers and expiries stand on whole seconds."""

from __future__ import annotations

from dataclasses import replace

from minutehand.domain.instants import ceiling
from minutehand.domain.run import Run


def as_stored(run: Run) -> Run:
    """The run as it will be read again."""
    return run if not run.expires_at.microsecond else replace(run, expires_at=ceiling(run.expires_at))
