"""The ports of use cases over one state in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from minutehand.adapters.memory import (
    MemoryBackfills,
    MemoryBalances,
    MemoryCalendars,
    MemoryDefinitions,
    MemoryNamespaces,
    MemoryOutbox,
    MemoryOutputs,
    MemoryPermits,
    MemoryRuns,
    MemoryServices,
    MemorySpreads,
    MemoryState,
    MemorySweeps,
    MemoryTimers,
)
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.endpoints import Balancing
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
        spreads=MemorySpreads(state),
        namespaces=MemoryNamespaces(state),
        sweeps=MemorySweeps(state),
        outbox=MemoryOutbox(state),
        clock=clock,
        look_ahead=timedelta(seconds=120),
    )


class EmptyCloudMap:
    """An AWS Cloud Map without services."""

    def instances(self, namespace: str, service: str) -> Sequence[Mapping[str, str]]:
        return ()


def memory_balancing(state: MemoryState, clock: Clock) -> Balancing:
    """The stores of services and of the state of endpoints."""
    return Balancing(MemoryBalances(state), MemoryServices(state), EmptyCloudMap(), clock)
