"""The exercise of the tick."""

from __future__ import annotations

from datetime import timedelta

from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.domain.lanes import SLOW
from minutehand.domain.run import RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Deadline, Recheck
from tests.privilege import setups
from tests.privilege.scene import COMMAND, DAY, OFTEN, Scene
from tests.privilege.setups import Effects


def tick(scene: Scene) -> Effects:
    """A minute with a due job, a late one, one with a skipped run, a deadline, a recheck, a calendar, a backfill and a limit of runs."""
    now = scene.now
    instant = now - timedelta(seconds=now.second % 10)
    due, late, again = scene.job("due", OFTEN), scene.job("late", OFTEN), scene.job("again", OFTEN)
    for job, next_at in ((due, instant), (late, now - 2 * DAY), (again, instant)):
        scene.set_next_at(job, next_at)
    skipped = scene.run(again, instant, state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED)
    forgotten = scene.run(due, now, key=RunKey.triggered(due, now, "abc"))
    deadline = Deadline(run=forgotten.key, next_at=now - timedelta(seconds=5))
    scene.put(timer_codec.encode_deadline(deadline, shards=8))
    rechecked = scene.run(scene.job("recheck"), now)
    second = timedelta(seconds=1)
    recheck = Recheck(job=rechecked.key.job, after=now - second, until=now + second, next_at=now - second)
    scene.put(timer_codec.encode_recheck(recheck, shards=8))
    calendared = scene.job_with_calendar("calendared", instant)
    replayed, _ = setups.backfill(scene, scene.job("replayed"), next_at=now)
    counted = scene.job("counted", OFTEN, max_runs=1)
    scene.set_next_at(counted, instant)
    slow = scene.job("slow", OFTEN, timeout=2 * SLOW)
    scene.bench.ports.definitions.set_lane(slow, 1, now + DAY)
    scene.set_next_at(slow, instant)
    queue = scene.bench.targets.of("sqs")
    aws, slow_aws = scene.job("aws", OFTEN, target=queue), scene.job("slow-aws", OFTEN, target=queue, timeout=2 * SLOW)
    scene.bench.ports.definitions.set_lane(slow_aws, 1, now + DAY)
    for job in (aws, slow_aws):
        scene.set_next_at(job, instant)
    command = scene.job("command", OFTEN, target=COMMAND)
    scene.set_next_at(command, instant)
    packed = scene.job("packed", OFTEN)
    scene.set_next_at(packed, instant)
    scene.pack(packed)
    for minutes in (0, 1):
        scene.delete(keys.tick(now.replace(second=0) + timedelta(minutes=minutes)))

    answer = scene.runner.invoke("Tick", {})

    claimed = RunKey.scheduled(due, instant)
    messages = {(one["job"], one["run_id"]) for one in scene.sent()}
    to_aws, slowly_to_aws = (
        {(one["job"], one["run_id"]) for one in scene.sent(worker="aws", slow=slow)} for slow in (False, True)
    )
    in_the_slow_lane = {(one["job"], one["run_id"]) for one in scene.sent(slow=True)}
    rows = (scene.item(keys.tick(now.replace(second=0) + timedelta(minutes=minutes))) for minutes in (0, 1))
    return {
        "the tick succeeds": "errorMessage" not in answer,
        "a due occurrence is claimed": scene.state(claimed) is RunState.QUEUED,
        "a counted occurrence is claimed": scene.state(RunKey.scheduled(counted, instant)) is RunState.QUEUED,
        "a job under a calendar is claimed": scene.state(RunKey.scheduled(calendared, instant)) is RunState.QUEUED,
        "a message is sent": (str(due), claimed.run_id) in messages,
        "a message is sent to the slow lane": (str(slow), claimed.run_id) in in_the_slow_lane,
        "a message is sent to the agents worker": str(command) in {one["job"] for one in scene.sent(worker="agents")},
        "a message is sent to the aws worker": (str(aws), claimed.run_id) in to_aws,
        "a message is sent to the slow lane of the aws worker": (str(slow_aws), claimed.run_id) in slowly_to_aws,
        "the timer is advanced": scene.next_at(due) > instant,
        "a packed timer is advanced": scene.next_at(packed) > instant,
        "a skipped run is reopened": scene.state(skipped.key) is RunState.QUEUED,
        "a missed range is recorded": scene.next_at(late) > now - DAY,
        "a triggered run without a message is found": (str(due), forgotten.key.run_id) in messages,
        "the deadline is deleted": scene.item(keys.deadline(deadline.run)) is None,
        "a queued run of a recheck is found": (str(rechecked.key.job), rechecked.key.run_id) in messages,
        "the tick is recorded": any(rows),
        "a stalled backfill continues": scene.state(replayed) is RunState.QUEUED,
    }
