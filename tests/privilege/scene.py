"""What an exercise has: a namespace of its own on the deployed stack, and all that is stored of it."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import whole
from minutehand.adapters.sharding import shard_of
from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.instants import floor
from minutehand.domain.job import Job, JobKey
from minutehand.domain.occurrence_rule import OccurrenceRule
from minutehand.domain.run import Run, RunKey, RunState
from minutehand.domain.timer import Timer
from minutehand.schedule import Schedule
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.definitions import manage
from tests.privilege.lab import Bench, Lab

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
        for definition in self.bench.ports.definitions.page(self.namespace, 100, None).items:
            self.delete(keys.timer(definition.job.key))
        self.delete(keys.namespace(self.namespace))

    def job(self, name: str, schedule: str = YEARLY, *, path: str = "", **fields: Any) -> JobKey:
        """A job that calls the echo service; saved with no effect on any queue, but for the first run of a fixed delay."""
        target = HttpTarget(method="POST", url=self.bench.record.echo_url + path)
        key = JobKey(namespace=self.namespace, name=name)
        saved = schedule if schedule.startswith("@after") else YEARLY
        job = Job(key=key, schedule=saved, target=target, timeout=timedelta(seconds=5), **fields)
        manage.save(self.bench.ports, job, keep_paused=False, who="test")
        if schedule != saved:
            timer = self.bench.ports.timers.get(key)
            assert isinstance(timer, Timer)
            self.put(timer_codec.encode(replace(timer, rule=Schedule.parse(schedule).encode()), shards=8))
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
        self.bench.ports.calendars.save(None, calendar)
        job = self.job(name, calendars=("open",))
        rule = OccurrenceRule(schedule=Schedule.parse(OFTEN), calendars=("open",))
        timer = self.bench.ports.timers.get(job)
        assert isinstance(timer, Timer)
        self.put(timer_codec.encode(replace(timer, rule=rule.encode()), shards=8))
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
        self.bench.ports.runs.claim([run])
        return run

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
        found = self.bench.ports.runs.get([run]).get(run)
        return found and found.state

    def next_at(self, job: JobKey) -> datetime:
        """Where a job's timer stands."""
        timer = self.bench.ports.timers.get(job)
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
