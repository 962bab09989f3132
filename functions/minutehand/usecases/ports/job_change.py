"""A change of a job: everything that a save writes in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from minutehand.domain.audit import AuditRecord
from minutehand.domain.calendar import CalendarKey
from minutehand.domain.dependencies import parents_of
from minutehand.domain.revision_history import PastRevision, past_revision

if TYPE_CHECKING:
    from minutehand.domain.definition import Definition
    from minutehand.domain.job_key import JobKey
    from minutehand.domain.timer import BrokenTimer, Recheck, Timer


class Change(NamedTuple):
    """What one save changes of a job, besides its entries in its history and its namespace's list. The save fails if the stored
    definition and timer are not `before` and `timer_before`.

    Attributes:
        parents: the jobs that this one newly depends on, each with its revision as read.
        graph: the version of the dependency graph as read before the check for cycles; None if no job depends on this one, which
            therefore cannot close a cycle.
        audit: the record of who asked for the change.
        most_jobs: of a change that makes a job in a namespace with a quota, how many jobs the quota allows. The save adds the job to
            the stored number, and fails if that is not below.
    """

    before: Definition | None
    after: Definition
    timer_before: Timer | BrokenTimer | None
    timer_after: Timer | None
    recheck: Recheck | None
    parents: Mapping[JobKey, int] = MappingProxyType({})
    graph: int | None = None
    audit: AuditRecord | None = None
    most_jobs: int | None = None

    @property
    def past(self) -> PastRevision:
        """The entry that the save adds to the job's revision history."""
        return past_revision(self.before, self.after)

    @property
    def calendars_added(self) -> Sequence[CalendarKey]:
        """The calendars that the job newly names."""
        return sorted(_calendars(self.after) - _calendars(self.before))

    @property
    def calendars_removed(self) -> Sequence[CalendarKey]:
        """The calendars that the job no longer names."""
        return sorted(_calendars(self.before) - _calendars(self.after))

    @property
    def parents_removed(self) -> Sequence[JobKey]:
        """The jobs that this one no longer depends on."""
        return sorted(parents_of(self.before) - parents_of(self.after))


def _calendars(definition: Definition | None) -> set[CalendarKey]:
    if definition is None or definition.deleted:
        return set()
    return {CalendarKey(definition.job.key.namespace, name) for name in definition.job.calendars}
