"""Jobs that resources of CloudFormation stacks manage. A resource changes and deletes only a job that has its labels."""

from __future__ import annotations

from enum import Enum, auto

from minutehand.domain.actor import Actor
from minutehand.domain.definition import Definition
from minutehand.domain.errors import Conflict, NotFound
from minutehand.domain.instants import floor, to_text
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.stack_resource import RESOURCE_LABEL, STACK_LABEL, StackResource, manager_of
from minutehand.usecases.definitions import manage
from minutehand.usecases.definitions.manage import Saved
from minutehand.usecases.ports.bundle import Ports


class ManagedElsewhere(Conflict):
    """The job exists, and the resource does not manage it."""


class Removal(Enum):
    """What became of the job of a resource that is deleted."""

    DELETED = auto()
    MISSING = auto()
    """There was no job."""
    KEPT = auto()
    """Somebody else manages the job now."""


def save(ports: Ports, job: Job, *, keep_paused: bool, resource: StackResource) -> Saved:
    """Save the job of a resource, as `manage.save` does. The job must have the resource's labels.

    Raises:
        ValueError: when it lacks them.
        ManagedElsewhere: when the job exists without the labels of the resource. A rollback would delete such a job.
    """
    if not resource.manages(job):
        raise ValueError(f"the job {job.key} lacks the labels of {resource}")

    def check(before: Definition | None) -> None:
        if before is not None and not before.deleted and not resource.manages(before.job):
            raise ManagedElsewhere(_refusal(before, resource))

    return manage.save(ports, job, keep_paused=keep_paused, who=Actor(resource.author), check=check)


def manages(ports: Ports, key: JobKey, resource: StackResource) -> bool:
    """Whether the job exists and the resource manages it."""
    found = ports.definitions.get([key]).get(key)
    return found is not None and not found.deleted and resource.manages(found.job)


def remove(ports: Ports, key: JobKey, *, resource: StackResource) -> Removal:
    """Delete the job of a resource, if it still manages the job. Raises Conflict."""

    def check(before: Definition | None) -> None:
        if before is None or not resource.manages(before.job):
            raise ManagedElsewhere

    try:
        manage.delete(ports, key, who=Actor(resource.author), check=check)
    except NotFound:
        return Removal.MISSING
    except ManagedElsewhere:
        return Removal.KEPT
    return Removal.DELETED


def _refusal(before: Definition, resource: StackResource) -> str:
    key, manager = before.job.key, manager_of(before.job)
    if manager is not None and manager.stack != resource.stack:
        return f"{manager} manages the job {key}; remove it from that stack first, or give this job another name"
    labels = f"{STACK_LABEL}: {resource.stack} and {RESOURCE_LABEL}: {resource.resource}"
    if manager is not None:
        return (
            f"{manager} manages the job {key} already; give this job another name. To rename the resource in the template, "
            f"first give the job the labels {labels}"
        )
    saved = f"{before.updated_by} saved it last, at {to_text(floor(before.updated_at))}"
    return (
        f"the job {key} exists, and no stack manages it: {saved}; give this job another name, delete that one, or let the "
        f"stack take it over: give it the labels {labels}"
    )
