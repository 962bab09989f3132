"""The exercise of the worker for targets in AWS."""

from __future__ import annotations

from collections.abc import Iterator

from minutehand.domain.lanes import SLOW
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets import TYPES
from minutehand.targets.aws.executions.fields import Mode
from minutehand.targets.http.fields import HttpTarget
from tests.privilege.functions.http_worker import any_worker
from tests.privilege.scene import COMMAND, Scene
from tests.privilege.setups import Effects
from tests.privilege.targets import NAMED, TAGGED


def effect_of(type_: str, how: str) -> str:
    """The effect of a call of a type's target that is allowed in one way."""
    return f"a target of type {type_} that is {how} is called"


def batched(runs: list[RunKey], size: int) -> Iterator[list[RunKey]]:
    """The runs in parts, each of at most so many."""
    for start in range(0, len(runs), size):
        yield runs[start : start + size]


def aws_worker(scene: Scene) -> Effects:
    """What every worker does; a call of each type of target by each way in which it can be allowed; one that waits for an execution; and a run whose job has become one of
    the http worker."""
    targets = scene.bench.targets
    calls = {
        effect_of(name, how): targets.of(name, how)
        for name, kind in TYPES.items()
        for how in (NAMED, TAGGED)
        if kind.worker == "aws"
    }
    calls["a message is sent with a role"] = targets.of("sqs", role_arn=targets.new_role())
    runs = {
        effect: scene.run(scene.job(f"reaching-{number}", target=target, payload={}), scene.now, target=target.type).key
        for number, (effect, target) in enumerate(calls.items())
    }
    machine = targets.of("stepfunctions", mode=Mode.WAIT)
    waits = scene.run(scene.job("waiting", target=machine, payload={}), scene.now, target=machine.type).key
    http = HttpTarget(method="POST", url=scene.bench.record.echo_url)
    edited = scene.run(scene.job("edited", target=http, timeout=SLOW), scene.now)
    commanded = scene.run(scene.job("commanded", target=COMMAND), scene.now)
    for some in batched([*runs.values(), waits, edited.key, commanded.key], 10):
        scene.runner.invoke("AwsWorker", scene.records(*some))
    sent = {one["run_id"] for one in scene.sent(worker="http")}
    return {
        **any_worker(scene, "AwsWorker"),
        **{effect: scene.state(run) is RunState.SUCCEEDED for effect, run in runs.items()},
        "a run waits for the end of an execution": scene.state(waits) is RunState.WAITING,
        "a run is sent to the agents worker": commanded.key.run_id
        in {one["run_id"] for one in scene.sent(worker="agents")},
        "a run is sent to the worker of its job's new target": edited.key.run_id in sent,
    }
