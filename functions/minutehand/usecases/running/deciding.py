"""Decide about a run, with the run of which it is a part, if it is one on several nodes."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.domain.run import Run, RunState
from minutehand.domain.run_decisions import Decision, decide
from minutehand.usecases.ports.bundle import Ports

if TYPE_CHECKING:
    from minutehand.domain.definition import Definition
    from minutehand.domain.namespace import Namespace


def decision_about(
    run: Run, definition: Definition | None, namespace: Namespace | None, ports: Ports, now: datetime
) -> Decision:
    """What to do about a run. Reads the parent of one on several nodes, consistently and after the run itself, if it is to start.

    Raises:
        Unavailable: when the store does not answer.
    """
    share = run.share
    if share is None:
        return decide(run, definition, namespace, now=now)
    from minutehand.domain.share_decisions import decide_share  # noqa: PLC0415 - few runs are on several nodes

    starts = run.state in (RunState.QUEUED, RunState.RETRYING)
    parent = ports.runs.get([share.parent]).get(share.parent) if starts else None
    return decide_share(run, share, parent, definition, now=now)
