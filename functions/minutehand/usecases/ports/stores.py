"""What use cases need of where jobs, timers, runs and the like are kept; the promises of `ports` hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from minutehand.domain.retention import DEFAULT_RETENTION

if TYPE_CHECKING:
    from minutehand.domain.calendar import Calendar, CalendarKey
    from minutehand.domain.job import Definition, JobKey
    from minutehand.domain.namespace import Namespace
    from minutehand.domain.overlap_lock import Permit, PermitKey
    from minutehand.domain.revision_history import PastRevision
    from minutehand.domain.run import Run, RunKey, RunState
    from minutehand.domain.timer import BrokenTimer, Deadline, Due, Recheck, SkippedRange, Ticks, Timer
    from minutehand.domain.token import Token
    from minutehand.usecases.ports.job_change import Change

Clock = Callable[[], datetime]
"""The time: aware, UTC, whole milliseconds."""

T = TypeVar("T")


class Page(NamedTuple, Generic[T]):
    """Part of a list; `next` asks for what follows and is None at the end."""

    items: tuple[T, ...]
    next: str | None


class Move(NamedTuple):
    """A timer's step from one `next_at` to another (None: the schedule is at its end).

    `revision` and `old` are as read, and compared; None, where they cannot be read, is not. `offset` and `runs_left` are the
    timer's from then on; None leaves what it has.
    """

    job: JobKey
    revision: int | None
    old: datetime | None
    new: datetime | None
    offset: timedelta | None = None
    runs_left: int | None = None


class Renewal(NamedTuple):
    """How far the timers have been put where the time zone data of a version put them.

    Attributes:
        namespace, cursor: of the next page of jobs to look at.
        done: whether all are.
    """

    version: str
    namespace: str = ""
    cursor: str | None = None
    done: bool = False


TICKS_LOOKED_FOR = timedelta(days=8)
"""How far around an instant ticks are looked for, in whole days of UTC."""
SKIPPED_KEPT = DEFAULT_RETENTION
"""How long after its end the record of a skipped range is kept."""


class Timers(Protocol):
    """The due index and the timers in it."""

    def due(self, shard: int, until: datetime) -> Iterator[Sequence[Due]]:
        """Pages of a shard's timers with `next_at <= until`, earliest first. May be stale; one that cannot be read
        comes as a `BrokenTimer`."""

    def get(self, job: JobKey) -> Timer | BrokenTimer | None:
        """A job's own timer; None for a job that has none."""

    def advance(self, moves: Sequence[Move]) -> None:
        """Each move, if its timer still exists and stands at `old` in that revision; otherwise it changes nothing."""

    def skip(self, skipped: SkippedRange, move: Move, recheck: Recheck) -> bool:
        """In one transaction: the record of the range, kept for `SKIPPED_KEPT`, the move, and the recheck. False, with nothing
        written, when the timer has moved."""

    def remind(self, deadline: Deadline) -> None:
        """Store a deadline; storing it again changes nothing."""

    def settle(self, timer: Deadline | Recheck) -> None:
        """Remove a timer whose work is done; no error when it is gone."""

    def arm(self, job: JobKey, revision: int, outstanding: datetime, new: datetime | None) -> Timer | None:
        """Let a fixed delay go on: from the outstanding `occ` to `new` (None: never again), if that is what is outstanding in this
        revision and the job is neither paused nor finished. The timer as it now stands where this call, or its repetition, armed it; None otherwise."""

    def record_tick(self, minute: datetime) -> None:
        """One small row that says a tick was here."""

    def ticks_around(self, instant: datetime) -> Ticks:
        """When ticks were here, around an instant and within `TICKS_LOOKED_FOR`. May be stale."""

    def skipped(self, job: JobKey, first: datetime, until: datetime, limit: int) -> Sequence[SkippedRange]:
        """A job's skipped ranges that share an instant with [first, until), earliest first: all that begin before `first`, and
        the first `limit` of the others."""

    def renewal(self) -> Renewal | None:
        """How far the last renewal has come; None when there was none."""

    def record_renewal(self, renewal: Renewal) -> None:
        """Say how far it has come."""


class Governing(NamedTuple):
    """What says how runs are to be run: the definitions and the settings of namespaces that exist."""

    definitions: Mapping[JobKey, Definition]
    namespaces: Mapping[str, Namespace]

    def of(self, job: JobKey) -> tuple[Definition | None, Namespace | None]:
        """What there is about a job."""
        return self.definitions.get(job), self.namespaces.get(job.namespace)


class Definitions(Protocol):
    """Jobs as people define them."""

    def get(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Definition]:
        """The definitions that exist, tombstones among them."""

    def governing(self, jobs: Sequence[JobKey]) -> Governing:
        """The same with the settings of the jobs' namespaces, in one reading."""

    def save(self, change: Change) -> bool:
        """All of a change in one transaction, the users of its calendars counted, the job among its parents' `children` or not any
        more. False, with nothing written, when the definition's revision or children or the timer's `next_at` is not what `before`
        says, a calendar does not exist, or a parent's revision or the graph is not as read."""

    def graph(self) -> int:
        """The version of all dependencies: it grows with each change that has one."""

    def history(self, job: JobKey) -> Iterator[Sequence[PastRevision]]:
        """Pages of a job's revisions, newest first: all since it was first saved, or since histories are kept."""

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Definition]:
        """Jobs by name, without their payloads and their `children`. `Invalid` for a cursor that this did not give."""

    def namespaces(self) -> Sequence[str]:
        """Every namespace that ever had a job."""


class Namespaces(Protocol):
    """Settings of namespaces, by name."""

    def get(self, names: Sequence[str]) -> Mapping[str, Namespace]:
        """The settings of those that have some."""

    def save(self, before: Namespace | None, after: Namespace) -> bool:
        """Create or replace settings. False, with nothing written, when what is stored has not the revision of `before` (None: there
        is nothing)."""


class Calendars(Protocol):
    """Calendars by name. How many jobs use one is kept by whoever saves jobs, and nothing here changes it."""

    def get(self, calendars: Sequence[CalendarKey]) -> Mapping[CalendarKey, Calendar]:
        """The calendars that exist."""

    def save(self, before: Calendar | None, after: Calendar) -> bool:
        """Create or replace a calendar, all but its `users`. False, with nothing written, when what is stored is not
        `before` as it was read (None: there is none)."""

    def delete(self, calendar: Calendar) -> bool:
        """Delete a calendar. False, with nothing deleted, when it is not as it was read, or a job uses it."""

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Calendar]:
        """Calendars by name, fewer than `limit` where they are large. `Invalid` for a cursor that this did not give."""


class Claim(Enum):
    """What became of one claim."""

    CLAIMED = "claimed"
    """The run is ours: it did not exist, and now it does."""
    EXISTS = "exists"
    """The run was there before; whether it still needs a message must be read."""
    FAILED = "failed"
    """Nothing is known; the occurrence stays due."""


MOST_LOOKED_AT = 500
"""Runs that are read at most for one page of those in certain states."""


class Payload(NamedTuple):
    """A payload that a run has in place of its job's: any JSON value, null too."""

    value: Any


class Runs(Protocol):
    """Runs, each created once and moved by conditional writes."""

    def claim(self, runs: Sequence[Run]) -> Sequence[Claim]:
        """Create each run unless it exists; one outcome each, in order. Does not raise for a single bad run."""

    def claim_counted(self, run: Run, move: Move, deadline: Deadline) -> bool:
        """In one transaction: create the run, make the move, store the deadline. A run that an earlier revision has claimed, and
        that waits or was skipped, is replaced. False, with nothing written, when the timer has moved or the run is not to be had."""

    def get(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        """The runs that exist."""

    def look(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        """As `get` for half the price: may be stale, and leave out what has just been made."""

    def move(self, before: Run, after: Run) -> Run:
        """Change a run if it still has the state, attempt, nonce and revision of `before`, and `before`'s values wherever `after`
        differs. Answers the run as it now stands: equal to `after` when this call, or its repetition, made it so."""

    def start(self, before: Run, after: Run, permits: Sequence[Permit]) -> Run | None:
        """As `move`, in one transaction with the permits, each taken over for `after` if it stands as it was read. None, with nothing
        written, when the run stands and a permit does not."""

    def move_reminding(self, before: Run, after: Run, deadline: Deadline) -> Run:
        """As `move`, in one transaction with a deadline, so that what follows cannot be forgotten."""

    def trigger(
        self, run: Run, idempotency_key: str, deadline: Deadline, payload: Payload | None = None, since: int = 0
    ) -> Run:
        """In one transaction: the run, its own payload if it has one, a record of the key, and the deadline. When the key was used
        before, by a run of the revision `since` or a later one: the run it made, and nothing is written."""

    def payload(self, key: RunKey) -> Payload | None:
        """A run's own payload; None when it has none, or its retention is over."""

    def page(self, job: JobKey, limit: int, cursor: str | None, states: Collection[RunState] = ()) -> Page[Run]:
        """A job's runs, newest first; where `states` are given, those in one of them. For these at most `MOST_LOOKED_AT` runs are
        looked at, so that a page may be short, or empty, and not be the last. `Invalid` for a cursor that this did not give."""

    def between(self, job: JobKey, after: datetime, until: datetime, *, limit: int | None = None) -> Sequence[Run]:
        """A job's runs scheduled for an instant in (after, until], earliest first; at most `limit`, if one is given."""

    def within(self, namespace: str, start: datetime, end: datetime) -> Iterator[Sequence[RunKey]]:
        """Pages of a namespace's runs scheduled for an instant in [start, end), whole seconds. May be stale."""

    def oldest(self, job: JobKey, *, beyond: int, limit: int) -> Sequence[Run]:
        """A job's oldest runs, at most `limit`, earliest first: those before its newest finished ones, `beyond` of which are
        left out. May be stale."""

    def forget(self, runs: Sequence[Run]) -> None:
        """Remove each run, if it has still the state, attempt and revision that are given, and before it its own payload if it has one;
        no error where it has not, or is gone."""


class Permits(Protocol):
    """What runs must hold to start. Starting a run takes them."""

    def get(self, keys: Sequence[PermitKey]) -> Mapping[PermitKey, Permit]:
        """Each permit as it stands; one that nobody has taken yet has no holder."""

    def wait(self, key: PermitKey, run_id: str) -> None:
        """Add a run to those that wait for a permit; adding it again changes nothing."""

    def forget(self, key: PermitKey, run_ids: Sequence[str]) -> None:
        """Take runs off those that wait; no error for one that does not."""


class Tokens(Protocol):
    """Bearer tokens by the digest of their secret."""

    def get(self, digest: str) -> Token | None:
        """The token, if it exists."""

    def put(self, token: Token) -> None:
        """Store a token, replacing one of the same digest."""
