"""Stores that record every change of state, so that the checker does not rely on the final state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from minutehand.adapters.memory import (
    MemoryCalendars,
    MemoryDefinitions,
    MemoryPermits,
    MemoryRuns,
    MemoryState,
    MemoryTimers,
)
from minutehand.domain.audit import AuditRecord
from minutehand.domain.calendar import Calendar
from minutehand.domain.definition import Revision
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.overlap_lock import Permit, PermitKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_entry import Entry
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Deadline, Recheck, SkippedRange
from minutehand.usecases.ports.job_change import Change
from minutehand.usecases.ports.stores import Claim, Move, Payload
from tests.simulation.engine import Engine
from tests.simulation.rules import Rule

SKEW = timedelta(seconds=1)
"""Most by which the clock of a process is ahead or behind."""


@dataclass(frozen=True)
class Committed:
    """A revision, and when its transaction was made."""

    job: JobKey
    revision: Revision
    paused: bool
    deleted: bool
    at: datetime
    limit: int | None
    delay: bool
    run_timeout: timedelta | None
    given: Job
    """The job as the revision defines it; of a deleted job, as it was."""


def governing(instant: datetime, commits: Sequence[Committed]) -> Committed:
    """The revision in effect at an instant."""
    return next(c for c in reversed(commits) if c.revision.effective_from < instant)


def while_editing(instant: datetime, commits: Sequence[Committed]) -> bool:
    """Whether an edit was under way at an instant: it had taken effect, and was stored too late for a worker to know it then."""
    return any(c.revision.effective_from < instant < c.at + SKEW for c in commits)


class Sight(NamedTuple):
    """What a process had read when it decided: runs, and its own clock just before."""

    clock: datetime
    runs: Mapping[RunKey, Run]


@dataclass(frozen=True)
class Moved:
    """A change of a run.

    Attributes:
        permits: the lock and slots that its start took, as they were read.
        sight: the last reading of runs by the process that made the change.
    """

    before: Run | None
    after: Run
    at: datetime
    permits: Sequence[Permit] = ()
    sight: Sight | None = None


class Passed(NamedTuple):
    """A skipped range, and the clock of the process that recorded it, at or after its planning."""

    range: SkippedRange
    revision: int
    clock: datetime


@dataclass(frozen=True)
class Called:
    """One call of a target, as the outside world saw it. `later`: the target answers later, by itself."""

    run: RunKey
    attempt: int
    at: datetime
    until: datetime
    later: bool = False


class History:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.commits: list[Committed] = []
        self.moves: list[Moved] = []
        self.calls: list[Called] = []
        self.triggers: dict[tuple[JobKey, str, int], set[tuple[RunKey, int]]] = {}
        """Triggered runs by job, idempotency key and number of deletions of the job."""
        self.calendars: list[tuple[datetime, Calendar]] = []
        self.passed: list[Passed] = []
        self.answers: set[tuple[RunKey, int, RunState]] = set()
        """What targets answered: run, attempt and state."""
        self.asked: dict[tuple[RunKey, int], timedelta] = {}
        """The waits for which targets asked before the next attempt."""
        self.listed: dict[RunKey, datetime] = {}
        """When runs were first put on the list of a lock that had a holder."""
        self.purged: list[RunKey] = []
        """Runs whose messages were lost."""
        self.judged: Counter[Rule] = Counter()
        """How often each rule was applied."""

    def of(self, job: JobKey) -> list[Committed]:
        """The revisions of a job, oldest first."""
        return [c for c in self.commits if c.job == job]

    def in_sight(self, job: JobKey, since: datetime, until: datetime) -> list[Committed]:
        """The revisions of a job that were its newest at any time from `since` to `until`."""
        commits = self.of(job)
        return [
            this
            for this, following in pairwise([*commits, None])
            if this and this.at <= until and (following is None or following.at >= since)
        ]

    def made(self, run: RunKey) -> Run:
        """A run as it was created."""
        return next(move.after for move in self.moves if move.after.key == run)

    def life_of(self, run: Run) -> int:
        """How often the job of a run had been deleted when the run was created."""
        return sum(c.job == run.key.job and c.deleted and c.revision.number < run.revision for c in self.commits)


class ObservedTimers(MemoryTimers):
    def __init__(self, state: MemoryState, history: History, *, shards: int, page_size: int) -> None:
        super().__init__(state, shards=shards, page_size=page_size)
        self._history = history

    def skip(self, skipped: SkippedRange, move: Move, recheck: Recheck) -> bool:
        done = super().skip(skipped, move, recheck)
        if done:
            self._history.passed.append(Passed(skipped, move.revision, self._history.engine.reading))
        return done


class ObservedCalendars(MemoryCalendars):
    def __init__(self, state: MemoryState, history: History) -> None:
        super().__init__(state)
        self._history = history

    def save(self, before: Calendar | None, after: Calendar, audit: AuditRecord | None = None) -> bool:
        saved = super().save(before, after, audit)
        if saved:
            engine = self._history.engine
            engine.note(f"    calendar {after.key} r{after.revision} {after.weekly} {after.periods}")
            self._history.calendars.append((engine.now, after))
        return saved


class ObservedRuns(MemoryRuns):
    def __init__(self, state: MemoryState, history: History, *, shards: int) -> None:
        super().__init__(state, shards=shards)
        self._history = history

    def get(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        found = super().get(keys)
        engine = self._history.engine
        engine.remember(Sight(engine.reading, found))
        return found

    def enter(self, entries: Sequence[Entry]) -> Sequence[bool]:
        for entry in entries:
            self._history.engine.note(f"    entry {entry.minute}#{entry.id}: {entry.names}")
        return super().enter(entries)

    def claim(self, runs: Sequence[Run]) -> Sequence[Claim]:
        outcomes = super().claim(runs)
        for run, outcome in zip(runs, outcomes, strict=True):
            if outcome is Claim.CLAIMED:
                self._wrote(None, run)
        return outcomes

    def claim_counted(self, run: Run, move: Move, deadline: Deadline) -> bool:
        before = self._state.runs.get(run.key)
        claimed = super().claim_counted(run, move, deadline)
        if claimed:
            self._wrote(before, self._state.runs[run.key])
        return claimed

    def move(self, before: Run, after: Run) -> Run:
        moved: Run = self._watched(before.key, lambda: super(ObservedRuns, self).move(before, after))
        return moved

    def start(self, before: Run, after: Run, permits: Sequence[Permit]) -> Run | None:
        return self._watched(before.key, lambda: super(ObservedRuns, self).start(before, after, permits), permits)

    def move_reminding(self, before: Run, after: Run, deadline: Deadline, audit: AuditRecord | None = None) -> Run:
        return self._watched(
            before.key, lambda: super(ObservedRuns, self).move_reminding(before, after, deadline, audit)
        )

    def move_audited(self, before: Run, after: Run, audit: AuditRecord) -> Run:
        return self._watched(before.key, lambda: super(ObservedRuns, self).move_audited(before, after, audit))

    def _watched(self, key: RunKey, effect: Callable[[], Any], permits: Sequence[Permit] = ()) -> Any:
        before = self._state.runs.get(key)
        answer = effect()
        after = self._state.runs[key]
        if after != before:
            self._wrote(before, after, permits)
        return answer

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
        known = run.key in self._state.runs
        after = super().trigger(run, idempotency_key, deadline, payload, since, audit=audit)
        if not known and run.key in self._state.runs:
            self._wrote(None, run)
        history = self._history
        asked = (run.key.job, idempotency_key, history.life_of(run))
        history.triggers.setdefault(asked, set()).add((after.key, history.life_of(history.made(after.key))))
        return after

    def _wrote(self, before: Run | None, after: Run, permits: Sequence[Permit] = ()) -> None:
        engine = self._history.engine
        engine.note(
            f"    {after.key.job} {after.key.run_id} {before and before.state.value} -> {after.state.value} #{after.attempt}"
        )
        sight: Sight | None = engine.remembered() if after.blocked_by else None
        self._history.moves.append(Moved(before=before, after=after, at=engine.now, permits=permits, sight=sight))


class ObservedPermits(MemoryPermits):
    def __init__(self, state: MemoryState, history: History) -> None:
        super().__init__(state)
        self._history = history

    def wait(self, key: PermitKey, run_id: str) -> None:
        super().wait(key, run_id)
        if isinstance(key.owner, JobKey) and self._state.permits[key].holder is not None:
            self._history.listed.setdefault(RunKey(key.owner, run_id), self._history.engine.now)


class ObservedDefinitions(MemoryDefinitions):
    def __init__(self, state: MemoryState, history: History, *, shards: int) -> None:
        super().__init__(state, shards=shards)
        self._history = history

    def save(self, change: Change) -> bool:
        saved = super().save(change)
        if saved:
            after = change.after
            engine = self._history.engine
            engine.note(
                f"    {after.job.key} r{after.revision} {after.job.schedule!r} paused={after.job.paused} deleted={after.deleted}"
            )
            self._history.commits.append(
                Committed(
                    job=after.job.key, revision=after.revisions[-1], paused=after.job.paused, deleted=after.deleted,
                    at=engine.now, limit=after.job.max_runs, delay=after.job.fixed_delay, run_timeout=after.job.run_timeout,
                    given=after.job,
                )
            )  # fmt: skip
        return saved
