"""In-memory stores of runs and of permits (overlap locks and concurrency slots)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from operator import attrgetter

from minutehand.adapters import cursors
from minutehand.adapters.memory.audits import recorded
from minutehand.adapters.memory.shards import keep
from minutehand.adapters.memory.state import KeyUsed, MemoryState, MemoryStore, TimerStore
from minutehand.adapters.memory.timers import advance
from minutehand.adapters.stored_runs import FENCE, KEY_REMEMBERED, as_stored
from minutehand.domain.audit import AuditRecord
from minutehand.domain.errors import Unavailable, Unread, Unreadable, ignored
from minutehand.domain.instants import floor
from minutehand.domain.job_key import JobKey
from minutehand.domain.overlap_lock import Permit, PermitKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_entry import Entry, minutes
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Deadline
from minutehand.domain.transitions import check
from minutehand.usecases.ports.stores import MOST_LOOKED_AT, Claim, Move, Page, Payload

_AS_READ = ("state", "attempt", "revision")
_FIELDS = tuple(field.name for field in fields(Run))


class MemoryRuns(TimerStore):
    """In-memory implementation of the port `Runs` over a `MemoryState`."""

    def enter(self, entries: Sequence[Entry]) -> Sequence[bool]:
        with self._state.lock:
            for entry in entries:
                self._state.entries.setdefault((entry.namespace, entry.minute, entry.id), entry)
        return [True] * len(entries)

    def claim(self, runs: Sequence[Run]) -> Sequence[Claim]:
        return [self._claim(run) for run in runs]

    def _claim(self, run: Run) -> Claim:
        with self._state.lock:
            if run.key in self._state.runs:
                return Claim.EXISTS
            self._state.runs[run.key] = as_stored(run)
            return Claim.CLAIMED

    def get(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        with self._state.lock:
            self._state.uses(read=len(keys))
            return {key: self._state.runs[key] for key in keys if key in self._state.runs}

    def look(self, keys: Sequence[RunKey]) -> Mapping[RunKey, Run]:
        """Runs by key; in memory they are never stale."""
        with self._state.lock:
            self._state.uses(read=-(-len(keys) // 2))
            return {key: self._state.runs[key] for key in keys if key in self._state.runs}

    def move(self, before: Run, after: Run) -> Run:
        """Move a run to its next state, if it is still as `before` was read. Fields that `after` does not change are neither compared nor
        written.

        Raises:
            IllegalMove: for a transition that does not exist.
            Unavailable: if the run has expired.
        """
        with self._state.lock:
            self._state.uses(write=1 + after.state.wants_attention)
            return self._move(before, after)[1]

    def _move(self, before: Run, after: Run) -> tuple[bool, Run]:
        """Update a run if it is still as `before`. Return whether it was, and the run as it is now. The caller holds the lock."""
        check(before, after)
        after = as_stored(after)
        changed, compared = self._changed(before, after)
        stored = self._stored(before)
        if not changed:
            return False, stored
        if all(getattr(stored, name) == getattr(before, name) for name in compared):
            self._state.runs[before.key] = replace(stored, **{name: getattr(after, name) for name in changed})
            return True, after
        repeated = all(getattr(stored, name) == getattr(after, name) for name in compared)
        return False, after if repeated else stored

    def _changed(self, before: Run, after: Run) -> tuple[list[str], set[str]]:
        changed = [name for name in _FIELDS if getattr(before, name) != getattr(after, name)]
        return changed, {*FENCE, *changed}

    def _stored(self, run: Run) -> Run:
        stored = self._state.runs.get(run.key)
        if stored is None:
            raise Unavailable(f"run {run.key.run_id} of {run.key.job} does not exist any more; read it again")
        return stored

    def start(self, before: Run, after: Run, permits: Sequence[Permit]) -> Run | None:
        with self._state.lock:
            self._state.uses(write=2 * (1 + len(permits)))
            stored = self._stored(before)
            _, compared = self._changed(before, after)
            unchanged = all(getattr(stored, name) == getattr(before, name) for name in compared)
            if unchanged and not all(is_as_read(self._state, permit) for permit in permits):
                return None
            moved, run = self._move(before, after)
            for permit in permits if moved else ():
                take(self._state, permit, after)
            return run

    def move_reminding(self, before: Run, after: Run, deadline: Deadline, audit: AuditRecord | None = None) -> Run:
        with self._state.lock:
            moved, run = self._move(before, after)
            if moved:
                keep(self._state, deadline, self._shards)
                recorded(self._state, audit)
            return run

    def move_audited(self, before: Run, after: Run, audit: AuditRecord) -> Run:
        with self._state.lock:
            moved, run = self._move(before, after)
            if moved:
                recorded(self._state, audit)
            return run

    def claim_counted(self, run: Run, move: Move, deadline: Deadline) -> bool:
        run = as_stored(run)
        with self._state.lock:
            stored = self._state.runs.get(run.key)
            if stored is not None and not (stored.revision < run.revision and _may_be_claimed_anew(stored)):
                return False
            if not advance(self._state, move):
                return False
            self._state.runs[run.key] = run
            keep(self._state, deadline, self._shards)
            return True

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
        """Create a triggered run, unless its idempotency key has one. The key is kept for 24 hours, or as long as its run if that is
        shorter."""
        run = as_stored(run)
        with self._state.lock:
            used = self._state.keys_used.get((run.key.job, idempotency_key))
            known = used is not None and run.claimed_at < used.until and used.revision >= since
            if used is not None and known and used.run in self._state.runs:
                return self._state.runs[used.run]
            if run.key in self._state.runs:
                return self._state.runs[run.key]
            self._state.runs[run.key] = run
            until = min(run.claimed_at + KEY_REMEMBERED, run.expires_at)
            self._state.keys_used[run.key.job, idempotency_key] = KeyUsed(
                run=run.key, revision=run.revision, until=until
            )
            keep(self._state, deadline, self._shards)
            if payload is not None:
                self._state.payloads[run.key] = payload
            recorded(self._state, audit)
            return run

    def payload(self, key: RunKey) -> Payload | None:
        with self._state.lock:
            return self._state.payloads.get(key)

    def page(
        self,
        job: JobKey,
        limit: int,
        cursor: str | None,
        states: Collection[RunState] = (),
        within: tuple[datetime, datetime] | None = None,
    ) -> Page[Run]:
        owner = cursors.owner_of_runs(job, within)
        last = cursors.decode(cursor, listing="runs", of=owner) if cursor is not None else None
        with self._state.lock:
            there = [run for run in self._of(job) if last is None or run.key.run_id < last]
        if within is not None:
            there = [run for run in there if within[0] <= run.scheduled_for < within[1]]
        there.reverse()
        seen = there[: MOST_LOOKED_AT if states else limit + 1]
        found = [run for run in seen if not states or run.state in states]
        ends = found[limit - 1] if len(found) > limit else seen[-1] if len(seen) < len(there) else None
        return Page(
            items=tuple(found[:limit]),
            next=cursors.encode(listing="runs", of=owner, last=ends.key.run_id) if ends else None,
        )

    def _of(self, job: JobKey) -> list[Run]:
        return sorted(
            (run for key, run in self._state.runs.items() if key.job == job and not key.on_node),
            key=lambda run: run.key.run_id,
        )

    def between(self, job: JobKey, after: datetime, until: datetime, *, limit: int | None = None) -> Sequence[Run]:
        """Runs of a job after one instant and until another, triggered runs included."""
        with self._state.lock:
            return [run for run in self._of(job) if floor(after) < run.scheduled_for <= until][:limit]

    def within(
        self, namespace: str, start: datetime, end: datetime, unreadable: Unread = ignored
    ) -> Iterator[Sequence[RunKey]]:
        first, last = minutes(start, end)
        with self._state.lock:
            found = {
                run.key
                for run in self._state.runs.values()
                if run.key.job.namespace == namespace
                if not (run.entry or run.key.on_node)
            }
            entries = [
                entry
                for (owner, minute, _), entry in self._state.entries.items()
                if owner == namespace and first <= minute <= last
            ]
        for entry in entries:
            try:
                found.update(entry.runs)
            except ValueError as trouble:
                unreadable(
                    Unreadable(f"entry {entry.minute}#{entry.id} of namespace {namespace} cannot be read: {trouble}")
                )
        keys = sorted((key for key in found if start <= key.scheduled_for < end), key=attrgetter("run_id", "job"))
        for turn in range(0, len(keys), self._page_size):
            yield keys[turn : turn + self._page_size]

    def oldest(self, job: JobKey, *, beyond: int, limit: int) -> Sequence[Run]:
        with self._state.lock:
            runs = self._of(job)
        finished = [run.key.run_id for run in runs if run.state.finished]
        if len(finished) < beyond:
            return ()
        return [run for run in runs if run.key.run_id < finished[-beyond]][:limit]

    def forget(self, runs: Sequence[Run]) -> None:
        with self._state.lock:
            for run in runs:
                stored = self._state.runs.get(run.key)
                if stored is not None and all(getattr(stored, name) == getattr(run, name) for name in _AS_READ):
                    del self._state.runs[run.key]
                    self._state.payloads.pop(run.key, None)


class MemoryPermits(MemoryStore):
    """In-memory implementation of the port `Permits` over a `MemoryState`."""

    def get(self, keys: Sequence[PermitKey]) -> Mapping[PermitKey, Permit]:
        with self._state.lock:
            self._state.uses(read=len(keys))
            return {key: self._state.permits.get(key, Permit(key)) for key in keys}

    def wait(self, key: PermitKey, run_id: str) -> None:
        with self._state.lock:
            self._state.uses(write=1)
            permit = self._state.permits.get(key, Permit(key))
            self._state.permits[key] = permit._replace(waiting=tuple(sorted({*permit.waiting, run_id})))

    def forget(self, key: PermitKey, run_ids: Sequence[str]) -> None:
        with self._state.lock:
            permit = self._state.permits.get(key)
            if permit is not None:
                left = tuple(name for name in permit.waiting if name not in run_ids)
                self._state.permits[key] = permit._replace(waiting=left)


def is_as_read(state: MemoryState, permit: Permit) -> bool:
    """Whether the holder of a permit is still the one that was read; the caller holds `MemoryState.lock`."""
    stored = state.permits.get(permit.key, Permit(permit.key))
    return (stored.holder, stored.attempt) == (permit.holder, permit.attempt)


def take(state: MemoryState, permit: Permit, run: Run) -> None:
    """Make a run the holder of a permit and remove it from those that wait; the caller holds `MemoryState.lock`."""
    waiting = state.permits.get(permit.key, permit).waiting
    left = tuple(name for name in waiting if name != run.key.run_id)
    state.permits[permit.key] = Permit(permit.key, run.key, run.attempt, left)


def _may_be_claimed_anew(run: Run) -> bool:
    return run.state is RunState.QUEUED or run.never_began
