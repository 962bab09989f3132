"""What the function at the dead-letter queue is for."""

from __future__ import annotations

from minutehand.domain.run import RunKey, RunState
from tests.privilege import situations
from tests.privilege.scene import Scene
from tests.privilege.situations import Effects


def drain(scene: Scene) -> Effects:
    """Dead letters of a run that can still start, of one after which a job has too many, of one that takes a backfill further, and of
    one after which a fixed delay begins."""
    job = scene.job("buried")
    run = scene.run(job, scene.now, key=RunKey.triggered(job, scene.now, "abc"))
    last, trimmed = situations.crowded(scene, "crowded")
    replayed, following = situations.backfill(scene, scene.job("replayed"))
    scene.run(replayed.job, scene.now, key=replayed, state=RunState.SUCCEEDED)
    ended, delayed = situations.delayed(scene, "delayed")
    given_up, waiting = situations.backfill(scene, scene.job("given-up"), cancelled=True)
    scene.run(given_up.job, scene.now, key=given_up, state=RunState.SUCCEEDED)
    scene.run(waiting.job, scene.now, key=waiting)
    answer = scene.lab.invoke("Drain", scene.records(run.key, last, replayed, ended, given_up))
    stands = scene.bench.ports.runs.get([run.key])[run.key]
    return {
        "the dead letter is dealt with": answer == {"batchItemFailures": []},
        "its return is counted": stands.resends == 1,
        "the run is sent again": run.key.run_id in {one["run_id"] for one in scene.sent()},
        "a backfill goes on": scene.state(following) is RunState.QUEUED,
        "another that was cancelled does not": scene.state(waiting) is RunState.CANCELLED,
        **trimmed(),
        **delayed(),
    }
