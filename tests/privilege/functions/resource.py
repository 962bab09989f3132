"""The exercise of the custom resource for jobs of stacks."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.domain.actor import Actor
from minutehand.domain.declaration.conversion import shown
from minutehand.domain.job_key import JobKey
from minutehand.domain.quota import Quota
from minutehand.domain.run import RunState, SkipReason
from minutehand.usecases.definitions import namespaces
from tests.privilege.scene import COMMAND, DAY, OFTEN, YEARLY, Scene
from tests.privilege.setups import Effects

LABELS = (("cloudformation/resource", "Job"), ("cloudformation/stack", "exercise"))


def resource(scene: Scene) -> Effects:
    """Creates, updates and deletes of jobs, some of which have due runs."""
    now = scene.now
    instant = now - timedelta(seconds=now.second % 10)
    late, again, gone, lame = (scene.job(name, OFTEN, labels=LABELS) for name in ("late", "again", "gone", "lame"))
    scene.set_next_at(late, now - 2 * DAY)
    scene.set_next_at(again, instant)
    for job in (gone, lame):
        scene.set_next_at(job, now + DAY)
    scene.delete(keys.timer(lame))
    skipped = scene.run(again, instant, state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED)

    queue = scene.bench.targets.of("sqs")
    of_aws = scene.job("aws", OFTEN, labels=LABELS, target=queue)
    scene.set_next_at(of_aws, instant)
    scene.run(of_aws, instant, target="sqs", state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED)
    command = scene.job("command", OFTEN, labels=LABELS, target=COMMAND)
    scene.set_next_at(command, instant)
    scene.run(command, instant, target="command", state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED)

    namespaces.set_quota(scene.bench.ports, scene.namespace, Quota(jobs=1000), who=Actor("test"))
    created = _send(scene, "Create", "new", schedule=OFTEN)
    counted_jobs = scene.bench.ports.namespaces.job_count(scene.namespace)
    new = JobKey(namespace=scene.namespace, name="new")
    counted = JobKey(namespace=scene.namespace, name="counted")
    _send(scene, "Create", "counted", schedule=OFTEN, max_runs="3")
    claimed = bool(list(scene.bench.ports.runs.between(counted, now, now + 2 * DAY)))
    delayed = _send(scene, "Create", "delayed", schedule="@after 1s")
    for name in ("first", "leading"):
        scene.job(name, labels=LABELS)
    chained = [
        _send(scene, kind, child, schedule=YEARLY, depends_on=[{"job": parent}])
        for kind, child, parent in (("Create", "following", "leading"), ("Update", "leading", "first"))
    ]
    reopened = _send(scene, "Update", "again", schedule=YEARLY)
    _send(scene, "Update", "aws", schedule=YEARLY, target={"type": "sqs", **shown(queue)})
    _send(scene, "Update", "command", schedule=YEARLY, target={"type": "command", **shown(COMMAND)})
    messages = {one["job"] for one in scene.sent()}
    return {
        "a job is created": created,
        "the jobs of a namespace with a quota are counted": counted_jobs is not None and counted_jobs.jobs > 1,
        "a chain of dependencies is saved": all(chained),
        "a run within the look-ahead is claimed": bool(list(scene.bench.ports.runs.between(new, now, now + 2 * DAY))),
        "a counted occurrence is claimed": claimed,
        "an edit counts the claimed runs": _send(scene, "Update", "counted", schedule="*/20 * * * * *", max_runs="9"),
        "a fixed delay begins": delayed,
        "the timer is advanced": created and scene.next_at(new) > now + timedelta(seconds=60),
        "a message is sent": str(again) in messages,
        "a message is sent to the agents worker": str(command) in {one["job"] for one in scene.sent(worker="agents")},
        "a message is sent to the aws worker": str(of_aws) in {one["job"] for one in scene.sent(worker="aws")},
        "an edit records missed runs": _send(scene, "Update", "late", schedule=YEARLY),
        "an edit reopens a skipped run": reopened and scene.state(skipped.key) is RunState.QUEUED,
        "a job is deleted": _send(scene, "Delete", "gone"),
        "a job without a timer is deleted": _send(scene, "Delete", "lame"),
    }


def _send(scene: Scene, kind: str, name: str, **fields: Any) -> bool:
    """Send an event as CloudFormation does; returns whether it succeeded."""
    target = {"type": "http", "method": "GET", "url": scene.bench.record.echo_url}
    event = {
        "RequestType": kind,
        "StackId": "arn:aws:cloudformation:us-east-1:000000000000:stack/exercise/1a2b3c4d",
        "RequestId": str(uuid.uuid4()),
        "LogicalResourceId": "Job",
        "PhysicalResourceId": f"{scene.namespace}/{name}",
        "ResourceProperties": {"namespace": scene.namespace, "name": name, "target": target, **fields},
    }
    answered = scene.runner.invoke("Resource", event) or {}
    return answered.get("Status") == "SUCCESS"
