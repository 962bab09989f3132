"""Stores of timers, definitions, namespaces, calendars and runs. See `ports` for what every store promises."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from minutehand.domain.errors import Unread, ignored
from minutehand.domain.retention import DEFAULT_RETENTION

if TYPE_CHECKING:
    from minutehand.domain.audit import AuditRecord
    from minutehand.domain.definition import Definition
    from minutehand.domain.job_key import JobKey
    from minutehand.domain.namespace import Namespace
    from minutehand.domain.overlap_lock import Permit
    from minutehand.domain.revision_history import PastRevision, StoredRevision
    from minutehand.domain.run import Run, RunState
    from minutehand.domain.run_entry import Entry
    from minutehand.domain.run_key import RunKey
    from minutehand.domain.timer import Ahead, BrokenTimer, Deadline, Due, Recheck, SkippedRange, Ticks, Timer
    from minutehand.usecases.ports.job_change import Change

Clock = Callable[[], datetime]
"""Returns the time: aware, UTC, whole milliseconds."""

T = TypeVar("T")


class Page(NamedTuple, Generic[T]):
    """One page of a list. `next` is the cursor of the next page, None on the last."""

    items: tuple[T, ...]
    next: str | None


class Move(NamedTuple):
    """A timer's move from one `next_at`, `old`, to another, `new`. A `next_at` of None is the end of the schedule.

    The store makes the move only if the timer still has the `revision` and `old` that were read; one that could not be read is
    None and not compared. The move also sets `offset`, `runs_left` and `ahead`, unless they are None. ◆ `packed` is where the timer
    was read; one that has another place by now is not moved.
    """

    job: JobKey
    revision: int | None
    old: datetime | None
    new: datetime | None
    offset: timedelta | None = None
    runs_left: int | None = None
    ahead: Ahead | None = None
    packed: bool = False


class Renewal(NamedTuple):
    """Progress of the renewal, which moves all timers to where a version of the time zone data puts them.

    Attributes:
        namespace, cursor: those of the next page of jobs to renew.
        done: whether all jobs are renewed.
    """

    version: str
    namespace: str = ""
    cursor: str | None = None
    done: bool = False


TICKS_LOOKED_FOR = timedelta(days=8)
"""How far before and after an instant `Timers.ticks_around` searches for ticks, in whole days of UTC."""
SKIPPED_KEPT = DEFAULT_RETENTION
"""Retention of the record of a skipped range, from the end of the range."""


class Timers(Protocol):
    """The due index, the buckets, and the timers in both."""

    def due(self, shard: int, until: datetime) -> Iterator[Sequence[Due]]:
        """Pages of a shard's timers with `next_at <= until`, earliest first. May be stale. An unreadable timer is a
        `BrokenTimer`."""

    def due_packed(self, bucket: int, until: datetime) -> Iterator[Sequence[Due]]:
        """Pages of a bucket's packed timers with `next_at <= until`, in any order: ◆ those that are not due are left out. A page
        that is not the last is full, or empty: a long search goes on, and the caller may end it. May be stale."""

    def get(self, job: JobKey) -> Timer | BrokenTimer | None:
        """The timer of a job's schedule, packed or not; None for a job without one."""

    def of_jobs(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Timer | BrokenTimer]:
        """The timers of these jobs' schedules, as `get` reads one; jobs without one are left out."""

    def advance(self, moves: Sequence[Move]) -> None:
        """Make each move whose timer still has the move's `old` as its `next_at`, and its `revision`; other moves change
        nothing."""

    def skip(self, skipped: SkippedRange, move: Move, recheck: Recheck) -> bool:
        """In one transaction, store the record of a skipped range (kept for `SKIPPED_KEPT`), make the move, and store the recheck.
        False, with nothing written, when the timer has moved."""

    def remind(self, deadline: Deadline) -> None:
        """Store a deadline timer; storing it again changes nothing."""

    def settle(self, timer: Deadline | Recheck) -> None:
        """Remove a timer whose work is done; no error when it does not exist."""

    def arm(self, job: JobKey, revision: int, outstanding: datetime, new: datetime | None) -> Timer | None:
        """Move the timer of a fixed delay from the `outstanding` run's instant to `new`, which is None at the end of the schedule.
        Returns the timer if this call or an earlier try of it moved it. Returns None, with nothing written, when another run is
        outstanding, the timer has another revision, or the job is paused or finished."""

    def record_tick(self, minute: datetime) -> None:
        """Record that a tick ran in this minute."""

    def ticks_around(self, instant: datetime) -> Ticks:
        """The ticks before and after an instant, within `TICKS_LOOKED_FOR`. May be stale."""

    def skipped(self, job: JobKey, first: datetime, until: datetime, limit: int) -> Sequence[SkippedRange]:
        """A job's skipped ranges that overlap [first, until), earliest first: all that begin before `first`, and the first `limit` of
        the others."""

    def renewal(self) -> Renewal | None:
        """Read the progress of the last renewal; None before the first."""

    def record_renewal(self, renewal: Renewal) -> None:
        """Store the progress of a renewal."""


class Governing(NamedTuple):
    """The definitions and the namespaces' settings that decide about the runs of a batch, as far as they exist."""

    definitions: Mapping[JobKey, Definition]
    namespaces: Mapping[str, Namespace]

    def of(self, job: JobKey) -> tuple[Definition | None, Namespace | None]:
        """A job's definition and its namespace's settings; None for what does not exist."""
        return self.definitions.get(job), self.namespaces.get(job.namespace)


class Overview(NamedTuple):
    """A job's definition and timer, and its namespace's settings, as far as they exist."""

    definition: Definition | None
    timer: Timer | BrokenTimer | None
    namespace: Namespace | None


class Definitions(Protocol):
    """Definitions of jobs."""

    def get(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Definition]:
        """Read definitions, also those of deleted jobs; those that do not exist are left out."""

    def governing(self, jobs: Sequence[JobKey]) -> Governing:
        """Read definitions as `get` does, and the settings of their namespaces, in one call."""

    def overview(self, job: JobKey) -> Overview:
        """Read the definition of a job as `get` does, its timer and the settings of its namespace, in one call."""

    def save(self, change: Change) -> bool:
        """Write a change of a job in one transaction, with its revision, its record for the audit, the use counts of its calendars and the `children` of its parents.
        False, with nothing written, when the stored revision, children or `next_at` is not the one before the change, a calendar
        does not exist, a parent's revision or the dependency graph is not as it was read, or the stored number of jobs is not below
        `most_jobs`."""

    def set_lane(self, job: JobKey, revision: int, slow_until: datetime | None) -> None:
        """Store a job's `slow_until` in its definition, and whether there is one in its timer; each only if it has this revision."""

    def graph(self) -> int:
        """The version of the dependency graph: it grows with each change of a dependency."""

    def history(self, job: JobKey) -> Iterator[Sequence[PastRevision]]:
        """Pages of a job's revisions, newest first."""

    def revision(self, job: JobKey, number: int) -> StoredRevision | None:
        """A revision of a job, with the job as it was; None if there never was such a revision."""

    def revisions(self, job: JobKey, limit: int, cursor: str | None) -> Page[PastRevision]:
        """A job's revisions, newest first. `Invalid` for a cursor that this did not return."""

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Definition]:
        """Jobs by name, without their payloads and their `children`. `Invalid` for a cursor that this did not return."""

    def listed(self, namespace: str, after: str, limit: int) -> tuple[Sequence[Definition], bool]:
        """The first `limit` jobs with names after `after`, fewer where they are large, each as in `page`; and whether there are more. A
        part that is not the last has a job at least."""

    def entries(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Definition]:
        """Read jobs as `page` shows them; deleted ones are left out. May be stale."""

    def namespaces(self) -> Sequence[str]:
        """All namespaces that ever had a job, a calendar or settings."""


class Claim(Enum):
    """Outcome of one claim."""

    CLAIMED = "claimed"
    """This call created the run."""
    EXISTS = "exists"
    """The run existed before; read it to see whether it still needs a message."""
    FAILED = "failed"
    """It is unknown whether the run was created; its occurrence stays due."""


MOST_LOOKED_AT = 500
"""Most runs that are read for one page of runs in given states."""


class Payload(NamedTuple):
    """A payload: any JSON value, null included."""

    value: Any


class Runs(Protocol):
    """Runs, each created once and changed by conditional writes."""

    def enter(self, entries: Sequence[Entry]) -> Sequence[bool]:
        """Store each entry, unless an equal one exists. Returns for each, in order, whether it is stored now, and does not raise."""

    def claim(self, runs: Sequence[Run]) -> Sequence[Claim]:
        """Create each run unless it exists. Returns an outcome for each, in order; a run that cannot be created does not raise."""

    def claim_counted(self, run: Run, move: Move, deadline: Deadline) -> bool:
        """Create the run, make the move and store the deadline, in one transaction. A queued or skipped run that an earlier revision
        claimed is replaced. False, with nothing written, when the timer has moved, or the run exists and is not replaced."""

    def get(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        """Read runs; those that do not exist are left out."""

    def look(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        """As `get`, for half the read units: runs may be stale, and runs that were just created may be left out."""

    def move(self, before: Run, after: Run) -> Run:
        """Change a run if it still has the state, attempt, nonce and revision of `before`, and `before`'s values wherever `after`
        differs. Returns the run as stored afterwards: equal to `after` when this call or an earlier try of it wrote it."""

    def start(self, before: Run, after: Run, permits: Sequence[Permit]) -> Run | None:
        """As `move`, in one transaction that also makes the run the holder of each permit, if the permit is as it was read. None,
        with nothing written, when the run is as it was read and a permit is not."""

    def move_reminding(self, before: Run, after: Run, deadline: Deadline, audit: AuditRecord | None = None) -> Run:
        """As `move`, in one transaction that also stores a deadline timer, so that a worker follows the run up in any case, and the
        record of who asked for the change, if anybody did."""

    def move_audited(self, before: Run, after: Run, audit: AuditRecord) -> Run:
        """As `move`, in one transaction that also stores the record of who asked for the change."""

    def trigger(
        self,
        run: Run,
        idempotency_key: str,
        deadline: Deadline,
        payload: Payload | None = None,
        since: int = 0,
        *,
        audit: AuditRecord | None = None,
    ) -> Run:
        """Create the run, its own payload if it has one, a record of the key, the deadline and `audit`, in one transaction. If the key has
        made a run before, under revision `since` or a later one, returns that run and writes nothing."""

    def payload(self, key: RunKey) -> Payload | None:
        """Read a run's own payload; None when it has none, or its retention is over."""

    def page(
        self,
        job: JobKey,
        limit: int,
        cursor: str | None,
        states: Collection[RunState] = (),
        within: tuple[datetime, datetime] | None = None,
    ) -> Page[Run]:
        """A job's runs, newest first; with `states`, only those in one of these; with `within`, only those scheduled for an instant in
        [within[0], within[1]), whole seconds. With `states`, at most `MOST_LOOKED_AT` runs are
        read, so a page may be short or empty without being the last. `Invalid` for a cursor that this did not return."""

    def between(self, job: JobKey, after: datetime, until: datetime, *, limit: int | None = None) -> Sequence[Run]:
        """A job's runs scheduled for an instant in (after, until], earliest first; at most `limit`, if one is given."""

    def within(
        self, namespace: str, start: datetime, end: datetime, unreadable: Unread = ignored
    ) -> Iterator[Sequence[RunKey]]:
        """Pages of the keys of a namespace's runs that are scheduled for an instant in [start, end), whole seconds, by run id; each
        once. May be stale and name runs that do not exist. Calls `unreadable` for each entry that cannot be read, and goes on."""

    def oldest(self, job: JobKey, *, beyond: int, limit: int) -> Sequence[Run]:
        """At most `limit` of a job's oldest runs, earliest first. Leaves out the newest `beyond` finished runs, and every run later
        than the oldest of these. May be stale."""

    def forget(self, runs: Sequence[Run]) -> None:
        """Remove the own payloads of these runs, then each run that still has the given state, attempt and revision. Other runs
        stay, without an error."""
