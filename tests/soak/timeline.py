"""Which schedule of a job is in effect at an instant, from the requests that people made and the answers they got."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from tests.soak.evidence import Evidence, Job
from tests.soak.schedules import Schedule, rounded_up, seconds_between

CHANGES = ("saved", "paused", "resumed")


@dataclass(frozen=True)
class InEffect:
    """A job's schedule at an instant. `unsure`: a change was on its way, so the earlier and the later schedule are both right."""

    schedule: Schedule | None
    paused: bool = False
    unsure: bool = False

    def may_name(self, at: datetime) -> bool:
        return self.unsure or (not self.paused and self.schedule is not None and self.schedule.names(at))

    def must_name(self, at: datetime) -> bool:
        return not self.unsure and not self.paused and self.schedule is not None and self.schedule.names(at)


class Timeline:
    """A job's schedules over time."""

    def __init__(self, evidence: Evidence, job: Job) -> None:
        self._job = job
        self._evidence = evidence
        acts = (act for act in evidence.acts if act.job == job.name and act.did in CHANGES)
        self._changes = sorted(acts, key=lambda act: act.sent)

    def at(self, at: datetime) -> InEffect:
        """What is in effect at this instant."""
        schedule, paused, unsure = self._job.schedule, False, False
        for change in self._changes:
            if change.sent.replace(microsecond=0) > at:
                break
            unsure = change.answered is None or at <= rounded_up(change.answered)
            if change.did == "saved":
                schedule = change.schedule
            else:
                paused = change.did == "paused"
        return InEffect(schedule, paused, unsure)

    def blocked(self, at: datetime) -> bool:
        """Whether the job's calendar blocks the instant."""
        return any(at in span for span in self._job.blocked)

    def expected(self) -> Iterator[datetime]:
        """The instants that must have a run, or a policy that explains why not."""
        for at in seconds_between(self._evidence.began, self._evidence.ends):
            if not self.blocked(at) and self.at(at).must_name(at):
                yield at
