"""The exercise of the sweep."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta

from minutehand.adapters.dead_letters import WAIT_SECONDS
from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import number
from minutehand.adapters.sharding import BUCKETS, bucket_of, shard_of
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Timer
from minutehand.usecases.ports.sweeps import Watchlist
from tests.privilege.scene import COMMAND, DAY, Scene
from tests.privilege.setups import Effects


def packed(scene: Scene, minute: int) -> JobKey:
    """Save a job that is seldom due, with a timer in the bucket that the sweep reads so many minutes from now."""
    bucket = (int(scene.now.timestamp()) // 60 + minute) % BUCKETS
    names = (f"rare-{minute}-{number}" for number in range(10_000))
    job = scene.job(next(name for name in names if bucket_of(JobKey(scene.namespace, name)) == bucket))
    scene.pack(job)
    return job


def sweep(scene: Scene) -> Effects:
    """An overdue run without a message, an ended run that has not started its child's, a dead letter, a job with a changed time zone,
    one in a removed shard, and packed ones that are seldom due."""
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
    queue = scene.bench.targets.of("sqs")
    aws = scene.run(scene.job("aws", target=queue), scene.now - timedelta(minutes=3), target="sqs")
    command = scene.run(scene.job("command", target=COMMAND), scene.now - timedelta(minutes=3), target="command")
    watched = (run.key, one.key, aws.key, command.key)
    scene.bench.ports.sweeps.watch(Watchlist(scene.now - timedelta(minutes=1), watched))
    rare = [packed(scene, minute) for minute in (0, 1)]
    scene.bury(RunKey.triggered(misplaced, scene.now, "unknown"))
    for worker in ("aws", "agents"):
        scene.bury(RunKey.triggered(misplaced, scene.now, "unknown"), worker=worker)
    answer = scene.runner.invoke("Sweep", {})
    _let_the_drain_end(scene)
    scene.forget_dead_letters()
    sent = [RunKey(JobKey.of(message["job"]), message["run_id"]) for message in scene.sent()]
    current = scene.bench.ports.runs.get([run.key])[run.key]
    return {
        "the sweep succeeds": "errorMessage" not in answer,
        "a timer follows a time zone change": scene.next_at(abroad) == timer.next_at,
        "the end of the renewal is recorded": "done" in (scene.item(keys.renewal()) or {}),
        "a timer is moved to its shard": scene.item(keys.timer(misplaced))["due_shard"]["S"]
        == str(shard_of(misplaced, 8)),
        "a timer is moved out of its bucket": any(scene.item(keys.timer(job)) for job in rare),
        "a watchlist is dropped": not list(scene.bench.ports.sweeps.due(scene.now)),
        "the run is marked": current.resent_at is not None,
        "the drain is started": answer.get("dead_letters") == 3,
        "the run is sent again": run.key in sent,
        "a run is sent to the aws worker again": aws.key.run_id in {one["run_id"] for one in scene.sent(worker="aws")},
        "a run is sent to the agents worker again": command.key.run_id
        in {one["run_id"] for one in scene.sent(worker="agents")},
        "a run of two parents that nobody started is noticed": one.key in sent,
    }


def _let_the_drain_end(scene: Scene) -> None:
    """Wait until the deployed drain, if it was started, has taken the letter and waited for another: it must not take that of the next
    scene."""
    deadline = time.monotonic() + 10
    while scene.dead_letters() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(WAIT_SECONDS + 0.5)
