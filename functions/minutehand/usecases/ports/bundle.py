"""What most use cases are given: the ports, bundled once where a function is put together."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from minutehand.usecases.ports.backfills import Backfills
    from minutehand.usecases.ports.messages import Outbox
    from minutehand.usecases.ports.outputs import Outputs
    from minutehand.usecases.ports.stores import Calendars, Clock, Definitions, Namespaces, Permits, Runs, Timers


class Ports(NamedTuple):
    """The stores, the way to the workers, the time, and how far ahead of it a tick works.

    Attributes:
        look_ahead: at most 15 minutes, the longest a message may be delayed.
    """

    timers: Timers
    definitions: Definitions
    runs: Runs
    outputs: Outputs
    calendars: Calendars
    permits: Permits
    backfills: Backfills
    namespaces: Namespaces
    outbox: Outbox
    clock: Clock
    look_ahead: timedelta
