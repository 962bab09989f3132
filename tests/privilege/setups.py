"""Setups that several exercises share, with checks of their effects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import number, text
from minutehand.domain.backfill import Backfill, BackfillState, Order
from minutehand.domain.job_key import JobKey
from minutehand.domain.node import Machine, Node, NodeKey, PoolKey
from minutehand.domain.overlap_lock import lock_of
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Result, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Timer
from minutehand.schedule import Schedule
from minutehand.usecases.completion.report import keep_output
from minutehand.usecases.completion.trim import STRIDE, chosen
from minutehand.usecases.ports.outputs import whole
from tests.privilege.scene import DAY, Scene

Effects = dict[str, bool]
"""Expected effects in words, and whether each occurred."""


def backfill(
    scene: Scene, job: JobKey, *, next_at: datetime | None = None, cancelled: bool = False
) -> tuple[RunKey, RunKey]:
    """Create a backfill of two occurrences; returns both runs. The first is active, or both if the backfill is cancelled.

    next_at: when its timer is due; a day ahead by default.
    """
    definition = scene.bench.ports.definitions.get([job])[job]
    first = scene.now.replace(second=0) - timedelta(minutes=10)
    second = first + timedelta(minutes=1)
    created = Backfill(
        job=job,
        id="abc",
        rule=Schedule.parse("* * * * *").encode(),
        start=first,
        end=second + timedelta(minutes=1),
        order=Order.OLDEST,
        concurrency=1,
        ignore_overlap=False,
        total=2,
        job_created_at=definition.created_at,
        created_at=scene.now,
        created_by="test",
        next_at=next_at or scene.now + DAY,
        cursor=first,
        active=(first, second) if cancelled else (first,),
        state=BackfillState.CANCELLED if cancelled else BackfillState.ACTIVE,
        cancelled_by="test" if cancelled else "",
    )
    scene.bench.ports.backfills.create(created)
    return created.run(first), created.run(second)


def crowded(scene: Scene, name: str, **last: Any) -> tuple[RunKey, Callable[[], Effects]]:
    """Save a job with one run more than it keeps; returns the run whose end triggers the deletion, and a check of it.

    last: fields of that run, if it has not ended.
    """
    job = scene.job(name, retention_count=1)
    old = scene.run(job, scene.now - 3 * DAY, state=RunState.SUCCEEDED, attempt=1)
    left = whole(Result(type="http", status=200, body="x" * 5000), None, old.expires_at)
    keep_output(scene.bench.ports.outputs, old.key, 1, left, scene.now)
    kept = scene.bench.ports.outputs.get(old.key, 1)
    assert kept is not None
    tries = (RunKey.triggered(job, scene.now, f"k{number}") for number in range(10_000))
    key = next(key for key in tries if chosen(key, STRIDE))
    scene.run(job, scene.now, key=key, **({"state": RunState.SUCCEEDED} | last))

    def effects() -> Effects:
        return {
            "an old run is deleted": scene.state(old.key) is None,
            "an old run's output is deleted": scene.bench.ports.outputs.read(kept.place) is None,
        }

    return key, effects


def delayed(scene: Scene, name: str) -> tuple[RunKey, Callable[[], Effects]]:
    """Save a job with a fixed delay; returns its outstanding run, which has ended, and a check of the next one."""
    job = scene.job(name, "@after 90s")
    first = scene.now - timedelta(minutes=10)
    timer = scene.bench.ports.timers.get(job)
    assert isinstance(timer, Timer)
    scene.put(timer_codec.encode(replace(timer, outstanding=first, next_at=scene.now + DAY), shards=8))
    ended = scene.run(job, first, state=RunState.SUCCEEDED, attempt=1, finished_at=scene.now - timedelta(seconds=30))

    def effects() -> Effects:
        timer = scene.bench.ports.timers.get(job)
        assert isinstance(timer, Timer)
        assert timer.outstanding is not None
        return {
            "the next run of a fixed delay is dispatched": scene.state(RunKey.scheduled(job, timer.outstanding))
            is RunState.QUEUED,
            "a fixed delay's timer becomes its watchdog": first
            < timer.outstanding
            < scene.next_at(job)
            < scene.now + DAY,
        }

    return ended.key, effects


def node_of(scene: Scene, *, seen_at: datetime | None = None, pool: str = "web") -> Node:
    """A node, not stored yet."""
    key = NodeKey(PoolKey(scene.namespace, pool), "a")
    seen = seen_at or scene.now
    return Node(key=key, machine=Machine("a.test", "1", 4), session="session-a", seen_at=seen, registered_at=seen)


def replacing(scene: Scene, name: str) -> tuple[RunKey, Callable[[], Effects]]:
    """Create a run that replaces one waiting for its next attempt; returns it and a check of the replaced one."""
    job = scene.job(name, overlap=Overlap.REPLACE)
    later = scene.now + timedelta(hours=1)
    held = {"attempt": 1, "nonce": "held", "started_at": scene.now, "finished_at": scene.now, "retry_at": later}
    earlier = scene.run(job, scene.now - DAY, state=RunState.RETRYING, **held)
    attempt = {"holder_job": text(str(job)), "holder": text(earlier.key.run_id), "attempt": number(1)}
    scene.put({**keys.permit(lock_of(job)), **attempt})
    newer = scene.run(job, scene.now, key=RunKey.triggered(job, scene.now, "abc"))

    def effects() -> Effects:
        cancelled = scene.state(earlier.key) is RunState.CANCELLED
        return {
            "a replaced run is cancelled": cancelled,
            "its deadline is deleted": cancelled and scene.item(keys.deadline(earlier.key)) is None,
        }

    return newer.key, effects
