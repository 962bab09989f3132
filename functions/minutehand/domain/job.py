"""A job: what a person defines, and the revisions of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, NamedTuple

from minutehand.domain.retention import DEFAULT_RETENTION
from minutehand.domain.target import Target

MAX_CATCH_UP = 100
"""Missed occurrences of a job that a tick dispatches, if the job does not say otherwise: enough for one that is due every second."""
_AFTER = "@after"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}", re.ASCII)


class JobKey(NamedTuple):
    """The full name of a job, written `namespace/name`."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    @classmethod
    def of(cls, text: str) -> JobKey:
        """The key of `namespace/name`; ValueError when the text has no slash."""
        namespace, slash, name = text.partition("/")
        if not slash:
            raise ValueError(f"{text!r} is not the full name of a job; write namespace/name")
        return cls(namespace=namespace, name=name)


class CatchUp(Enum):
    """What happens to misfired occurrences: those that are later than `misfire_grace` when a tick sees them."""

    SKIP = "skip"
    """None of them runs."""
    LATEST = "latest"
    """The latest of them runs, if it is within `catchup_window`."""
    ALL = "all"
    """Each one within `catchup_window` runs."""


class OnBlocked(Enum):
    """What becomes of an occurrence that a calendar blocks."""

    SKIP = "skip"
    """It does not run, and the skip is recorded."""
    NEXT_DAY = "next_day"
    """It runs at the same time of the next day that the calendars allow; if the schedule names that time too, once."""


class Overlap(Enum):
    """What happens when a run is to start while an earlier one of the same job is active."""

    ALLOW = "allow"
    """It starts."""
    SKIP = "skip"
    """It is skipped, and names the run in its way."""
    QUEUE_ONE = "queue_one"
    """It waits for the end of the other; while one waits, later ones are skipped."""
    QUEUE_ALL = "queue_all"
    """It waits, and so do all that follow, oldest first."""
    REPLACE = "replace"
    """The other is cancelled, and it starts when that has ended."""


class Backoff(NamedTuple):
    """How long to wait before the next attempt: `initial`, each further time `factor` times as long, at most `max`.

    `jitter` spreads it by up to that share on either side.
    """

    initial: timedelta = timedelta(seconds=10)
    factor: float = 2.0
    max: timedelta = timedelta(minutes=15)
    jitter: float = 0.1


class Retry(NamedTuple):
    """Which attempts are followed by another.

    Attributes:
        max_attempts: the first try counts; take-overs do not.
        retry_on: what is retried: statuses (`503`, `5xx`), types of errors (`ConnectionRefused`), `timed_out`; empty for all.
        give_up_on: what is not, whatever `retry_on` says.
    """

    max_attempts: int = 1
    backoff: Backoff = Backoff()
    retry_on: tuple[str, ...] = ()
    give_up_on: tuple[str, ...] = ()


ONE_TRY = Retry()
"""Nothing is retried: the default."""


class On(Enum):
    """As what a parent's run must have ended for its dependents to start."""

    SUCCESS = "success"
    FAILURE = "failure"
    """Failed, timed out or lost."""
    END = "end"
    """Succeeded, failed, timed out, cancelled or lost."""
    SKIPPED = "skipped"


class Dependency(NamedTuple):
    """One parent of a job."""

    job: JobKey
    on: On


class Join(Enum):
    """How many of a job's parents must have ended as asked."""

    ALL = "all"
    ANY = "any"


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A definition as its owner wrote it, with the defaults filled in.

    Attributes:
        schedule: a text, or several joined; compiled, with `timezone` and `dialect`, when saved.
        dialect: None goes by the text.
        calendars: names of calendars of the namespace, by name; what they hold is blocked.
        start_at, end_at: the first and the last instant that the schedule may name.
        max_runs: how many occurrences are dispatched before the job is finished.
        jitter: up to how much later than its instant each occurrence starts.
        payload: any JSON value, handed to the target.
        misfire_grace: how late an occurrence may be dispatched and still count as on time.
        catchup_window: how old a misfired occurrence may be and still run.
        max_catch_up: how many missed occurrences a tick dispatches at most.
        timeout: limit of one attempt, from its start to its answer.
        run_timeout: limit of the whole run, from the start of its first attempt; None for none.
        retry: which attempts that did not succeed are followed by another.
        overlap: a fixed delay never overlaps, whatever this says; see `overlap_of`.
        depends_on: the parents; `join` says how many of them it takes, within a `join_window` of nominal time (None: the same instant).
        max_concurrency: how many attempts of its runs may be under way at once; None for any number.
        retention_count: how many runs are kept at most; None for any number.
        record_units: whether each of its runs notes what it uses.
        paused_until: it names nothing before this instant; once that is past, it stands for nothing.
        takeovers: how often a run whose worker died is started again; 0 means at most once.
        retention: how long runs are kept after the instant they were scheduled for.
    """

    key: JobKey
    schedule: str | tuple[str, ...]
    target: Target
    description: str = ""
    owner: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    timezone: str = "UTC"
    dialect: str | None = None
    calendars: tuple[str, ...] = ()
    on_blocked: OnBlocked = OnBlocked.SKIP
    start_at: datetime | None = None
    end_at: datetime | None = None
    max_runs: int | None = None
    jitter: timedelta = timedelta(0)
    paused: bool = False
    paused_until: datetime | None = None
    payload: Any = None
    misfire_grace: timedelta = timedelta(minutes=5)
    catch_up: CatchUp = CatchUp.LATEST
    catchup_window: timedelta = timedelta(hours=24)
    max_catch_up: int = MAX_CATCH_UP
    timeout: timedelta = timedelta(seconds=60)
    run_timeout: timedelta | None = None
    retry: Retry = ONE_TRY
    overlap: Overlap = Overlap.ALLOW
    depends_on: tuple[Dependency, ...] = ()
    join: Join = Join.ALL
    join_window: timedelta | None = None
    max_concurrency: int | None = None
    takeovers: int = 2
    retention: timedelta = DEFAULT_RETENTION
    retention_count: int | None = None
    record_units: bool = False

    @property
    def fixed_delay(self) -> bool:
        """Whether each run waits for the end of the one before: its text has the word `@after`. Workers ask without loading the schedule library."""
        texts = (self.schedule,) if isinstance(self.schedule, str) else self.schedule
        return any(_AFTER in text.split() for text in texts)

    def is_paused(self, now: datetime) -> bool:
        """Whether it is kept from running, for good or until an instant to come."""
        return self.paused or (self.paused_until is not None and now < self.paused_until)


class Revision(NamedTuple):
    """What one revision of a definition names.

    Attributes:
        number: grows by one with each change; never used again for the same name, not even after a delete.
        effective_from: whole second; the revision governs instants strictly later than this, up to the next one's.
        rule: the occurrence rule, encoded; None when it names nothing, being paused or deleted.
        deleted: whether the job was deleted, rather than paused.
        paused_until: before this instant, it names nothing for having been paused.
    """

    number: int
    effective_from: datetime
    rule: str | None
    deleted: bool = False
    paused_until: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Definition:
    """A job as stored: the newest revision whole, and what the recent ones named.

    A deleted job keeps its definition as a tombstone (`deleted`), so that its revision numbers go on.

    Attributes:
        revisions: oldest first; the last is the one in `revision`.
        children: the jobs that depend on it.
        made_anew: the revision that deleted the job of this name before it; 0 for the first.
    """

    job: Job
    revision: int
    created_at: datetime
    updated_at: datetime
    updated_by: str
    revisions: tuple[Revision, ...] = field(default=())
    deleted: bool = False
    children: frozenset[JobKey] = frozenset()
    made_anew: int = 0

    def in_effect_at(self, instant: datetime) -> Revision | None:
        """The revision that governs `instant`, or None when that is further back than what is kept."""
        return next((r for r in reversed(self.revisions) if r.effective_from < instant), None)

    def sharing_timer(self, revision: Revision) -> set[int]:
        """The numbers of the revisions that had one timer with this one: those around it, without a gap, of the same instants."""
        found: set[int] = set()
        for each in self.revisions:
            if each.rule == revision.rule:
                found.add(each.number)
            elif revision.number in found:
                break
            else:
                found.clear()
        return found
