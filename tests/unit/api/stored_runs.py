"""Runs stored without a tick, and redrives of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from minutehand.adapters.memory import MemoryState
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from tests.unit.api.conftest import HEARTBEAT, NOON, PATH, Api


def add(state: MemoryState, *states: RunState, job: JobKey = HEARTBEAT, **fields: Any) -> Sequence[Run]:
    """Runs of the job, of the minutes up to noon; the last given is the newest."""
    made = []
    for n, each in enumerate(states):
        at = NOON - timedelta(minutes=len(states) - n)
        run = Run(
            key=RunKey.scheduled(job, at),
            target="http",
            revision=1,
            claimed_at=at,
            expires_at=NOON + timedelta(days=1),
            state=each,
        )
        made.append(replace(run, **fields))
    state.runs.update((run.key, run) for run in made)
    return made


def redriven(api: Api, body: Any = None, **query: str) -> list[str]:
    answer = api.post(f"{PATH}/redrive", body=body, query=query or None)
    assert answer.status == 200
    return [run["run_id"] for run in answer.body["items"]]
