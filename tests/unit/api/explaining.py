"""Explanations over HTTP, and stored runs for them to explain."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from minutehand.adapters.memory import MemoryState
from minutehand.domain.instants import to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from tests.unit.api.conftest import NOON, PATH, Api

HEARTBEAT = JobKey(namespace="demo", name="heartbeat")
EXPLAIN = f"{PATH}/explain"
ONE = NOON.replace(hour=13, minute=0, second=0)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def explained(api: Api, **query: str) -> Any:
    answer = api.get(EXPLAIN, query=query)
    assert answer.status == 200, answer.body
    return answer.body


def text(api: Api, at: datetime) -> str:
    [item] = explained(api, at=to_text(at))["items"]
    said: str = item["text"]
    return said


def keep(stores: MemoryState, instant: datetime = ONE, /, **fields: Any) -> Run:
    run = Run(
        key=RunKey.scheduled(HEARTBEAT, instant),
        target="http",
        revision=1,
        claimed_at=instant,
        expires_at=NOON + 99 * HOUR,
    )
    stores.runs[fields.get("key", run.key)] = replace(run, **fields)
    return run
