"""The exercise of the drain."""

from __future__ import annotations

from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from tests.privilege import setups
from tests.privilege.scene import COMMAND, Scene
from tests.privilege.setups import Effects


def drain(scene: Scene) -> Effects:
    """Dead letters of a run that can still start, of the last of too many runs, of runs of an active and a cancelled backfill, and of a run of a
    fixed delay."""
    job = scene.job("buried")
    run = scene.run(job, scene.now, key=RunKey.triggered(job, scene.now, "abc"))
    last, trimmed = setups.crowded(scene, "crowded")
    replayed, following = setups.backfill(scene, scene.job("replayed"))
    scene.run(replayed.job, scene.now, key=replayed, state=RunState.SUCCEEDED)
    ended, delayed = setups.delayed(scene, "delayed")
    given_up, waiting = setups.backfill(scene, scene.job("given-up"), cancelled=True)
    scene.run(given_up.job, scene.now, key=given_up, state=RunState.SUCCEEDED)
    scene.run(waiting.job, scene.now, key=waiting)
    queue = scene.bench.targets.of("sqs")
    aws = scene.run(scene.job("aws", target=queue), scene.now, target="sqs")
    scene.bury(aws.key, worker="aws")
    command = scene.run(scene.job("command", target=COMMAND), scene.now, target="command")
    scene.bury(command.key, worker="agents")
    scene.bury(run.key, last, replayed, ended, given_up)
    answer = scene.runner.invoke("Drain", {})
    left = scene.dead_letters()
    scene.forget_dead_letters()
    current = scene.bench.ports.runs.get([run.key])[run.key]
    return {
        "the dead letters are handled": answer == {"drained": 7, "kept": 0},
        "the dead letters are deleted": left == 0,
        "its resend is counted": current.resends == 1,
        "a run is sent to the aws worker again": aws.key.run_id in {one["run_id"] for one in scene.sent(worker="aws")},
        "a run is sent to the agents worker again": command.key.run_id
        in {one["run_id"] for one in scene.sent(worker="agents")},
        "the run is sent again": run.key.run_id in {one["run_id"] for one in scene.sent()},
        "a backfill continues": scene.state(following) is RunState.QUEUED,
        "a cancelled backfill's run is cancelled": scene.state(waiting) is RunState.CANCELLED,
        **trimmed(),
        **delayed(),
    }
