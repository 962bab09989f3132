"""What every store rounds, always up, so that nothing comes or goes early: timers and expiries stand on whole seconds."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from minutehand.domain.instants import SECOND, floor
from minutehand.domain.run import Run


def whole_second(instant: datetime) -> datetime:
    """The whole second at or after `instant`."""
    return instant if not instant.microsecond else floor(instant) + SECOND


def as_stored(run: Run) -> Run:
    """The run as it will be read again."""
    return run if not run.expires_at.microsecond else replace(run, expires_at=whole_second(run.expires_at))
