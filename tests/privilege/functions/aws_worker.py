"""The exercise of the worker for targets in AWS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minutehand.domain.lanes import SLOW
from minutehand.domain.run import RunState
from minutehand.targets import TYPES
from minutehand.targets.http.fields import HttpTarget
from tests.privilege.functions.http_worker import any_worker
from tests.privilege.scene import Scene
from tests.privilege.setups import Effects
from tests.privilege.targets import NAMED, TAGGED


def aws_worker(scene: Scene) -> Effects:
    """What every worker does; a call of each type of target by each way in which it can be allowed; and a run whose job has become one of
    the http worker."""
    targets = scene.bench.targets
    calls: Mapping[str, Any] = {
        "a function that a parameter names is invoked": TYPES["lambda"].fields(function=targets.functions[NAMED]),
        "a function with the tag is invoked": TYPES["lambda"].fields(function=targets.functions[TAGGED]),
        "a queue that a parameter names gets a message": TYPES["sqs"].fields(queue=targets.queues[NAMED]),
        "a queue with the tag gets a message": TYPES["sqs"].fields(queue=targets.queues[TAGGED]),
        "a message is sent with a role": TYPES["sqs"].fields(queue=targets.queues[NAMED], role_arn=targets.new_role()),
    }
    runs = {
        effect: scene.run(scene.job(f"reaching-{number}", target=target), scene.now, target=target.type).key
        for number, (effect, target) in enumerate(calls.items())
    }
    http = HttpTarget(method="POST", url=scene.bench.record.echo_url)
    edited = scene.run(scene.job("edited", target=http, timeout=SLOW), scene.now)
    scene.runner.invoke("AwsWorker", scene.records(*runs.values(), edited.key))
    sent = {one["run_id"] for one in scene.sent(worker="http")}
    return {
        **any_worker(scene, "AwsWorker"),
        **{effect: scene.state(run) is RunState.SUCCEEDED for effect, run in runs.items()},
        "a run is sent to the worker of its job's new target": edited.key.run_id in sent,
    }
