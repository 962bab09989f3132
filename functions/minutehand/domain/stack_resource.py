"""A resource of a CloudFormation stack that manages a job. Labels on the job say which one does."""

from __future__ import annotations

from typing import NamedTuple

from minutehand.domain.job import Job

STACK_LABEL = "cloudformation/stack"
RESOURCE_LABEL = "cloudformation/resource"


class StackResource(NamedTuple):
    """A resource that manages a job.

    Attributes:
        stack: name of the stack, which no other stack of the account and the region has as long as it exists.
        resource: logical id of the resource in the stack's template.
    """

    stack: str
    resource: str

    def __str__(self) -> str:
        return f"the resource {self.resource} of the stack {self.stack}"

    @property
    def author(self) -> str:
        """The author of its changes, as jobs show it."""
        return f"cloudformation:{self.stack}"

    @property
    def labels(self) -> dict[str, str]:
        """The labels of a job that the resource manages."""
        return {STACK_LABEL: self.stack, RESOURCE_LABEL: self.resource}

    def manages(self, job: Job) -> bool:
        """Whether the job has these labels. Somebody who removes or changes them takes the job over."""
        return manager_of(job) == self


def manager_of(job: Job) -> StackResource | None:
    """The resource that manages a job; None if none does."""
    labels = dict(job.labels)
    if STACK_LABEL not in labels or RESOURCE_LABEL not in labels:
        return None
    return StackResource(labels[STACK_LABEL], labels[RESOURCE_LABEL])
