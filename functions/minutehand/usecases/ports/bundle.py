"""The ports that most use cases take, bundled at start-up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.retention import AUDIT_RETENTION

if TYPE_CHECKING:
    from minutehand.domain.run import Run
    from minutehand.usecases.ports.backfills import Backfills
    from minutehand.usecases.ports.messages import Outbox
    from minutehand.usecases.ports.outputs import Outputs
    from minutehand.usecases.ports.permits import Permits
    from minutehand.usecases.ports.settings import Calendars, Namespaces
    from minutehand.usecases.ports.spreads import Spreads
    from minutehand.usecases.ports.stores import Clock, Definitions, Runs, Timers
    from minutehand.usecases.ports.sweeps import Sweeps


def untold(_run: Run) -> None:
    """Tells nobody of the end of a run."""


class Ports(NamedTuple):
    """The stores, the queues of the workers, the clock, and the look-ahead of a tick.

    Attributes:
        look_ahead: how long before its instant an occurrence is dispatched; at most 15 minutes, the longest delay of an SQS
            message.
        tell_end: told of each run on several nodes that ends, since no worker or caller that counts ends has it in hand.
        audit_retention: how long the record of a change is kept.
        shadow: whether no job of the deployment calls its target (`minutehand.domain.shadow`).
    """

    timers: Timers
    definitions: Definitions
    runs: Runs
    outputs: Outputs
    calendars: Calendars
    permits: Permits
    backfills: Backfills
    spreads: Spreads
    namespaces: Namespaces
    sweeps: Sweeps
    outbox: Outbox
    clock: Clock
    look_ahead: timedelta
    tell_end: Callable[[Run], None] = untold
    audit_retention: timedelta = AUDIT_RETENTION
    shadow: bool = False
