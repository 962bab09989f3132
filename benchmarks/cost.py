"""What an occurrence costs: capacity units and calls, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import stack
from benchmarks.meter import Meter, Usage
from benchmarks.scene import LOOK_AHEAD, MINUTE, NINE, SECOND, SHARDS, Scene, job, scene, store
from benchmarks.sizes import item_size
from benchmarks.table import Cell, Table, within
from benchmarks.worker import answers, without_delay, work
from minutehand.domain.instants import to_compact
from minutehand.domain.job import JobKey
from minutehand.domain.run import Result, RunError, RunState
from minutehand.usecases import manage
from minutehand.usecases.ports import Outcome
from minutehand.usecases.tick import tick
from minutehand.usecases.trigger import trigger

if TYPE_CHECKING:
    from collections import Counter

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient

    from minutehand.domain.job import Job

TICKS = 5
AT_ONCE = 240
"""Occurrences that each tick finds: enough to fill most batches of 8 shards."""
MOST_SQS = 0.35
_SCHEDULES = {1: "* * * * *", 2: "@every 30s", 4: "@every 15s", 6: "@every 10s", 12: "@every 5s"}
_WRITTEN = ("claim", "advance", "start", "report")


@dataclass(frozen=True, kw_only=True)
class Metered:
    """A scene whose clients are watched."""

    scene: Scene
    meter: Meter
    sqs: SQSClient
    plain: DynamoDBClient

    def tick(self) -> int:
        """Tick once; how many messages it sent."""
        tally = tick(self.scene.world, shards=SHARDS, time_left=lambda: timedelta(minutes=1))
        if tally.problems or tally.claimed != tally.sent:
            raise RuntimeError(f"the tick did not go as it should: {tally}")
        return tally.sent

    def take(self) -> Usage:
        """What was used since the last time.

        Raises:
            RuntimeError: when a call or a statement failed; nobody competes here, so none may.
        """
        if self.meter.failures:
            raise RuntimeError(f"calls failed: {self.meter.failures[:3]}")
        return self.meter.take()


class Costs:
    """All the tables of this question, over one MiniStack."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._plain = stack.dynamodb(url)
        self._queues = 0
        self._operations: Counter[str] | None = None

    def tables(self) -> list[Table]:
        """Measure, and tell."""
        usages = {k: self._per_tick(k) for k in _SCHEDULES}
        return [_units(usages), _calls(usages), self._by_load(), self._others(), self._idle(), self._scans()]

    def _metered(self, jobs: Sequence[Job]) -> Metered:
        jobs_table, runs_table = stack.empty_tables(self._plain)
        store(self._plain, jobs_table, jobs)
        dynamodb, sqs = stack.dynamodb(self._url), stack.sqs(self._url)
        without_delay(sqs)
        self._queues += 1
        queue = sqs.create_queue(QueueName=f"benchmark-{self._queues}")["QueueUrl"]
        meter = Meter(self._plain)
        if self._operations is not None:
            meter.operations = self._operations
        self._operations = meter.operations
        meter.watch(dynamodb)
        meter.watch(sqs)
        given = scene(dynamodb, sqs, jobs_table=jobs_table, runs_table=runs_table, queue=queue)
        return Metered(scene=given, meter=meter, sqs=sqs, plain=self._plain)

    def _per_tick(self, k: int) -> list[Usage]:
        """What each of some ticks and the work that follows it use, for jobs due k times in each."""
        return self._worked([job(f"report-{n:04d}", _SCHEDULES[k]) for n in range(AT_ONCE // k)], occurrences=AT_ONCE)

    def _worked(self, jobs: Sequence[Job], *, occurrences: int, ticks: int = TICKS) -> list[Usage]:
        metered = self._metered(jobs)
        usages = []
        for minute in range(ticks):
            metered.scene.clock.now = NINE + minute * MINUTE
            sent = metered.tick()
            if sent != occurrences:
                raise RuntimeError(f"{sent} occurrences were sent instead of {occurrences}")
            metered.scene.clock.now += LOOK_AHEAD + SECOND
            work(metered.scene, metered.sqs, messages=sent)
            usages.append(metered.take())
        return usages

    def _by_load(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for load in (1, 10, 50, AT_ONCE):
            jobs = [job(f"report-{n:04d}", "* * * * *") for n in range(load)]
            usages = self._worked(jobs, occurrences=load)
            steps = (("claim", "advance"), ("send",), ("receive", "delete"))
            calls = [median(sum(one.calls[step] for step in together) / load for one in usages) for together in steps]
            rows.append((load, *calls, calls[1] + calls[2]))
        return Table(
            title="Calls per occurrence, by how many are due in the same minute",
            columns=("due together", "claim and advance", "send", "receive and delete", "SQS outside the worker"),
            rows=tuple(rows),
            notes=("Few that are due together cannot fill a batch, over 8 shards least of all: for information.",),
        )

    def _others(self) -> Table:
        cases: dict[str, Callable[[Metered, Job], None]] = {
            "a run, from claim to report": _run,
            "a run that fails": _failing,
            "a run whose answer has 4 KB": _long,
            "a trigger, from the request to the report": _trigger,
            "a new job (its namespace is new too)": _create,
            "an edit of its target": _edit,
            "an edit of its schedule": _reschedule,
            "a pause": _pause,
            "a deletion": _delete,
        }
        rows: list[tuple[Cell, ...]] = []
        for name, do in cases.items():
            one = job("report", "* * * * *")
            metered = self._metered([] if do is _create else [one])
            do(metered, one)
            used = metered.take()
            for step in ("tick's row", "due"):
                used.writes[step] = used.reads[step] = 0
            calls = sum(n for step, n in used.calls.items() if step not in ("tick's row", "due", "receive", "delete"))
            rows.append((name, float(used.writes.total()), float(used.reads.total()), calls))
        return Table(
            title="Units of what else happens",
            columns=("what", "write units", "read units", "calls"),
            rows=tuple(rows),
            notes=(
                "The tick's own row and its look at the index are left out (see the idle stack), and so are the calls by which "
                "Lambda fetches and deletes messages; `hide` and `send` are among the calls.",
                "A write in a transaction is two units a KB, as MiniStack tells it; entries of indexes are one.",
            ),
        )

    def _idle(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        yearly = [job(f"report-{n:04d}", "0 0 1 1 *") for n in range(500)]
        for name, jobs in (("no jobs", []), ("500 jobs, none of them due", yearly)):
            metered = self._metered(jobs)
            usages = []
            for minute in range(TICKS):
                metered.scene.clock.now = NINE + minute * MINUTE
                metered.tick()
                usages.append(metered.take())
            rows.append(
                (
                    name,
                    median(float(one.reads.total()) for one in usages),
                    median(float(one.writes.total()) for one in usages),
                    median(one.calls.total() for one in usages),
                )
            )
        return Table(
            title="Units of a tick that finds nothing due",
            goal="reading is proportional to what is due, not to what exists",
            holds=rows[0][1:] == rows[1][1:],
            columns=("stack", "read units", "write units", "calls"),
            rows=tuple(rows),
            notes=("One query a shard (8), and one row a minute that says the tick was here.",),
        )

    def _scans(self) -> Table:
        operations = self._operations or {}
        return Table(
            title="Operations that were called in all of this",
            goal="no Scan",
            holds=operations.get("Scan", 0) == 0,
            columns=("operation", "calls"),
            rows=tuple(sorted(operations.items())),
        )


def _units(usages: dict[int, list[Usage]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    holds = True
    for k, used in usages.items():
        steps = [median(one.writes[step] / AT_ONCE for one in used) for step in _WRITTEN]
        total = median(sum(one.writes[step] for step in _WRITTEN) / AT_ONCE for one in used)
        most = 4 + 3 / k
        reads = [median(one.reads[step] / AT_ONCE for one in used) for step in ("due", "worker's reads")]
        holds &= within(total, most)
        rows.append((k, _SCHEDULES[k], *steps, total, most, within(total, most), *reads))
    return Table(
        title="Capacity units per occurrence",
        goal="write units ≤ 7.0 for a job due once in a tick, and ≤ 4 + 3/k for one due k times, all indexes included",
        holds=holds,
        columns=("k", "schedule", *_WRITTEN, "written", "goal", "holds", "read: due", "read: worker"),
        rows=tuple(rows),
        notes=(
            f"Medians of {TICKS} ticks with {AT_ONCE} occurrences each, a minute apart: tick, worker with a stub for a target, report.",
            "From `ReturnConsumedCapacity=INDEXES` on MiniStack. It does not count batches of statements by index, so their writes are "
            "made once more one by one, from the same items to the same items, and those are counted. Reads are weighed by DynamoDB's "
            "published rules, since MiniStack counts them without regard to size.",
            "DynamoDB Local reports no consumed capacity for batches of statements at all, so it cannot be asked.",
            "The tick's own row, one unit a minute whatever is due, is not in here: see the idle stack.",
        ),
    )


def _calls(usages: dict[int, list[Usage]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    holds = True
    steps = ("claim", "advance", "start", "report", "due", "worker's reads", "send", "receive", "delete", "hide")
    for k, used in usages.items():
        calls = {step: median(one.calls[step] / AT_ONCE for one in used) for step in steps}
        outside = median(sum(one.calls[step] for step in ("send", "receive", "delete")) / AT_ONCE for one in used)
        holds &= within(outside, MOST_SQS)
        rows.append((k, *calls.values(), outside))
    return Table(
        title="Calls per occurrence",
        goal=f"SQS calls outside the worker (send, receive, delete) ≤ {MOST_SQS}",
        holds=holds,
        columns=("k", *steps, "SQS outside the worker"),
        rows=tuple(rows),
        notes=(
            f"{AT_ONCE} occurrences a tick, over {SHARDS} shards. `receive` and `delete` are Lambda's poller's, in batches of 10; its "
            "empty receives, which a queue costs whether anything runs or not, are not counted. `hide` is the worker's own.",
        ),
    )


def _run(metered: Metered, _: Job) -> None:
    _worked_off(metered, Outcome(state=RunState.SUCCEEDED, result=Result(type="http", status=200, body="{}")))


def _failing(metered: Metered, _: Job) -> None:
    error = RunError(type="HttpError", message="the answer's status was 500")
    result = Result(type="http", status=500, body="no such ledger")
    _worked_off(metered, Outcome(state=RunState.FAILED, result=result, error=error))


def _long(metered: Metered, _: Job) -> None:
    _worked_off(metered, Outcome(state=RunState.SUCCEEDED, result=Result(type="http", status=200, body="x" * 4096)))


def _worked_off(metered: Metered, outcome: Outcome) -> None:
    sent = metered.tick()
    metered.scene.clock.now += LOOK_AHEAD + SECOND
    work(metered.scene, metered.sqs, messages=sent, target=answers(outcome))


def _trigger(metered: Metered, one: Job) -> None:
    trigger(metered.scene.world, one.key, idempotency_key="once")
    metered.scene.clock.now += SECOND
    work(metered.scene, metered.sqs, messages=1)


def _create(metered: Metered, one: Job) -> None:
    manage.save(metered.scene.world, replace(one, schedule="0 12 * * *"), keep_paused=True, who="benchmark")


def _edit(metered: Metered, one: Job) -> None:
    changed = replace(one, target=replace(one.target, method="PUT"))
    manage.save(metered.scene.world, changed, keep_paused=True, who="benchmark")


def _reschedule(metered: Metered, one: Job) -> None:
    manage.save(metered.scene.world, replace(one, schedule="0 12 * * *"), keep_paused=True, who="benchmark")


def _pause(metered: Metered, one: Job) -> None:
    manage.pause(metered.scene.world, one.key, who="benchmark")


def _delete(metered: Metered, one: Job) -> None:
    manage.delete(metered.scene.world, one.key, who="benchmark")
