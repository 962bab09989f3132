"""A namespace on the deployed stack for one exercise."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import whole
from minutehand.adapters.sharding import shard_of
from minutehand.domain.actor import Actor
from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.instants import floor
from minutehand.domain.job import Job, Target
from minutehand.domain.job_key import JobKey
from minutehand.domain.lanes import SLOW
from minutehand.domain.occurrence_rule import OccurrenceRule
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Timer
from minutehand.schedule import Schedule
from minutehand.targets.command.fields import CommandTarget
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.definitions import manage
from tests.privilege.runners import Bench, FunctionRunner

YEARLY = "0 0 1 1 *"
OFTEN = "*/10 * * * * *"
DAY = timedelta(days=1)
COMMAND = CommandTarget(pool="web", command="true")


class Scene:
    """Prepares jobs and runs in a namespace of its own, and reads what became of them.

    Attributes:
        worker: the worker that calls the targets of its jobs, or has agents run their commands.
    """

    def __init__(self, bench: Bench, runner: FunctionRunner, worker: str = "http") -> None:
        self.bench = bench
        self.worker = worker
        self.runner = runner
        self.namespace = f"test-{uuid.uuid4().hex[:12]}"
        self.now = floor(datetime.now(UTC))

    def clear(self) -> None:
        """Delete the timers, so that ticks and sweeps of other scenes find nothing due."""
        for definition in self.bench.ports.definitions.page(self.namespace, 100, None).items:
            for packed in (False, True):
                self.delete(keys.timer(definition.job.key, packed=packed))
        self.delete(keys.namespace(self.namespace))

    def job(
        self, name: str, schedule: str = YEARLY, *, path: str = "", timeout: timedelta = SLOW, **fields: Any
    ) -> JobKey:
        """Save a job that calls the echo service, or of the worker `aws` a function that answers its payload. It sends no message, except
        for the first run of a fixed delay. With a longer `timeout` it is in the slow lane."""
        target = fields.pop("target", None) or self._target(path)
        if path and self.worker == "aws":
            fields["payload"] = "fail"
        key = JobKey(namespace=self.namespace, name=name)
        saved = schedule if schedule.startswith("@after") else YEARLY
        job = Job(key=key, schedule=saved, target=target, timeout=timeout, **fields)
        manage.save(self.bench.ports, job, keep_paused=False, who=Actor("test"))
        if schedule != saved:
            timer = self.bench.ports.timers.get(key)
            assert isinstance(timer, Timer)
            self.put(timer_codec.encode(replace(timer, rule=Schedule.parse(schedule).encode()), shards=8))
        return key

    def _target(self, path: str) -> Target:
        if self.worker == "http":
            return HttpTarget(method="POST", url=self.bench.record.echo_url + path)
        return COMMAND if self.worker == "agents" else self.bench.targets.of("lambda")

    def job_with_calendar(self, name: str, next_at: datetime) -> JobKey:
        """Save a job with a calendar that blocks nothing."""
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
        self.bench.ports.calendars.save(None, calendar)
        job = self.job(name, calendars=("open",))
        rule = OccurrenceRule(schedule=Schedule.parse(OFTEN), calendars=("open",))
        timer = self.bench.ports.timers.get(job)
        assert isinstance(timer, Timer)
        self.put(timer_codec.encode(replace(timer, rule=rule.encode()), shards=8))
        self.set_next_at(job, next_at)
        return job

    def set_next_at(self, job: JobKey, instant: datetime, *, shard: int | None = None) -> None:
        """Set when a job's timer is due, and its shard if not its own."""
        due_shard = shard_of(job, 8) if shard is None else shard
        self.bench.dynamodb.update_item(
            TableName=self.bench.record.jobs_table,
            Key=keys.timer(job),
            UpdateExpression="SET next_at = :next_at, due_shard = :shard",
            ExpressionAttributeValues={":next_at": whole(instant), ":shard": {"S": str(due_shard)}},
        )

    def pack(self, job: JobKey) -> None:
        """Move a job's timer into its bucket."""
        timer = self.bench.ports.timers.get(job)
        assert isinstance(timer, Timer)
        self.put(timer_codec.encode(replace(timer, packed=True), shards=8))
        self.delete(keys.timer(job))

    def run(self, job: JobKey, instant: datetime, **fields: Any) -> Run:
        """Create a run in any state."""
        expires = self.now + DAY
        key = fields.pop("key", RunKey.scheduled(job, instant))
        target = fields.pop("target", {"http": "http", "aws": "lambda", "agents": "command"}[self.worker])
        run = Run(key=key, target=target, revision=0, claimed_at=instant, expires_at=expires, **fields)
        self.bench.ports.runs.claim([run])
        return run

    def put(self, item: Any) -> None:
        """Put an item into the Jobs table."""
        self.bench.dynamodb.put_item(TableName=self.bench.record.jobs_table, Item=item)

    def delete(self, key: Any) -> None:
        """Delete an item of the Jobs table."""
        self.bench.dynamodb.delete_item(TableName=self.bench.record.jobs_table, Key=key)

    def item(self, key: Any) -> Any:
        """An item of the Jobs table, or None."""
        return self.bench.dynamodb.get_item(TableName=self.bench.record.jobs_table, Key=key).get("Item")

    def state(self, run: RunKey) -> RunState | None:
        """A run's state, or None."""
        found = self.bench.ports.runs.get([run]).get(run)
        return found and found.state

    def next_at(self, job: JobKey) -> datetime:
        """When a job's timer is due."""
        timer = self.bench.ports.timers.get(job)
        assert timer is not None
        assert timer.next_at is not None
        return timer.next_at

    def sent(self, *, slow: bool = False, worker: str = "") -> list[dict[str, Any]]:
        """Receive the waiting messages of this scene, of the quick lane or the slow one of a worker, by default the scene's own."""
        lanes = self.bench.queues[worker or self.worker]
        found = []
        while messages := self._receive(lanes.slow if slow else lanes.quick):
            found += [json.loads(message["Body"]) | {"receipt": message["ReceiptHandle"]} for message in messages]
        return [one for one in found if one["job"].startswith(self.namespace)]

    def _receive(self, queue: str) -> Any:
        return self.bench.sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, VisibilityTimeout=3600).get(
            "Messages"
        )

    def bury(self, *runs: RunKey, worker: str = "http") -> None:
        """Put messages of these runs into the dead-letter queue of a worker."""
        for run in runs:
            body = json.dumps({"job": str(run.job), "run_id": run.run_id, "attempt": 1})
            self.bench.sqs.send_message(QueueUrl=self.bench.queues[worker].dead_letters, MessageBody=body)

    def dead_letters(self) -> int:
        """The number of dead letters of all workers, hidden ones included."""
        wanted: Any = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        found = [
            self.bench.sqs.get_queue_attributes(QueueUrl=lanes.dead_letters, AttributeNames=wanted)["Attributes"]
            for lanes in self.bench.queues.values()
        ]
        return sum(int(one[name]) for one in found for name in wanted)

    def forget_dead_letters(self) -> None:
        """Remove the dead letters of all workers."""
        for lanes in self.bench.queues.values():
            self.bench.sqs.purge_queue(QueueUrl=lanes.dead_letters)

    def records(self, *runs: RunKey, slow: bool = False) -> dict[str, Any]:
        """The event with which Lambda invokes a function for the messages of these runs, in the quick lane or the slow one."""
        lanes = self.bench.queues[self.worker]
        queue = lanes.slow if slow else lanes.quick
        for run in runs:
            body = json.dumps({"job": str(run.job), "run_id": run.run_id, "attempt": 1})
            self.bench.sqs.send_message(QueueUrl=queue, MessageBody=body)
        return {
            "Records": [
                {
                    "messageId": f"{one['job']} {one['run_id']}",
                    "receiptHandle": one.pop("receipt"),
                    "body": json.dumps(one),
                    "attributes": {},
                    "messageAttributes": {},
                    "eventSource": "aws:sqs",
                    "eventSourceARN": f"arn:aws:sqs:us-east-1:000000000000:{queue.rpartition('/')[2]}",
                }
                for one in self.sent(slow=slow)
            ]
        }
