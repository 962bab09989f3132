"""The exercise of the sweep."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import number
from minutehand.adapters.sharding import shard_of
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Timer
from minutehand.usecases.ports.sweeps import Watchlist
from tests.privilege.scene import DAY, Scene
from tests.privilege.setups import Effects


def sweep(scene: Scene) -> Effects:
    """An overdue run without a message, an ended run that has not started its child's, a job with a changed time zone, and a job in a
    removed shard."""
    run = scene.run(scene.job("stuck"), scene.now - timedelta(minutes=3))
    abroad = scene.job("abroad", timezone="Asia/Tokyo")
    timer = scene.bench.ports.timers.get(abroad)
    assert isinstance(timer, Timer)
    assert timer.next_at is not None
    outdated = replace(timer, offset=timedelta(hours=8), next_at=timer.next_at + timedelta(hours=1))
    scene.put(timer_codec.encode(outdated, shards=8))  # as if Tokyo's offset had changed by an hour
    scene.delete(keys.renewal())
    misplaced = scene.job("misplaced")
    scene.set_next_at(misplaced, scene.now + DAY, shard=8)
    scene.put({**keys.layout(), "spread": number(9), "version": number(1)})  # as if there had been nine shards
    parents = [scene.job(name) for name in ("one", "two")]
    scene.job("joined", depends_on=tuple(Dependency(parent, On.SUCCESS) for parent in parents))
    ended = {"state": RunState.SUCCEEDED, "has_children": True}
    one, _ = (scene.run(parent, scene.now - timedelta(minutes=3), **ended) for parent in parents)
    scene.bench.ports.sweeps.watch(Watchlist(scene.now - timedelta(minutes=1), (run.key, one.key)))
    answer = scene.runner.invoke("Sweep", {})
    sent = [RunKey(JobKey.of(message["job"]), message["run_id"]) for message in scene.sent()]
    current = scene.bench.ports.runs.get([run.key])[run.key]
    return {
        "the sweep succeeds": "errorMessage" not in answer,
        "a timer follows a time zone change": scene.next_at(abroad) == timer.next_at,
        "the end of the renewal is recorded": "done" in (scene.item(keys.renewal()) or {}),
        "a timer is moved to its shard": scene.item(keys.timer(misplaced))["due_shard"]["S"]
        == str(shard_of(misplaced, 8)),
        "a watchlist is dropped": not list(scene.bench.ports.sweeps.due(scene.now)),
        "the run is marked": current.resent_at is not None,
        "the run is sent again": run.key in sent,
        "a run of two parents that nobody started is noticed": one.key in sent,
    }
