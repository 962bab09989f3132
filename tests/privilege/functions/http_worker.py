"""The exercise of the http worker, most of which is that of every worker."""

from __future__ import annotations

from datetime import timedelta

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.domain.actor import Actor
from minutehand.domain.lanes import SLOW
from minutehand.domain.policies import Backoff, Dependency, NamedLimit, On, Retry
from minutehand.domain.quota import Quota
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.http.endpoint_fields import Endpoints, Listed
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.definitions import namespaces
from tests.privilege import setups
from tests.privilege.policy import WITH_A_KEY
from tests.privilege.scene import COMMAND, DAY, Scene
from tests.privilege.setups import Effects


def http_worker(scene: Scene) -> Effects:
    """What every worker does, a run whose job has become one of the worker `aws`, two with several endpoints, and runs whose jobs name
    secrets."""
    queue = scene.bench.targets.of("sqs")
    edited = scene.run(scene.job("edited", target=queue), scene.now, target="http")
    echo = scene.bench.record.echo_url
    several = {
        "found": Endpoints(cloud_map=scene.bench.in_cloud_map()),
        "listed": Endpoints(listed=(Listed(echo),)),
    }
    found, listed = (
        scene.run(scene.job(name, target=HttpTarget(url=echo, endpoints=endpoints)), scene.now).key
        for name, endpoints in several.items()
    )
    commanded = scene.run(scene.job("commanded", target=COMMAND), scene.now, target="http")
    scene.runner.invoke("HttpWorker", scene.records(edited.key, commanded.key, found, listed))
    sent = {one["run_id"] for one in scene.sent(worker="aws")}
    return {
        **any_worker(scene, "HttpWorker"),
        **_with_secrets(scene),
        "a run is sent to the worker of its job's new target": edited.key.run_id in sent,
        "a run is sent to the agents worker": commanded.key.run_id
        in {one["run_id"] for one in scene.sent(worker="agents")},
        "an endpoint is found in Cloud Map": scene.state(found) is RunState.SUCCEEDED,
        "the state of a job's endpoints is stored": scene.item(keys.balance(listed.job)) is not None,
    }


def _with_secrets(scene: Scene) -> Effects:
    names = (f"secrets/{scene.namespace}/token", f"secrets/{scene.namespace}{WITH_A_KEY}")
    for name in names:
        scene.bench.ssm.put_parameter(Name=f"/{name}", Value="a secret text", Type="SecureString")
    scene.bench.secrets_manager.create_secret(Name=names[0], SecretString="a secret text")
    references = {
        "a parameter is sent": f"ssm:/{names[0]}",
        "a secret is sent": f"secretsmanager:{names[0]}",
        "a parameter with a key of its own is sent": f"ssm:/{names[1]}",
    }
    runs = {}
    for n, (effect, reference) in enumerate(references.items()):
        headers = (("Authorization", f"{{{{secret:{reference}}}}}"),)
        target = HttpTarget(url=scene.bench.record.echo_url, headers=headers)
        runs[effect] = scene.run(scene.job(f"secret-{n}", target=target), scene.now).key
    scene.runner.invoke("HttpWorker", scene.records(*runs.values()))
    return {effect: scene.state(key) is RunState.SUCCEEDED for effect, key in runs.items()}


def any_worker(scene: Scene, function: str) -> Effects:
    """In a namespace with a concurrency limit and a quota: a run with a limit of its own, a long answer and a dependent job, the last of too many runs, a run of a backfill, one with
    a late retry, one of a fixed delay, and one that replaces another."""
    namespaces.limit(scene.bench.ports, scene.namespace, 50, who=Actor("test"))
    namespaces.set_quota(scene.bench.ports, scene.namespace, Quota(runs_per_minute=1000), who=Actor("test"))
    job = scene.job("called", payload="x" * 5000, limits=(NamedLimit("db", 50),))
    after = scene.job("after", depends_on=(Dependency(job, On.SUCCESS),))
    run = scene.run(job, scene.now, key=RunKey.triggered(job, scene.now, "abc"))
    last, trimmed = setups.crowded(scene, "crowded")
    replayed, following = setups.backfill(scene, scene.job("replayed"))
    scene.run(replayed.job, scene.now, key=replayed)
    patient = Retry(max_attempts=2, backoff=Backoff(initial=timedelta(hours=1), max=timedelta(hours=1)))
    failing = scene.job("failing", path="/status/500", retry=patient)
    retried = scene.run(failing, scene.now, key=RunKey.triggered(failing, scene.now, "abc"))
    ended, delayed = setups.delayed(scene, "delayed")
    newer, replaced = setups.replacing(scene, "replacing")
    slow = scene.job("slow", timeout=2 * SLOW)
    moved, called = (scene.run(slow, scene.now, key=RunKey.triggered(slow, scene.now, name)) for name in ("a", "b"))
    answer = scene.runner.invoke(function, scene.records(run.key, last, replayed, retried.key, ended, moved.key))
    in_the_slow_lane = {one["run_id"] for one in scene.sent(slow=True)}
    scene.runner.invoke(function, scene.records(called.key, slow=True))
    current = scene.bench.ports.runs.get([run.key])[run.key]
    output = scene.bench.ports.outputs.get(run.key, 1)
    started = [one.key for one in scene.bench.ports.runs.between(after, scene.now - DAY, scene.now + DAY)]
    sent = {one["run_id"] for one in scene.sent()}
    scene.runner.invoke(function, scene.records(newer, *started))
    return {
        "a dependent run gets its parent's result": [scene.state(key) for key in started] == [RunState.SUCCEEDED],
        "the run takes a place within the quota": scene.bench.ports.namespaces.pace(scene.namespace).taken > 0,
        "a run with a late retry has a deadline": scene.item(keys.deadline(retried.key)) is not None,
        "the batch is handled": answer == {"batchItemFailures": []},
        "a slow job's run is moved to the slow lane": moved.key.run_id in in_the_slow_lane,
        "a run of the slow lane is called": scene.state(called.key) is RunState.SUCCEEDED,
        "the run is called and reported": current.state is RunState.SUCCEEDED,
        "the end of the answer is stored": output is not None,
        "the whole answer is stored": output is not None and bool(output.place),
        **trimmed(),
        **delayed(),
        **replaced(),
        "a backfill continues": scene.state(following) is RunState.QUEUED,
        "a backfill's next run is sent": following.run_id in sent,
    }
