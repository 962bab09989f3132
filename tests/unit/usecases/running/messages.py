"""Messages of claimed runs, and how long they were hidden."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.messages import Received
from tests.unit.domain.examples import KEY, at, definition, job, run
from tests.unit.usecases.stage import Stage

OTHER = JobKey(namespace="shop", name="stock")


def queued(stage: Stage, scheduled_for: str = "09:00", *, key: JobKey = KEY, **fields: object) -> Received:
    """A job with a run in the store, and the message of that run."""
    stage.state.definitions.setdefault(key, replace(definition(), job=job(key=key)))
    there = run(scheduled_for, key=RunKey.scheduled(key, at(scheduled_for)), **fields)
    stage.state.runs[there.key] = there
    return Received(run=there.key, attempt=there.attempt + 1, receipt=f"receipt of {key.name}")


def hidden(stage: Stage, received: Received) -> list[timedelta]:
    return [duration for message, duration in stage.state.hidden if message == received]
