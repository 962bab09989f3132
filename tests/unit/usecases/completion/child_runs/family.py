"""Parents and children: end a parent's run, follow it up, and read the child's runs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.completion.child_runs import start_children
from tests.unit.domain.examples import at, job
from tests.unit.usecases.stage import Stage

EXTRACT, LOAD, REPORT, MAIL = (JobKey("shop", name) for name in ("extract", "load", "report", "mail"))
DAY = timedelta(days=1)


def depends(
    stage: Stage, child: JobKey, *parents: JobKey | Dependency, window: timedelta | None = None, **how: Any
) -> None:
    """Save a job that depends on these."""
    entries = tuple(p if isinstance(p, Dependency) else Dependency(p, On.SUCCESS) for p in parents)
    stage.save(job("@manual", key=child, depends_on=entries, join_window=window, **how))


def end(
    stage: Stage, parent: JobKey, clock: str, state: RunState = RunState.SUCCEEDED, *, key: RunKey | None = None
) -> Run:
    """End a run of a parent and store it, without a follow-up."""
    run = Run(
        key=key or RunKey.scheduled(parent, at(clock)),
        target="http",
        revision=1,
        claimed_at=stage.now,
        expires_at=stage.now + DAY,
        state=state,
        finished_at=stage.now,
    )
    stage.state.runs[run.key] = run
    return run


def follow(stage: Stage, run: Run) -> bool:
    """Follow up the end of a run."""
    return start_children(run, stage.state.definitions[run.key.job], stage.ports)


def ends(
    stage: Stage, parent: JobKey, clock: str, state: RunState = RunState.SUCCEEDED, *, key: RunKey | None = None
) -> bool:
    """End a run of a parent and follow it up."""
    return follow(stage, end(stage, parent, clock, state, key=key))


def of(stage: Stage, child: JobKey) -> list[Run]:
    """The runs of a job, by their nominal instant."""
    return sorted((run for key, run in stage.state.runs.items() if key.job == child), key=lambda run: run.key.run_id)


def started(stage: Stage, child: JobKey = REPORT) -> list[str]:
    """The clock times of a job's runs."""
    return [f"{run.scheduled_for:%H:%M}" for run in of(stage, child)]


def sent(stage: Stage) -> list[JobKey]:
    """The jobs whose runs' messages were sent."""
    return [message.run.job for message in stage.state.messages]
