"""Runs that lead to something else, for more than one function to deal with, and a look at what became of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import number, text
from minutehand.domain.backfill import Backfill, BackfillState, Order
from minutehand.domain.job import JobKey, Overlap
from minutehand.domain.overlap_lock import lock_of
from minutehand.domain.run import Result, RunKey, RunState
from minutehand.domain.timer import Timer
from minutehand.schedule import Schedule
from minutehand.usecases.completion.keep_output import keep_output
from minutehand.usecases.completion.trim import STRIDE, chosen
from minutehand.usecases.ports.outputs import whole
from tests.privilege.scene import DAY, Scene

Effects = dict[str, bool]
"""What a function was to bring about, in words, and whether it is there."""


def backfill(
    scene: Scene, job: JobKey, *, looked_at: datetime | None = None, cancelled: bool = False
) -> tuple[RunKey, RunKey]:
    """A backfill of two occurrences, of which the first is under way, or both where it was cancelled since; both runs. When it is next
    looked at is a day ahead, if not given."""
    definition = scene.bench.ports.definitions.get([job])[job]
    first = scene.now.replace(second=0) - timedelta(minutes=10)
    second = first + timedelta(minutes=1)
    under_way = Backfill(
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
        next_at=looked_at or scene.now + DAY,
        cursor=first,
        active=(first, second) if cancelled else (first,),
        state=BackfillState.CANCELLED if cancelled else BackfillState.ACTIVE,
        cancelled_by="test" if cancelled else "",
    )
    scene.bench.ports.backfills.create(under_way)
    return under_way.run(first), under_way.run(second)


def crowded(scene: Scene, name: str, **last: Any) -> tuple[RunKey, Callable[[], Effects]]:
    """A job with one run more than it keeps; the run after which that is seen to, and a look at what became of the other.

    last: what is known of that run, if it is not simply over.
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
            "an old run is removed": scene.state(old.key) is None,
            "what an old run left is removed": scene.bench.ports.outputs.read(kept.place) is None,
        }

    return key, effects


def delayed(scene: Scene, name: str) -> tuple[RunKey, Callable[[], Effects]]:
    """A job with a fixed delay; its outstanding run, which has ended, and a look at what became of the job."""
    job = scene.job(name, "@after 90s")
    first = scene.now - timedelta(minutes=10)
    timer = scene.bench.ports.timers.get(job)
    assert isinstance(timer, Timer)
    scene.put(timer_codec.encode(replace(timer, outstanding=first, next_at=scene.now + DAY), shards=8))
    ended = scene.run(job, first, state=RunState.SUCCEEDED, attempt=1, finished_at=scene.now - timedelta(seconds=30))

    def effects() -> Effects:
        there = scene.bench.ports.timers.get(job)
        assert isinstance(there, Timer)
        assert there.outstanding is not None
        return {
            "the next run of a fixed delay is dispatched": scene.state(RunKey.scheduled(job, there.outstanding))
            is RunState.QUEUED,
            "the timer of a fixed delay is its watchdog": first
            < there.outstanding
            < scene.next_at(job)
            < scene.now + DAY,
        }

    return ended.key, effects


def in_the_way(scene: Scene, name: str) -> tuple[RunKey, Callable[[], Effects]]:
    """A run that is to replace one that waits for its next attempt, and a look at what became of that."""
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
            "a run in another's way is cancelled": cancelled,
            "its deadline is removed": cancelled and scene.item(keys.deadline(earlier.key)) is None,
        }

    return newer.key, effects
