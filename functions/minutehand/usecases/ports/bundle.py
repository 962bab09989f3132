"""The ports that most use cases take, bundled at start-up."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.retention import AUDIT_RETENTION

if TYPE_CHECKING:
    from minutehand.usecases.ports.backfills import Backfills
    from minutehand.usecases.ports.messages import Outbox
    from minutehand.usecases.ports.outputs import Outputs
    from minutehand.usecases.ports.permits import Permits
    from minutehand.usecases.ports.settings import Calendars, Namespaces
    from minutehand.usecases.ports.spreads import Spreads
    from minutehand.usecases.ports.stores import Clock, Definitions, Runs, Timers
    from minutehand.usecases.ports.sweeps import Sweeps


class Ports(NamedTuple):
    """The stores, the queues of the workers, the clock, and the look-ahead of a tick.

    Attributes:
        look_ahead: how long before its instant an occurrence is dispatched; at most 15 minutes, the longest delay of an SQS
            message.
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
    audit_retention: timedelta = AUDIT_RETENTION
    shadow: bool = False
