"""For each function: give it something of everything it is for, and say which of its effects are there afterwards."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

from localstack.echo import EchoServer

from minutehand.adapters.due import shard_of
from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import number, text, whole
from minutehand.domain.agenda import Agenda
from minutehand.domain.backfill import Backfill, BackfillState, Order
from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.instants import floor
from minutehand.domain.job import Backoff, Dependency, HttpTarget, Job, JobKey, On, Overlap, Retry
from minutehand.domain.permit import lock_of
from minutehand.domain.run import Result, Run, RunKey, RunState, SkipReason
from minutehand.domain.timer import Deadline, Recheck, Timer
from minutehand.domain.token import attempt_nonce
from minutehand.schedule import Schedule
from minutehand.usecases.definitions import manage, namespaces
from minutehand.usecases.ending.keeping import keep_output
from minutehand.usecases.ending.trim import STRIDE, chosen
from minutehand.usecases.ports.outputs import whole as whole_output
from tests.privilege.lab import Bench, Lab

Effects = dict[str, bool]
YEARLY = "0 0 1 1 *"
OFTEN = "*/10 * * * * *"
DAY = timedelta(days=1)


class Scene:
    """What an exercise begins with: jobs and runs of its own namespace, and a look at what became of them."""

    def __init__(self, bench: Bench, lab: Lab) -> None:
        self.bench = bench
        self.lab = lab
        self.namespace = f"test-{uuid.uuid4().hex[:12]}"
        self.now = floor(datetime.now(UTC))

    def clear(self) -> None:
        """Leave nothing for the ticks and sweeps of other scenes to do."""
        for definition in self.bench.world.definitions.page(self.namespace, 100, None).items:
            self.delete(keys.timer(definition.job.key))
        self.delete(keys.namespace(self.namespace))

    def job(self, name: str, schedule: str = YEARLY, *, path: str = "", **fields: Any) -> JobKey:
        """A job that calls the echo service; saved with no effect on any queue, but for the first run of a fixed delay."""
        target = HttpTarget(method="POST", url=self.bench.record.echo_url + path)
        key = JobKey(namespace=self.namespace, name=name)
        saved = schedule if schedule.startswith("@after") else YEARLY
        job = Job(key=key, schedule=saved, target=target, timeout=timedelta(seconds=5), **fields)
        manage.save(self.bench.world, job, keep_paused=False, who="test")
        if schedule != saved:
            timer = self.bench.world.timers.get(key)
            assert isinstance(timer, Timer)
            self.put(timer_codec.encode(replace(timer, schedule=Schedule.parse(schedule).encode()), shards=8))
        return key

    def under_a_calendar(self, name: str, stands_at: datetime) -> JobKey:
        """A job under a calendar that blocks nothing."""
        calendar = Calendar(
            key=CalendarKey(self.namespace, "open"),
            description="",
            dates=(),
            weekly=(),
            periods=(),
            revision=1,
            updated_at=self.now,
            updated_by="test",
        )
        self.bench.world.calendars.save(None, calendar)
        job = self.job(name, calendars=("open",))
        agenda = Agenda(schedule=Schedule.parse(OFTEN), calendars=("open",))
        timer = self.bench.world.timers.get(job)
        assert isinstance(timer, Timer)
        self.put(timer_codec.encode(replace(timer, schedule=agenda.encode()), shards=8))
        self.stands_at(job, stands_at)
        return job

    def stands_at(self, job: JobKey, instant: datetime, *, shard: int | None = None) -> None:
        """Move a job's timer, and put it into another shard than its own if one is given."""
        stands_in = shard_of(job, 8) if shard is None else shard
        self.bench.dynamodb.update_item(
            TableName=self.bench.record.jobs_table,
            Key=keys.timer(job),
            UpdateExpression="SET next_at = :next_at, due_shard = :shard",
            ExpressionAttributeValues={":next_at": whole(instant), ":shard": {"S": str(stands_in)}},
        )

    def run(self, job: JobKey, instant: datetime, **fields: Any) -> Run:
        """A run as some worker left it."""
        expires = self.now + DAY
        key = fields.pop("key", RunKey.scheduled(job, instant))
        run = Run(key=key, target="http", revision=0, claimed_at=instant, expires_at=expires, **fields)
        self.bench.world.runs.claim([run])
        return run

    def backfill(
        self, job: JobKey, *, looked_at: datetime | None = None, cancelled: bool = False
    ) -> tuple[RunKey, RunKey]:
        """A backfill of two occurrences, of which the first is under way, or both where it was cancelled since; both runs. When it is next
        looked at is a day ahead, if not given."""
        definition = self.bench.world.definitions.get([job])[job]
        first = self.now.replace(second=0) - timedelta(minutes=10)
        second = first + timedelta(minutes=1)
        under_way = Backfill(
            job=job,
            id="abc",
            schedule=Schedule.parse("* * * * *").encode(),
            start=first,
            end=second + timedelta(minutes=1),
            order=Order.OLDEST,
            concurrency=1,
            ignore_overlap=False,
            total=2,
            job_created_at=definition.created_at,
            created_at=self.now,
            created_by="test",
            next_at=looked_at or self.now + DAY,
            cursor=first,
            active=(first, second) if cancelled else (first,),
            state=BackfillState.CANCELLED if cancelled else BackfillState.ACTIVE,
            cancelled_by="test" if cancelled else "",
        )
        self.bench.world.backfills.create(under_way)
        return under_way.run(first), under_way.run(second)

    def crowded(self, name: str, **last: Any) -> tuple[RunKey, Callable[[], Effects]]:
        """A job with one run more than it keeps; the run after which that is seen to, and a look at what became of the other.

        last: what is known of that run, if it is not simply over.
        """
        job = self.job(name, retention_count=1)
        old = self.run(job, self.now - 3 * DAY, state=RunState.SUCCEEDED, attempt=1)
        left = whole_output(Result(type="http", status=200, body="x" * 5000), None, old.expires_at)
        keep_output(self.bench.world.outputs, old.key, 1, left)
        kept = self.bench.world.outputs.get(old.key, 1)
        assert kept is not None
        tries = (RunKey.triggered(job, self.now, f"k{number}") for number in range(10_000))
        key = next(key for key in tries if chosen(key, STRIDE))
        self.run(job, self.now, key=key, **({"state": RunState.SUCCEEDED} | last))

        def effects() -> Effects:
            return {
                "an old run is removed": self.state(old.key) is None,
                "what an old run left is removed": self.bench.world.outputs.read(kept.place) is None,
            }

        return key, effects

    def delayed(self, name: str) -> tuple[RunKey, Callable[[], Effects]]:
        """A job with a fixed delay; its outstanding run, which has ended, and a look at what became of the job."""
        job = self.job(name, "@after 90s")
        first = self.now - timedelta(minutes=10)
        timer = self.bench.world.timers.get(job)
        assert isinstance(timer, Timer)
        self.put(timer_codec.encode(replace(timer, occ=first, next_at=self.now + DAY), shards=8))
        ended = self.run(job, first, state=RunState.SUCCEEDED, attempt=1, finished_at=self.now - timedelta(seconds=30))

        def effects() -> Effects:
            there = self.bench.world.timers.get(job)
            assert isinstance(there, Timer)
            assert there.occ is not None
            return {
                "the next run of a fixed delay is dispatched": self.state(RunKey.scheduled(job, there.occ))
                is RunState.QUEUED,
                "the timer of a fixed delay is its watchdog": first < there.occ < self.next_at(job) < self.now + DAY,
            }

        return ended.key, effects

    def in_the_way(self, name: str) -> tuple[RunKey, Callable[[], Effects]]:
        """A run that is to replace one that waits for its next attempt, and a look at what became of that."""
        job = self.job(name, overlap=Overlap.REPLACE)
        later = self.now + timedelta(hours=1)
        held = {"attempt": 1, "nonce": "held", "started_at": self.now, "finished_at": self.now, "retry_at": later}
        earlier = self.run(job, self.now - DAY, state=RunState.RETRYING, **held)
        attempt = {"holder_job": text(str(job)), "holder": text(earlier.key.run_id), "attempt": number(1)}
        self.put({**keys.permit(lock_of(job)), **attempt})
        newer = self.run(job, self.now, key=RunKey.triggered(job, self.now, "abc"))

        def effects() -> Effects:
            cancelled = self.state(earlier.key) is RunState.CANCELLED
            return {
                "a run in another's way is cancelled": cancelled,
                "its deadline is removed": cancelled and self.item(keys.deadline(earlier.key)) is None,
            }

        return newer.key, effects

    def put(self, item: Any) -> None:
        """An item of the Jobs table."""
        self.bench.dynamodb.put_item(TableName=self.bench.record.jobs_table, Item=item)

    def delete(self, key: Any) -> None:
        """Delete an item of the Jobs table."""
        self.bench.dynamodb.delete_item(TableName=self.bench.record.jobs_table, Key=key)

    def item(self, key: Any) -> Any:
        """An item of the Jobs table, or None."""
        return self.bench.dynamodb.get_item(TableName=self.bench.record.jobs_table, Key=key).get("Item")

    def state(self, run: RunKey) -> RunState | None:
        """A run's state, or None."""
        found = self.bench.world.runs.get([run]).get(run)
        return found and found.state

    def next_at(self, job: JobKey) -> datetime:
        """Where a job's timer stands."""
        timer = self.bench.world.timers.get(job)
        assert timer is not None
        assert timer.next_at is not None
        return timer.next_at

    def sent(self) -> list[dict[str, Any]]:
        """The messages of this scene that wait to be received, taken."""
        found = []
        while messages := self._receive():
            found += [json.loads(message["Body"]) | {"receipt": message["ReceiptHandle"]} for message in messages]
        return [one for one in found if one["job"].startswith(self.namespace)]

    def _receive(self) -> Any:
        return self.bench.sqs.receive_message(
            QueueUrl=self.bench.queue, MaxNumberOfMessages=10, VisibilityTimeout=3600
        ).get("Messages")

    def records(self, *runs: RunKey) -> dict[str, Any]:
        """The event by which Lambda hands messages of the queue to a function."""
        for run in runs:
            body = json.dumps({"job": str(run.job), "run_id": run.run_id, "attempt": 1})
            self.bench.sqs.send_message(QueueUrl=self.bench.queue, MessageBody=body)
        return {
            "Records": [
                {
                    "messageId": f"{one['job']} {one['run_id']}",
                    "receiptHandle": one.pop("receipt"),
                    "body": json.dumps(one),
                    "attributes": {},
                    "messageAttributes": {},
                    "eventSource": "aws:sqs",
                }
                for one in self.sent()
            ]
        }


def tick(scene: Scene) -> Effects:
    """A minute with a due job, one that came too late, one whose run was skipped before, a deadline and a recheck."""
    now = scene.now
    instant = now - timedelta(seconds=now.second % 10)
    due, late, again = scene.job("due", OFTEN), scene.job("late", OFTEN), scene.job("again", OFTEN)
    for job, stands in ((due, instant), (late, now - 2 * DAY), (again, instant)):
        scene.stands_at(job, stands)
    skipped = scene.run(again, instant, state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED)
    forgotten = scene.run(due, now, key=RunKey.triggered(due, now, "abc"))
    deadline = Deadline(run=forgotten.key, next_at=now - timedelta(seconds=5))
    scene.put(timer_codec.encode_deadline(deadline, shards=8))
    looked_at = scene.run(scene.job("recheck"), now)
    second = timedelta(seconds=1)
    recheck = Recheck(job=looked_at.key.job, after=now - second, until=now + second, next_at=now - second)
    scene.put(timer_codec.encode_recheck(recheck, shards=8))
    ruled = scene.under_a_calendar("ruled", instant)
    replayed, _ = scene.backfill(scene.job("replayed"), looked_at=now)
    counted = scene.job("counted", OFTEN, max_runs=1)
    scene.stands_at(counted, instant)
    for minutes in (0, 1):
        scene.delete(keys.tick(now.replace(second=0) + timedelta(minutes=minutes)))

    answer = scene.lab.invoke("Tick", {})

    claimed = RunKey.scheduled(due, instant)
    messages = {(one["job"], one["run_id"]) for one in scene.sent()}
    rows = (scene.item(keys.tick(now.replace(second=0) + timedelta(minutes=minutes))) for minutes in (0, 1))
    return {
        "the tick ends well": "errorMessage" not in answer,
        "a due occurrence is claimed": scene.state(claimed) is RunState.QUEUED,
        "a counted occurrence is claimed": scene.state(RunKey.scheduled(counted, instant)) is RunState.QUEUED,
        "a job under a calendar is claimed": scene.state(RunKey.scheduled(ruled, instant)) is RunState.QUEUED,
        "a message is sent": (str(due), claimed.run_id) in messages,
        "the timer is advanced": scene.next_at(due) > instant,
        "a skipped run is opened again": scene.state(skipped.key) is RunState.QUEUED,
        "a missed stretch is recorded": scene.next_at(late) > now - DAY,
        "a triggered run without a message is found": (str(due), forgotten.key.run_id) in messages,
        "the deadline is removed": scene.item(keys.deadline(deadline.run)) is None,
        "a queued run of a recheck is found": (str(looked_at.key.job), looked_at.key.run_id) in messages,
        "the minute's row is there": any(rows),
        "a backfill that was left alone goes on": scene.state(replayed) is RunState.QUEUED,
    }


def http_worker(scene: Scene) -> Effects:
    """In a namespace that lets so many run at once, a run whose answer is too long for any record, with one that follows from it; one after which a job has too many, one of a
    backfill, one that is retried much later, one after which a fixed delay begins, and one that replaces another."""
    namespaces.limit(scene.bench.world, scene.namespace, 50, who="test")
    job = scene.job("called", payload="x" * 5000)
    after = scene.job("after", depends_on=(Dependency(job, On.SUCCESS),))
    run = scene.run(job, scene.now, key=RunKey.triggered(job, scene.now, "abc"))
    last, trimmed = scene.crowded("crowded")
    replayed, following = scene.backfill(scene.job("replayed"))
    scene.run(replayed.job, scene.now, key=replayed)
    patient = Retry(max_attempts=2, backoff=Backoff(initial=timedelta(hours=1), max=timedelta(hours=1)))
    failing = scene.job("failing", path="/status/500", retry=patient)
    retried = scene.run(failing, scene.now, key=RunKey.triggered(failing, scene.now, "abc"))
    ended, delayed = scene.delayed("delayed")
    newer, replaced = scene.in_the_way("replacing")
    answer = scene.lab.invoke("HttpWorker", scene.records(run.key, last, replayed, retried.key, ended))
    stands = scene.bench.world.runs.get([run.key])[run.key]
    output = scene.bench.world.outputs.get(run.key, 1)
    started = [one.key for one in scene.bench.world.runs.between(after, scene.now - DAY, scene.now + DAY)]
    sent = {one["run_id"] for one in scene.sent()}
    scene.lab.invoke("HttpWorker", scene.records(newer, *started))
    return {
        "a run that follows from another is told of its answer": [scene.state(key) for key in started]
        == [RunState.SUCCEEDED],
        "a run that is retried much later has a deadline": scene.item(keys.deadline(retried.key)) is not None,
        "the batch is handled": answer == {"batchItemFailures": []},
        "the run is called and reported": stands.state is RunState.SUCCEEDED,
        "the end of the answer is kept": stands.detailed,
        "the whole answer is kept": output is not None and bool(output.place),
        **trimmed(),
        **delayed(),
        **replaced(),
        "a backfill goes on": scene.state(following) is RunState.QUEUED,
        "a backfill's next run is sent": following.run_id in sent,
    }


def drain(scene: Scene) -> Effects:
    """Dead letters of a run that can still start, of one after which a job has too many, of one that takes a backfill further, and of
    one after which a fixed delay begins."""
    job = scene.job("buried")
    run = scene.run(job, scene.now, key=RunKey.triggered(job, scene.now, "abc"))
    last, trimmed = scene.crowded("crowded")
    replayed, following = scene.backfill(scene.job("replayed"))
    scene.run(replayed.job, scene.now, key=replayed, state=RunState.SUCCEEDED)
    ended, delayed = scene.delayed("delayed")
    given_up, waiting = scene.backfill(scene.job("given-up"), cancelled=True)
    scene.run(given_up.job, scene.now, key=given_up, state=RunState.SUCCEEDED)
    scene.run(waiting.job, scene.now, key=waiting)
    answer = scene.lab.invoke("Drain", scene.records(run.key, last, replayed, ended, given_up))
    stands = scene.bench.world.runs.get([run.key])[run.key]
    return {
        "the dead letter is dealt with": answer == {"batchItemFailures": []},
        "its return is counted": stands.resends == 1,
        "the run is sent again": run.key.run_id in {one["run_id"] for one in scene.sent()},
        "a backfill goes on": scene.state(following) is RunState.QUEUED,
        "another that was cancelled does not": scene.state(waiting) is RunState.CANCELLED,
        **trimmed(),
        **delayed(),
    }


def sweep(scene: Scene) -> Effects:
    """A run that was due a few minutes ago and was left without a message; a job whose clocks have changed, one in a shard that is no more."""
    run = scene.run(scene.job("stuck"), scene.now - timedelta(minutes=3))
    abroad = scene.job("abroad", timezone="Asia/Tokyo")
    told = scene.bench.world.timers.get(abroad)
    assert isinstance(told, Timer)
    assert told.next_at is not None
    before = replace(told, offset=timedelta(hours=8), next_at=told.next_at + timedelta(hours=1))
    scene.put(timer_codec.encode(before, shards=8))  # as if Tokyo's clocks had been an hour behind until now
    scene.delete(keys.renewal())
    astray = scene.job("astray")
    scene.stands_at(astray, scene.now + DAY, shard=8)
    scene.put({**keys.layout(), "spread": number(9), "version": number(1)})  # as if there had been a ninth
    answer = scene.lab.invoke("Sweep", {})
    stands = scene.bench.world.runs.get([run.key])[run.key]
    return {
        "the sweep ends well": "errorMessage" not in answer,
        "a timer follows its clocks": scene.next_at(abroad) == told.next_at,
        "the end of the renewal is recorded": "done" in (scene.item(keys.renewal()) or {}),
        "a timer is moved to its shard": scene.item(keys.timer(astray))["due_shard"]["S"] == str(shard_of(astray, 8)),
        "the run is marked": stands.resent_at is not None,
        "the run is sent again": [one["run_id"] for one in scene.sent()] == [run.key.run_id],
    }


def api(scene: Scene) -> Effects:
    """Each endpoint once, and edits of jobs that have something due."""
    now = scene.now
    instant = now - timedelta(seconds=now.second % 10)
    url = f"/v1/namespaces/{scene.namespace}/jobs"
    body = {"schedule": OFTEN, "target": {"type": "http", "method": "GET", "url": scene.bench.record.echo_url}}
    late, again, gone, lame = (scene.job(name, OFTEN) for name in ("late", "again", "gone", "lame"))
    scene.stands_at(late, now - 2 * DAY)
    scene.stands_at(again, instant)
    for job in (gone, lame):
        scene.stands_at(job, now + DAY)
    scene.delete(keys.timer(lame))
    skipped = scene.run(again, instant, state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED)
    whole_answer = whole_output(Result(type="http", status=200, body="x" * 5000), None, now + DAY)
    result = Result(type="http", status=200, body="cut")
    run = scene.run(gone, now, state=RunState.SUCCEEDED, attempt=1, result=result, detailed=True)
    keep_output(scene.bench.world.outputs, run.key, 1, whole_answer)
    overdue = scene.run(gone, now - DAY)
    ask = asking(scene)

    created = ask("PUT", f"{url}/new", body)
    new = JobKey(namespace=scene.namespace, name="new")
    triggered = ask("POST", f"{url}/gone/trigger")
    run_id = triggered[1].get("run_id", "20260101T000000Z")
    deadline = keys.deadline(RunKey(job=gone, run_id=run_id))
    shown, listed = ask("GET", f"{url}/gone"), ask("GET", url)
    explained = ask("GET", f"{url}/gone/explain")
    runs, whole_run = ask("GET", f"{url}/gone/runs"), ask("GET", f"{url}/gone/runs/{run.key.run_id}")
    output = ask("GET", f"{url}/gone/runs/{run.key.run_id}/output")
    reported = _report(scene, ask)
    redriven = ask("POST", f"{url}/gone/redrive", {"run_id": overdue.key.run_id})
    cancelled = ask("POST", f"{url}/gone/runs/{overdue.key.run_id}/cancel")
    for name in ("first", "leading"):
        scene.job(name)
    chain = [
        ask("PUT", f"{url}/{child}", body | {"schedule": YEARLY, "depends_on": [{"job": parent}]})[0]
        for child, parent in (("following", "leading"), ("leading", "first"))
    ]
    stretch = {"from": _text(now - timedelta(minutes=1)), "to": _text(now)}
    backfilled = ask("POST", f"{url}/new/backfills", stretch)
    limited = ask("PUT", f"/v1/namespaces/{scene.namespace}", {"max_concurrency": 50})
    messages = {(one["job"], one["run_id"]) for one in scene.sent()}
    return {
        **reported,
        "a job is created": created[0] == 201,
        "a chain is saved": chain == [201, 200],
        "a namespace is limited": limited[0] == 200,
        "a backfill begins": bool(backfilled[1].get("active")),
        "what is due soon is claimed": bool(list(scene.bench.world.runs.between(new, now, now + 2 * DAY))),
        "the timer is advanced": created[0] == 201 and scene.next_at(new) > now + timedelta(seconds=60),
        "a job is shown": shown[0] == 200,
        "jobs are listed": listed[0] == 200,
        "a job is triggered": triggered[0] == 202,
        "a message is sent": (str(gone), run_id) in messages,
        "the deadline is removed": triggered[0] == 202 and scene.item(deadline) is None,
        "an overdue run is sent again": redriven[0] == 200 and (str(gone), overdue.key.run_id) in messages,
        "a run is cancelled": cancelled[0] == 200 and scene.state(overdue.key) is RunState.CANCELLED,
        "a day is explained": explained[0] == 200,
        "runs are listed": runs[0] == 200,
        "a run is shown": whole_run[0] == 200,
        "the end of a long answer is shown": len(whole_run[1].get("result", {}).get("body", "")) == 4096,
        "a long answer is shown whole": output[1].get("truncated") is False,
        "an edit records what was missed": ask("PUT", f"{url}/late", body | {"schedule": YEARLY})[0] == 200,
        "an edit opens a skipped run again": (
            ask("PUT", f"{url}/again", body | {"schedule": YEARLY})[0] == 200
            and scene.state(skipped.key) is RunState.QUEUED
        ),
        "a job is deleted": ask("DELETE", f"{url}/gone")[0] == 204,
        "a job without a timer is deleted": ask("DELETE", f"{url}/lame")[0] == 204,
    }


def _text(instant: datetime) -> str:
    return instant.isoformat().replace("+00:00", "Z")


def _report(scene: Scene, ask: Callable[..., tuple[int, Any]]) -> Effects:
    """A target's report, with a result that is too long for any record, after which a job has too many runs."""
    waits = {"state": RunState.WAITING, "attempt": 1, "nonce": attempt_nonce("the attempt's"), "started_at": scene.now}
    due = scene.now + DAY
    run, trimmed = scene.crowded("reported", **waits, lease_until=due, deadline_at=due)
    said = {"state": "succeeded", "result": "x" * 5000}
    path = f"/v1/callbacks/{run.job}/{run.run_id}/1/report"
    status, _ = ask("POST", path, said, headers={"Minutehand-Token": "the attempt's"})
    output = scene.bench.world.outputs.get(run, 1)
    return {
        "a report is taken": status == 200,
        "a long result is kept whole": output is not None and bool(output.place),
        **trimmed(),
    }


def asking(scene: Scene) -> Callable[..., tuple[int, Any]]:
    """Asks the API function as the gateway does: method, path, body; its answer's status and document."""

    def ask(method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> tuple[int, Any]:
        answer = scene.lab.invoke(
            "Api",
            {
                "version": "1.0",
                "resource": path,
                "path": path,
                "httpMethod": method,
                "headers": dict(headers or {}),
                "multiValueHeaders": {},
                "queryStringParameters": None,
                "requestContext": {
                    "requestId": "request",
                    "authorizer": {"token": "test", "role": "admin", "namespaces": "*"},
                },
                "body": body and json.dumps(body),
                "isBase64Encoded": False,
            },
        )
        return answer.get("statusCode", 500), json.loads(answer.get("body") or "{}")

    return ask


def authorizer(scene: Scene) -> Effects:
    """A request with the admin token."""
    header = f"Bearer {scene.bench.record.token}"
    arn = "arn:aws:execute-api:us-east-1:000000000000:api/prod/GET/v1/health"
    answer = scene.lab.invoke("Authorizer", {"type": "TOKEN", "authorizationToken": header, "methodArn": arn})
    return {"a token is known": answer.get("principalId") == "admin"}


def seed(scene: Scene) -> Effects:
    """An update of the stack."""
    with _listening() as service:
        event = {"RequestType": "Update", "ResponseURL": f"{service.url}/answer", "StackId": "stack"}
        scene.lab.invoke("Seed", event | {"RequestId": "request", "LogicalResourceId": "AdminToken"})
        [call] = service.calls
    return {"the admin token is stored": json.loads(call["body"])["Status"] == "SUCCESS"}


@contextmanager
def _listening() -> Any:
    with EchoServer(0) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


EXERCISES: dict[str, Callable[[Scene], Effects]] = {
    "Tick": tick,
    "HttpWorker": http_worker,
    "Drain": drain,
    "Sweep": sweep,
    "Api": api,
    "Authorizer": authorizer,
    "Seed": seed,
}
