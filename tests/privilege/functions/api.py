"""The exercise of the API."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from minutehand.adapters.dynamodb.audits import DynamoAudits
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.items import item_of
from minutehand.domain.audit import Action
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Result, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import attempt_nonce
from minutehand.usecases.completion.report import keep_output
from minutehand.usecases.ports.audits import Wanted
from minutehand.usecases.ports.outputs import whole
from tests.privilege import setups
from tests.privilege.scene import COMMAND, DAY, OFTEN, YEARLY, Scene
from tests.privilege.setups import Effects


def requester(scene: Scene, function: str = "Api") -> Callable[..., tuple[int, Any]]:
    """A function that sends a request (method, path, body, headers) as the gateway does, with the admin token; it returns status and
    document."""
    bearer = {"Authorization": f"Bearer {scene.bench.record.token}"}

    def ask(
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> tuple[int, Any]:
        answer = scene.runner.invoke(
            function,
            {
                "version": "1.0",
                "resource": path,
                "path": path,
                "httpMethod": method,
                "headers": bearer | dict(headers or {}),
                "multiValueHeaders": {},
                "queryStringParameters": query,
                "requestContext": {"requestId": "request"},
                "body": body and json.dumps(body),
                "isBase64Encoded": False,
            },
        )
        return answer.get("statusCode", 500), json.loads(answer.get("body") or "{}")

    return ask


def api(scene: Scene) -> Effects:
    """A call of each endpoint, and edits of jobs with due runs."""
    now = scene.now
    instant = now - timedelta(seconds=now.second % 10)
    url = f"/v1/namespaces/{scene.namespace}/jobs"
    body = {"schedule": OFTEN, "target": {"type": "http", "method": "GET", "url": scene.bench.record.echo_url}}
    late, again, gone, lame = (scene.job(name, OFTEN) for name in ("late", "again", "gone", "lame"))
    scene.set_next_at(late, now - 2 * DAY)
    scene.set_next_at(again, instant)
    for job in (gone, lame):
        scene.set_next_at(job, now + DAY)
    scene.delete(keys.timer(lame))
    skipped = scene.run(again, instant, state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED)
    whole_answer = whole(Result(type="http", status=200, body="x" * 5000), None, now + DAY)
    result = Result(type="http", status=200, body="cut")
    run = scene.run(gone, now, state=RunState.SUCCEEDED, attempt=1, result=result, detailed=True)
    keep_output(scene.bench.ports.outputs, run.key, 1, whole_answer, now)
    overdue = scene.run(gone, now - DAY)
    ask = requester(scene)

    created = ask("PUT", f"{url}/new", body)
    new = JobKey(namespace=scene.namespace, name="new")
    triggered = ask("POST", f"{url}/gone/trigger")
    run_id = triggered[1].get("run_id", "20260101T000000Z")
    deadline = keys.deadline(RunKey(job=gone, run_id=run_id))
    shown, listed = ask("GET", f"{url}/gone"), ask("GET", url)
    explained = ask("GET", f"{url}/gone/explain")
    runs, whole_run = ask("GET", f"{url}/gone/runs"), ask("GET", f"{url}/gone/runs/{run.key.run_id}")
    of_namespace = {"namespace": scene.namespace}
    failed = scene.run(gone, now - timedelta(minutes=3), state=RunState.FAILED, finished_at=now - timedelta(minutes=2))
    by_time, by_end = (ask("GET", "/v1/runs", query=of_namespace | more) for more in ({}, {"state": "failed"}))
    output = ask("GET", f"{url}/gone/runs/{run.key.run_id}/output")
    missing = ask("GET", f"{url}/gone/runs/{_without_its_output(scene, gone).run_id}/output")
    reported = _report(scene, ask)
    redriven = ask("POST", f"{url}/gone/redrive", {"run_id": overdue.key.run_id})
    cancelled = ask("POST", f"{url}/gone/runs/{overdue.key.run_id}/cancel")
    for name in ("first", "leading"):
        scene.job(name)
    chain = [
        ask("PUT", f"{url}/{child}", body | {"schedule": YEARLY, "depends_on": [{"job": parent}]})[0]
        for child, parent in (("following", "leading"), ("leading", "first"))
    ]
    blocked_range = {"from": _text(now - timedelta(minutes=1)), "to": _text(now)}
    backfilled = ask("POST", f"{url}/new/backfills", blocked_range)
    limited = ask("PUT", f"/v1/namespaces/{scene.namespace}", {"max_concurrency": 50})
    quota = {"jobs": 1000, "runs_per_minute": 1000, "concurrency": 100}
    allowed = ask("PUT", f"/v1/namespaces/{scene.namespace}/quota", quota)
    of_quota = ask("PUT", f"{url}/within", body)[0], ask("POST", f"{url}/within/trigger")[0]
    messages = {(one["job"], one["run_id"]) for one in scene.sent()}
    scene.job("aws", target=scene.bench.targets.of("sqs"))
    to_aws = ask("POST", f"{url}/aws/trigger")[1].get("run_id", "")
    diagnosis = ask("GET", "/v1/diagnosis")[1]
    counted = {one["name"] for one in diagnosis.get("queues", ())}
    records = DynamoAudits(scene.bench.dynamodb, scene.bench.record.jobs_table)
    recorded = records.page(scene.namespace, Wanted(job="new", action=Action.SAVE), 1, None)
    return {
        **reported,
        "a change is recorded": len(recorded.items) == 1,
        **_agents(scene, ask, url),
        "a message is sent to the aws worker": to_aws in {one["run_id"] for one in scene.sent(worker="aws")},
        "overdue timers are found": diagnosis.get("overdue") is not None,
        **{
            f"the queue {worker}{lane} is counted": f"{worker}{lane}" in counted
            for worker in ("http", "aws", "agents")
            for lane in ("", "_slow", "_dead_letter")
            if (worker, lane) != ("agents", "_slow")
        },
        "a job is created": created[0] == 201,
        "a chain of dependencies is saved": chain == [201, 200],
        "a namespace is limited": limited[0] == 200,
        "a quota is set": allowed[0] == 200 and allowed[1]["used"]["jobs"] > 0,
        "a job is made and triggered within the quota": of_quota == (201, 202),
        "a backfill begins": bool(backfilled[1].get("active")),
        "a run within the look-ahead is claimed": bool(list(scene.bench.ports.runs.between(new, now, now + 2 * DAY))),
        "the timer is advanced": created[0] == 201 and scene.next_at(new) > now + timedelta(seconds=60),
        "a job is shown": shown[0] == 200,
        "jobs are listed": listed[0] == 200,
        "a job is triggered": triggered[0] == 202,
        "a message is sent": (str(gone), run_id) in messages,
        "the deadline is deleted": triggered[0] == 202 and scene.item(deadline) is None,
        "an overdue run is sent again": redriven[0] == 200 and (str(gone), overdue.key.run_id) in messages,
        "a run is cancelled": cancelled[0] == 200 and scene.state(overdue.key) is RunState.CANCELLED,
        "a day is explained": explained[0] == 200,
        "runs are listed": runs[0] == 200,
        "runs of a namespace are listed": by_time[0] == 200,
        "failed runs are listed": [one["run_id"] for one in by_end[1].get("items", ())] == [failed.key.run_id],
        "a run is shown": whole_run[0] == 200,
        "the end of a long answer is shown": len(whole_run[1].get("result", {}).get("body", "")) == 4096,
        "a long answer is shown whole": output[1].get("truncated") is False,
        "a deleted answer differs from a refused one": missing[0] == 200 and missing[1].get("truncated") is True,
        "an edit records missed runs": ask("PUT", f"{url}/late", body | {"schedule": YEARLY})[0] == 200,
        "an edit reopens a skipped run": (
            ask("PUT", f"{url}/again", body | {"schedule": YEARLY})[0] == 200
            and scene.state(skipped.key) is RunState.QUEUED
        ),
        "a job is deleted": ask("DELETE", f"{url}/gone")[0] == 204,
        "a job without a timer is deleted": ask("DELETE", f"{url}/lame")[0] == 204,
    }


def _without_its_output(scene: Scene, job: JobKey) -> RunKey:
    """A run whose long answer somebody has deleted from the bucket."""
    answer = whole(Result(type="http", status=200, body="x" * 5000), None, scene.now + DAY)
    result = Result(type="http", status=200, body="cut")
    run = scene.run(
        job, scene.now - timedelta(hours=1), state=RunState.SUCCEEDED, attempt=1, result=result, detailed=True
    )
    keep_output(scene.bench.ports.outputs, run.key, 1, answer, scene.now)
    kept = scene.bench.ports.outputs.get(run.key, 1)
    assert kept is not None
    scene.bench.s3.delete_object(Bucket=scene.bench.record.outputs["OutputBucket"], Key=kept.place)
    return run.key


def _report(scene: Scene, ask: Callable[..., tuple[int, Any]]) -> Effects:
    """A target's report with a long result, of the last of too many runs."""
    waits = {"state": RunState.WAITING, "attempt": 1, "nonce": attempt_nonce("the attempt's"), "started_at": scene.now}
    due = scene.now + DAY
    run, trimmed = setups.crowded(scene, "reported", **waits, lease_until=due, deadline_at=due)
    report = {"state": "succeeded", "result": "x" * 5000}
    path = f"/v1/callbacks/{run.job}/{run.run_id}/1/report"
    status, _ = ask("POST", path, report, headers={"Minutehand-Token": "the attempt's"})
    output = scene.bench.ports.outputs.get(run, 1)
    return {
        "a report is accepted": status == 200,
        "a long result is stored whole": output is not None and bool(output.place),
        **trimmed(),
    }


def _text(instant: datetime) -> str:
    return instant.isoformat().replace("+00:00", "Z")


def _agents(scene: Scene, ask: Callable[..., tuple[int, Any]], jobs: str) -> Effects:
    """A run of a command, and what people ask of a node."""
    scene.job("command", target=COMMAND)
    triggered = ask("POST", f"{jobs}/command/trigger")[1].get("run_id", "")
    node = setups.node_of(scene)
    scene.put(item_of(node, keys.node(node.key)))
    path = f"/v1/namespaces/{scene.namespace}/pools/web/nodes/a"
    return {
        "a message is sent to the agents worker": triggered in {one["run_id"] for one in scene.sent(worker="agents")},
        "nodes are listed": len(ask("GET", f"/v1/namespaces/{scene.namespace}/nodes")[1].get("items", ())) == 1,
        "a node is shown": ask("GET", path)[0] == 200,
        "a node is asked to pause": ask("POST", f"{path}/ask", {"asked": "pause"})[0] == 200,
    }
