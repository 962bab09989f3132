"""Units that runs record over real stores; calls of other jobs do not request them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import pytest

from minutehand.adapters.dynamodb.calls.metering import DynamoMeter, item_size
from minutehand.adapters.dynamodb.codecs import run_codec
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Overlap, Retry
from minutehand.domain.run import Result, Run, RunError, RunState, Usage
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.stores import Runs
from minutehand.usecases.ports.target import Call, Outcome
from tests.contract.stores import dynamodb_client, in_dynamodb
from tests.unit.domain.examples import at
from tests.unit.usecases.stage import SUCCESS, Stage

BROKEN = Outcome(RunState.FAILED, error=RunError("ConnectionRefused", "nobody listens at example.com:443"))
OUTPUT = Outcome(RunState.SUCCEEDED, result=Result("http", 200, "x" * 2000))
ASKS = "ReturnConsumedCapacity"


class Bench(NamedTuple):
    """A stage over a server's stores, all that its client has sent, and what another client does with the same runs."""

    stage: Stage
    sent: list[dict[str, Any]]
    elsewhere: Runs

    def due(self, job: JobKey, **fields: Any) -> None:
        """A run of a job that is due at ten."""
        self.stage.at("08:00").save(key=job, schedule="0 10 * * *", **fields)
        self.stage.prove(job)
        self.stage.at("09:59").dispatch(self.stage.ports.timers.get(job))

    def run(self, job: JobKey, *calls: Callable[[Call], Outcome], **fields: Any) -> Run:
        """The same, whose attempts end like this, ten minutes apart."""
        self.due(job, **fields)
        self.sent.clear()
        for turn, call in enumerate(calls or (answers(SUCCESS),)):
            self.stage.at(f"10:{turn}0:01").work(call)
        return self.there(job)

    def there(self, job: JobKey) -> Run:
        """The run as stored."""
        key = RunKey.scheduled(job, at("10:00"))
        return self.stage.ports.runs.get([key])[key]


@pytest.fixture
def bench(server):
    client = dynamodb_client(server.client.meta.endpoint_url)
    stores = in_dynamodb(client, server.jobs_table, server.runs_table)
    stage = Stage("08:00")
    ports = ("timers", "definitions", "runs", "outputs", "calendars", "permits", "backfills", "namespaces")
    stage.ports = stage.ports._replace(**{name: getattr(stores, name) for name in ports})
    stage.meter = cache(lambda: DynamoMeter(client))
    sent: list[dict[str, Any]] = []
    client.meta.events.register("before-call.dynamodb", lambda params, **_: sent.append(json.loads(params["body"])))
    return Bench(stage, sent, in_dynamodb(server.client, server.jobs_table, server.runs_table).runs)


def answers(outcome: Outcome) -> Callable[[Call], Outcome]:
    return lambda _: outcome


def test_a_plain_run_notes_seven_write_units_and_three_read_units(bench, job):
    assert bench.run(job, record_units=True).units == Usage(write=7, read=3, calls=4, messages=4)


@pytest.mark.parametrize(
    ("outcomes", "fields", "write"),
    [
        ([BROKEN], {}, 8),
        ([BROKEN, SUCCESS], {"retry": Retry(max_attempts=2)}, 9),
        ([OUTPUT], {}, 10),
        ([SUCCESS], {"overlap": Overlap.QUEUE_ALL}, 10),
        ([SUCCESS], {"max_concurrency": 1}, 10),
    ],
    ids=["a failure", "a retry", "an output of 2 KB and its keys", "the lock", "a slot"],
)
def test_the_further_units_of_a_run_are_measured_as_documented(bench, job, outcomes, fields, write):
    run = bench.run(job, *map(answers, outcomes), record_units=True, **fields)
    assert run.units is not None
    assert run.units.write == write


def test_a_record_that_has_grown_costs_more_as_it_is_read_and_written(bench, job):
    retry = Retry(max_attempts=10)
    run = bench.run(job, *[answers(BROKEN)] * 5, answers(SUCCESS), retry=retry, record_units=True)
    assert (run.attempt, item_size(run_codec.encode(run)) > 1024) == (6, True)
    assert run.units is not None
    assert run.units.write > 5 + 2 * 6


def test_a_refused_write_is_counted_as_if_it_had_been_made(bench, job):
    def call(made: Call) -> Outcome:
        bench.elsewhere.move(made.run, replace(made.run, cancelled_by="ada"))
        return SUCCESS

    run = bench.run(job, call, record_units=True)
    assert (run.state, run.cancelled_by) == (RunState.SUCCEEDED, "ada")
    assert run.units == Usage(write=8, read=3, calls=5, messages=4)


def test_a_job_without_record_units_sends_no_request_for_capacity(bench, job):
    def never() -> DynamoMeter:
        raise AssertionError("no job asks for what its runs use")

    bench.stage.meter = never
    run = bench.run(job)
    assert (run.state, run.units) == (RunState.SUCCEEDED, None)
    assert len(bench.sent) == 5
    assert not [sent for sent in bench.sent if ASKS in sent or "units" in json.dumps(sent)]


def test_a_job_without_record_units_sends_none_beside_one_with_it(bench, jobs):
    asks, plain = jobs(2)
    bench.due(asks, record_units=True)
    bench.due(plain)
    bench.sent.clear()
    bench.stage.at("10:00:01").work()
    assert bench.there(asks).units == Usage(write=7, read=2.5, calls=3, messages=2)
    assert bench.there(plain).units is None
    moves = [sent for sent in bench.sent if "UpdateExpression" in sent]
    assert len(moves) == 4  # start and report, of both
    assert all((sent["Key"]["job"]["S"] == str(asks)) == (sent.get(ASKS) == "TOTAL") for sent in moves)


def test_a_plain_run_s_record_stays_well_below_1_kb(bench, job):
    run = bench.run(job, record_units=True)
    noted = item_size(run_codec.encode(run)) - item_size(run_codec.encode(replace(run, units=None)))
    assert (noted < 64, item_size(run_codec.encode(run)) < 640) == (True, True)
