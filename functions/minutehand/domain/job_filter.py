"""Filter of jobs in lists: which labels, type of target, name and pause they have. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from minutehand.domain.job import Job


class JobFilter(NamedTuple):
    """What the jobs of a list have in common. The default lets every job through.

    Attributes:
        labels: names and values of labels that a job has, all of them.
        paused: whether a job itself is paused; the pause of its namespace does not count.
        target: type of its target.
        text: text that its name contains, in lower case.
    """

    labels: tuple[tuple[str, str], ...] = ()
    paused: bool | None = None
    target: str | None = None
    text: str = ""

    def passes(self, job: Job, now: datetime) -> bool:
        """Whether a job passes this filter at `now`."""
        return (
            {*self.labels} <= {*job.labels}
            and self.paused in (None, job.is_paused(now))
            and self.target in (None, job.target.type)
            and self.text in job.key.name
        )


EVERY_JOB = JobFilter()
"""The filter that lets every job through."""
