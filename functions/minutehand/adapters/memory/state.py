"""State shared by the in-memory stores, and the meter that reads its counters."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from minutehand.domain.audit import AuditRecord
from minutehand.domain.backfill import Backfill
from minutehand.domain.balance import Balance
from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.definition import Definition
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.namespace import Namespace
from minutehand.domain.node import Node, NodeKey, PoolKey
from minutehand.domain.overlap_lock import Permit, PermitKey
from minutehand.domain.quota import JobCount, Pace
from minutehand.domain.revision_history import PastRevision
from minutehand.domain.run import Run, Usage
from minutehand.domain.run_entry import Entry
from minutehand.domain.run_key import RunKey
from minutehand.domain.service import Service, ServiceKey
from minutehand.domain.spread import Spread
from minutehand.domain.timer import BrokenTimer, Deadline, Recheck, SkippedRange, Timer
from minutehand.domain.token import Token
from minutehand.usecases.ports.executions import Awaiting
from minutehand.usecases.ports.logs import LogRecord
from minutehand.usecases.ports.messages import Message, Received
from minutehand.usecases.ports.nodes import Served
from minutehand.usecases.ports.outputs import Output
from minutehand.usecases.ports.queues import Depth
from minutehand.usecases.ports.shards import Layout
from minutehand.usecases.ports.stores import Payload, Renewal
from minutehand.usecases.ports.sweeps import SweepProgress, Watchlist


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyUsed:
    """A used idempotency key: the run that it made, the run's revision, and until when this record counts."""

    run: RunKey
    revision: int
    until: datetime


@dataclass(kw_only=True, eq=False)
class MemoryState:
    """Everything stored. Tests and simulations may read and change it; with threads, they must hold `lock`.

    Attributes:
        lock: held during each operation, which makes it atomic.
        timers: jobs' own timers, packed or not.
        strays: timers in buckets where they do not belong, by bucket: copied or moved by hand.
        positions: where the sweep goes on in each bucket.
        graph: version of the dependency graph.
        rechecks: by job, `after` and `until`.
        places: the shard of each timer, by `shards.key_of`; entries of deleted timers may remain.
        histories: the revisions of each job, oldest first.
        past_jobs: jobs as they were under their revisions, by number.
        audits: records of changes, by namespace and id.
        settings: settings of namespaces, by name.
        job_counts, paces: the use of namespaces' quotas, by name.
        depths: what each queue holds; None for one that does not answer.
        skipped: skipped ranges, in the order in which they were recorded.
        entries: entries of runs, by namespace, minute and id.
        texts: long outputs, by place.
        objects: parts and wholes of logs, by place.
        token_keys: ids of tokens, by the idempotency key that made them.
        executions: who waits for the end of an execution, by its ARN.
        pools: the list of pools, each with its last noted use.
        pool_queues: the messages that the queues of pools and nodes were sent, in order; only queues that exist.
        messages: sent messages, in order.
        hidden: hidden messages and for how long, in order.
        write_units, read_units, calls: cost of executing runs: reading them and their permits, starting and reporting them.
    """

    lock: threading.RLock = field(default_factory=threading.RLock)
    timers: dict[JobKey, Timer | BrokenTimer] = field(default_factory=dict)
    strays: dict[tuple[int, JobKey], Timer | BrokenTimer] = field(default_factory=dict)
    deadlines: dict[RunKey, Deadline] = field(default_factory=dict)
    rechecks: dict[tuple[JobKey, datetime, datetime], Recheck] = field(default_factory=dict)
    skipped: list[SkippedRange] = field(default_factory=list)
    ticks: set[datetime] = field(default_factory=set)
    depths: dict[str, Depth | None] = field(default_factory=dict)
    renewal: Renewal | None = None
    places: dict[Hashable, int] = field(default_factory=dict)
    layout: Layout | None = None
    sweep_progress: SweepProgress | None = None
    positions: dict[int, str | None] = field(default_factory=dict)
    watchlists: set[Watchlist] = field(default_factory=set)
    definitions: dict[JobKey, Definition] = field(default_factory=dict)
    histories: dict[JobKey, list[PastRevision]] = field(default_factory=dict)
    past_jobs: dict[tuple[JobKey, int], Job] = field(default_factory=dict)
    audits: dict[tuple[str, str], AuditRecord] = field(default_factory=dict)
    graph: int = 0
    calendars: dict[CalendarKey, Calendar] = field(default_factory=dict)
    backfills: dict[tuple[JobKey, str], Backfill] = field(default_factory=dict)
    settings: dict[str, Namespace] = field(default_factory=dict)
    job_counts: dict[str, JobCount] = field(default_factory=dict)
    paces: dict[str, Pace] = field(default_factory=dict)
    spreads: dict[tuple[RunKey, int], Spread] = field(default_factory=dict)
    namespaces: set[str] = field(default_factory=set)
    runs: dict[RunKey, Run] = field(default_factory=dict)
    entries: dict[tuple[str, str, str], Entry] = field(default_factory=dict)
    payloads: dict[RunKey, Payload] = field(default_factory=dict)
    outputs: dict[tuple[RunKey, int], Output] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    logs: dict[tuple[RunKey, int], LogRecord] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    keys_used: dict[tuple[JobKey, str], KeyUsed] = field(default_factory=dict)
    permits: dict[PermitKey, Permit] = field(default_factory=dict)
    stack_answers: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    token_keys: dict[str, str] = field(default_factory=dict)
    balances: dict[JobKey, Balance] = field(default_factory=dict)
    services: dict[ServiceKey, Service] = field(default_factory=dict)
    executions: dict[str, Awaiting] = field(default_factory=dict)
    nodes: dict[NodeKey, Node] = field(default_factory=dict)
    pools: dict[PoolKey, datetime] = field(default_factory=dict)
    pool_queues: dict[Served, list[Message]] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    hidden: list[tuple[Received, timedelta]] = field(default_factory=list)
    write_units: int = 0
    read_units: int = 0
    calls: int = 0

    def uses(self, *, write: int = 0, read: int = 0) -> None:
        """Count one call and its units, as docs/reference/costs.md gives them; the caller holds the lock."""
        self.write_units += write
        self.read_units += read
        self.calls += 1


class MemoryStore:
    """A store over a `MemoryState`."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state


class TimerStore(MemoryStore):
    """A store of timers, or of things that are stored with timers.

    Args:
        shards: number of shards of the due index for new timers.
        page_size: entries that one query reads.
    """

    def __init__(self, state: MemoryState, *, shards: int = 8, page_size: int = 100) -> None:
        super().__init__(state)
        self._shards = shards
        self._page_size = page_size


class MemoryCount:
    """In-memory implementation of the port `Count`."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state
        self._before = (state.write_units, state.read_units, state.calls)

    def used(self) -> Usage:
        write, read, calls = self._before
        now = self._state
        return Usage(write=now.write_units - write, read=now.read_units - read, calls=now.calls - calls)


class MemoryMeter(MemoryStore):
    """In-memory implementation of the port `Meter`, for one thread at a time.

    It counts the units that the calls would cost in DynamoDB, by docs/reference/costs.md.
    """

    @contextmanager
    def counting(self) -> Iterator[MemoryCount]:
        yield MemoryCount(self._state)

    def weight(self, run: Run) -> int:
        """Write units of a run's record: assumes 500 bytes, and 210 more for each earlier attempt."""
        return 1 + (500 + 210 * len(run.attempts)) // 1024
