"""The ports of use cases over one state in memory."""

from __future__ import annotations

from datetime import timedelta

from minutehand.adapters.memory import (
    MemoryBackfills,
    MemoryCalendars,
    MemoryDefinitions,
    MemoryNamespaces,
    MemoryOutbox,
    MemoryOutputs,
    MemoryPermits,
    MemoryRuns,
    MemoryState,
    MemorySweeps,
    MemoryTimers,
)
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Clock


def memory_ports(state: MemoryState, clock: Clock) -> Ports:
    """Every port, with the product's default look-ahead."""
    return Ports(
        timers=MemoryTimers(state),
        definitions=MemoryDefinitions(state),
        runs=MemoryRuns(state),
        outputs=MemoryOutputs(state),
        calendars=MemoryCalendars(state),
        permits=MemoryPermits(state),
        backfills=MemoryBackfills(state),
        namespaces=MemoryNamespaces(state),
        sweeps=MemorySweeps(state),
        outbox=MemoryOutbox(state),
        clock=clock,
        look_ahead=timedelta(seconds=120),
    )
