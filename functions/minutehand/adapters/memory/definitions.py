"""In-memory store of jobs' definitions and their histories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from minutehand.adapters.cursors import page_of
from minutehand.adapters.memory.audits import recorded
from minutehand.adapters.memory.shards import keep, own_timers
from minutehand.adapters.memory.state import TimerStore
from minutehand.domain.definition import Definition
from minutehand.domain.job_key import JobKey
from minutehand.domain.revision_history import PastRevision, StoredRevision
from minutehand.domain.timer import Timer, in_effect
from minutehand.usecases.ports.job_change import Change
from minutehand.usecases.ports.stores import Governing, Overview, Page


class MemoryDefinitions(TimerStore):
    """In-memory implementation of the port `Definitions` over a `MemoryState`."""

    def get(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Definition]:
        with self._state.lock:
            return {job: self._state.definitions[job] for job in jobs if job in self._state.definitions}

    def governing(self, jobs: Sequence[JobKey]) -> Governing:
        with self._state.lock:
            names = {job.namespace for job in jobs} & self._state.settings.keys()
            return Governing(self.get(jobs), {name: self._state.settings[name] for name in names})

    def overview(self, job: JobKey) -> Overview:
        with self._state.lock:
            settings = self._state.settings.get(job.namespace)
            timers = own_timers(self._state, job)
            return Overview(self._state.definitions.get(job), in_effect(timers) if timers else None, settings)

    def save(self, change: Change) -> bool:
        job = change.after.job.key
        with self._state.lock:
            if self._has_changed(change):
                return False
            counted = [(key, +1) for key in change.calendars_added] + [(key, -1) for key in change.calendars_removed]
            for key, more in counted:
                calendar = self._state.calendars[key]
                self._state.calendars[key] = calendar._replace(users=calendar.users + more)
            self._state.definitions[job] = change.after
            self._state.histories.setdefault(job, []).append(change.past)
            if not change.after.deleted:
                self._state.past_jobs[job, change.after.revision] = change.after.job
            recorded(self._state, change.audit)
            for parent in (*change.parents, *change.parents_removed):
                stored = self._state.definitions[parent]
                children = stored.children | {job} if parent in change.parents else stored.children - {job}
                self._state.definitions[parent] = replace(stored, children=children)
            if change.most_jobs is not None:
                count = self._state.job_counts[job.namespace]
                self._state.job_counts[job.namespace] = count._replace(jobs=count.jobs + 1, version=count.version + 1)
            self._state.graph += change.graph is not None
            self._state.namespaces.add(job.namespace)
            if change.timer_after is not None:
                keep(self._state, change.timer_after, self._shards)
            else:
                self._state.timers.pop(job, None)
            if change.recheck is not None:
                keep(self._state, change.recheck, self._shards)
            return True

    def set_lane(self, job: JobKey, revision: int, slow_until: datetime | None) -> None:
        with self._state.lock:
            stored, timer = self._state.definitions.get(job), self._state.timers.get(job)
            if stored is not None and stored.revision == revision:
                self._state.definitions[job] = replace(stored, slow_until=slow_until)
            if isinstance(timer, Timer) and timer.revision == revision:
                self._state.timers[job] = replace(timer, slow=slow_until is not None)

    def graph(self) -> int:
        with self._state.lock:
            return self._state.graph

    def _has_changed(self, change: Change) -> bool:
        job = change.after.job.key
        if change.graph not in (None, self._state.graph):
            return True
        count = self._state.job_counts.get(job.namespace)
        if change.most_jobs is not None and (count is None or count.jobs >= change.most_jobs):
            return True
        definition = self._state.definitions.get(job)
        timer = self._state.timers.get(job)
        if (definition and definition.revision) != (change.before and change.before.revision):
            return True
        if definition is not None and change.before is not None and definition.children != change.before.children:
            return True
        if (timer is None) != (change.timer_before is None):
            return True
        if (timer and (timer.next_at, timer.packed)) != (
            change.timer_before and (change.timer_before.next_at, change.timer_before.packed)
        ):
            return True
        if any(key not in self._state.calendars for key in (*change.calendars_added, *change.calendars_removed)):
            return True
        parents = {key: self._state.definitions.get(key) for key in change.parents}
        return any(parent is None or parent.revision != change.parents[key] for key, parent in parents.items())

    def history(self, job: JobKey) -> Iterator[Sequence[PastRevision]]:
        with self._state.lock:
            found = self._state.histories.get(job, [])[::-1]
        for start in range(0, len(found), self._page_size):
            yield found[start : start + self._page_size]

    def revision(self, job: JobKey, number: int) -> StoredRevision | None:
        with self._state.lock:
            found = next((past for past in self._state.histories.get(job, ()) if past.number == number), None)
            return None if found is None else StoredRevision(found, self._state.past_jobs.get((job, number)))

    def revisions(self, job: JobKey, limit: int, cursor: str | None) -> Page[PastRevision]:
        with self._state.lock:
            found = [*self._state.histories.get(job, ())]
        return page_of(
            found,
            lambda past: f"{past.number:07d}",
            listing="revisions",
            of=str(job),
            limit=limit,
            cursor=cursor,
            descending=True,
        )

    def page(self, namespace: str, limit: int, cursor: str | None) -> Page[Definition]:
        """One page of a namespace's jobs, without deleted ones; each with its last revision only."""
        with self._state.lock:
            there = [
                definition
                for key, definition in self._state.definitions.items()
                if key.namespace == namespace and not definition.deleted
            ]
        page = page_of(there, lambda each: each.job.key.name, listing="jobs", of=namespace, limit=limit, cursor=cursor)
        return page._replace(items=tuple(map(_entry, page.items)))

    def listed(self, namespace: str, after: str, limit: int) -> tuple[Sequence[Definition], bool]:
        with self._state.lock:
            found = sorted(
                (
                    definition
                    for key, definition in self._state.definitions.items()
                    if key.namespace == namespace and key.name > after and not definition.deleted
                ),
                key=lambda each: each.job.key.name,
            )
        return [_entry(definition) for definition in found[:limit]], len(found) > limit

    def entries(self, jobs: Sequence[JobKey]) -> Mapping[JobKey, Definition]:
        return {key: _entry(definition) for key, definition in self.get(jobs).items() if not definition.deleted}

    def namespaces(self) -> Sequence[str]:
        with self._state.lock:
            return sorted(self._state.namespaces)


def _entry(definition: Definition) -> Definition:
    """A definition as a list has it."""
    return replace(
        definition,
        job=replace(definition.job, payload=None),
        revisions=definition.revisions[-1:],
        children=frozenset(),
        slow_until=None,
    )
