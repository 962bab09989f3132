"""Shadow mode: runs are planned, claimed, queued and started as always, and end without a call of their target. Pure.

A job is in shadow if it says so, or its namespace, or the deployment. Its runs then end as `skipped`, with the reason `shadow`.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from minutehand.domain.deadlines import ended_as
from minutehand.domain.run import RunState
from minutehand.domain.run_decisions import Close, Lose

if TYPE_CHECKING:
    from minutehand.domain.definition import Definition
    from minutehand.domain.job import Job
    from minutehand.domain.namespace import Namespace
    from minutehand.domain.run import Run
    from minutehand.domain.run_decisions import Start


class ShadowOf(Enum):
    """What puts a job in shadow."""

    JOB = "job"
    """The job's own field `shadow`."""
    NAMESPACE = "namespace"
    """The setting `shadow` of its namespace."""
    STACK = "stack"
    """The parameter `ShadowMode` of the deployment."""


def shadow_of(job: Job, namespace: Namespace | None, *, stack: bool) -> ShadowOf | None:
    """What puts a job in shadow, the widest first; None if its runs call its target.

    Args:
        stack: whether the whole deployment is in shadow.
    """
    if stack:
        return ShadowOf.STACK
    if namespace is not None and namespace.shadow:
        return ShadowOf.NAMESPACE
    return ShadowOf.JOB if job.shadow else None


def in_shadow(
    run: Run, start: Start, definition: Definition | None, namespace: Namespace | None, *, stack: bool
) -> Start | Close | Lose:
    """What becomes of a start: an attempt that calls no target, if the run or its job is in shadow.

    A run whose earlier attempt may have called the target does not become a shadow. It gets no further attempt, as if its job had
    been deleted: it ends as its last attempt did, or as lost if that attempt's worker died.
    """
    shadow = definition is not None and shadow_of(definition.job, namespace, stack=stack) is not None
    if not (run.shadow or shadow):
        return start
    if run.state is RunState.QUEUED or run.shadow:
        return start._replace(shadow=True)
    if run.state is RunState.RETRYING:
        return Close(ended_as(run))
    return Lose(
        f"attempt {run.attempt} ended without a report, and its job is in shadow now, so no other may call the target"
    )
