"""What the hot path costs in DynamoDB, in the servers' own counting: items under 1 KB, so that a write is one unit a place.

A batch of statements is not counted index by index by either server, so for claims and advances the same write is made
once more as a single operation, which is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.domain.run import Result, RunError, RunState
from minutehand.domain.run_entry import entries_of
from minutehand.domain.transitions import MOVES
from minutehand.usecases.ports.stores import Move
from tests.contract.examples import HOUR, MINUTE, NINE, SECOND, creation, run_at, started, timer_of
from tests.contract.stores import dynamodb_client, in_dynamodb
from tests.unit.usecases.stage import Stage

_COUNTED = ("PutItem", "UpdateItem")


@pytest.fixture
def meter(server):
    """Stores whose calls are counted, by operation, and the write units of single operations beside them."""
    client = dynamodb_client(server.client.meta.endpoint_url)
    calls: Counter[str] = Counter()
    units: list[float] = []
    for operation in _COUNTED:
        client.meta.events.register(
            f"provide-client-params.dynamodb.{operation}",
            lambda params, **_: params | {"ReturnConsumedCapacity": "INDEXES"},
        )
        client.meta.events.register(
            f"after-call.dynamodb.{operation}",
            lambda parsed, **_: units.extend(c["CapacityUnits"] for c in [parsed.get("ConsumedCapacity")] if c),
        )
    client.meta.events.register("before-call.dynamodb", lambda model, **_: calls.update([model.name]))
    return client, in_dynamodb(client, server.jobs_table, server.runs_table), calls, units


def test_a_claim_alone_costs_two_units_one_for_the_run_and_one_for_its_hour(server, meter, job):
    client, stores, _, units = meter
    stores.runs.claim([run_at(job)])
    key = {"job": {"S": str(job)}, "run_id": {"S": run_at(job).key.run_id}}
    item = client.get_item(TableName=server.runs_table, Key=key)["Item"]
    client.delete_item(TableName=server.runs_table, Key=key)
    client.put_item(TableName=server.runs_table, Item=item)
    assert units == [2]


def test_claims_together_cost_one_unit_each_and_one_for_their_entry(server, meter, jobs):
    client, stores, _, units = meter
    runs = [run_at(job) for job in jobs(40)]
    [(entry, named)] = entries_of(runs)
    assert len(named) == 40
    stores.runs.enter([entry])
    stores.runs.claim([replace(run, entry=entry.id) for run in runs])
    places = [
        {"job": {"S": f"ENTRIES#{entry.namespace}#2026112009"}, "run_id": {"S": f"20261120T0900#{entry.id}"}},
        {"job": {"S": str(runs[7].key.job)}, "run_id": {"S": runs[7].key.run_id}},
    ]
    for key in places:
        item = client.get_item(TableName=server.runs_table, Key=key)["Item"]
        client.delete_item(TableName=server.runs_table, Key=key)
        client.put_item(TableName=server.runs_table, Item=item)
    assert units == [1, 1]


def test_an_advance_costs_three_units_one_for_the_timer_and_two_for_its_new_place_in_the_index(server, meter, job):
    client, stores, _, units = meter
    stores.definitions.save(creation(job))
    stores.timers.advance([Move(job=job, revision=1, old=NINE, new=NINE + MINUTE)])
    before = len(units)
    client.update_item(
        TableName=server.jobs_table,
        Key={"pk": {"S": f"JOB#{job}"}, "sk": {"S": "TIMER"}},
        UpdateExpression="SET next_at = :new",
        ExpressionAttributeValues={":new": {"S": "2026-11-20T10:00:00Z"}},
    )
    assert units[before:] == [3]


def test_an_advance_of_a_packed_timer_costs_one_unit(server, meter, job):
    client, stores, _, units = meter
    stores.definitions.save(creation(job)._replace(timer_after=timer_of(job, packed=True)))
    stores.timers.advance([Move(job=job, revision=1, old=NINE, new=NINE + MINUTE, packed=True)])
    before = len(units)
    client.update_item(
        TableName=server.jobs_table,
        Key=keys.timer(job, packed=True),
        UpdateExpression="SET next_at = :new",
        ExpressionAttributeValues={":new": {"S": "2026-11-20T10:00:00Z"}},
    )
    assert units[before:] == [1]


def test_moving_a_timer_to_another_shard_costs_three_units_too(server, meter, job):
    client, stores, _, units = meter
    stores.definitions.save(creation(job))
    before = len(units)
    client.update_item(
        TableName=server.jobs_table,
        Key={"pk": {"S": f"JOB#{job}"}, "sk": {"S": "TIMER"}},
        UpdateExpression="SET due_shard = :new",
        ExpressionAttributeValues={":new": {"S": "254"}},
    )
    assert units[before:] == [3]


def test_a_start_and_a_report_cost_one_unit_each(meter, job):
    _, stores, _, units = meter
    run = run_at(job)
    stores.runs.claim([run])
    running = stores.runs.move(run, started(run))
    result = Result(type="http", status=200, body="x" * 256)
    stores.runs.move(running, replace(running, state=RunState.SUCCEEDED, finished_at=NINE + SECOND, result=result))
    assert units == [1, 1]


def test_a_failure_costs_one_unit_more_for_the_attention_index(meter, job):
    _, stores, _, units = meter
    run = run_at(job)
    stores.runs.claim([run])
    error = RunError(type="HttpError", message="x" * 256)
    running = stores.runs.move(run, started(run))
    stores.runs.move(running, replace(running, state=RunState.FAILED, finished_at=NINE + SECOND, error=error))
    assert units == [1, 2]


def test_sixty_claims_are_three_calls_and_so_are_sixty_advances(meter, jobs):
    _, stores, calls, _ = meter
    wanted = jobs(60)
    stores.runs.claim([run_at(job) for job in wanted])
    stores.timers.advance([Move(job=job, revision=1, old=NINE, new=NINE + HOUR) for job in wanted])
    assert calls == {"BatchExecuteStatement": 6}


def test_a_start_that_lost_needs_no_further_read(meter, job):
    _, stores, calls, _ = meter
    run = run_at(job)
    stores.runs.claim([run])
    stores.runs.move(run, started(run))
    calls.clear()
    assert stores.runs.move(run, started(run, nonce="worker-2")) == started(run)
    assert calls == {"UpdateItem": 1}


def test_only_failed_runs_are_in_the_attention_index(server, meter, job):
    client, stores, _, _ = meter
    ends = {state: run_at(job, NINE + number * SECOND) for number, state in enumerate(RunState)}
    for state, run in ends.items():
        active = replace(run, state=next(before for before in RunState if state in MOVES[before]))
        stores.runs.claim([active])
        stores.runs.move(active, replace(active, state=state, finished_at=NINE + HOUR, resends=1))
    found = client.query(
        TableName=server.runs_table,
        IndexName="attention",
        KeyConditionExpression="attention = :namespace",
        ExpressionAttributeValues={":namespace": {"S": job.namespace}},
    )["Items"]
    assert {item["run_id"]["S"] for item in found} == {
        ends[state].key.run_id for state in (RunState.FAILED, RunState.TIMED_OUT, RunState.LOST)
    }


def test_a_plain_run_is_six_calls_whatever_other_jobs_may_use(meter, job):
    _, stores, calls, units = meter
    stage = Stage("08:00")
    ports = ("timers", "definitions", "runs", "outputs", "calendars", "permits", "backfills", "namespaces")
    stage.ports = stage.ports._replace(**{name: getattr(stores, name) for name in ports})
    stage.save(key=job, schedule="0 10 * * *")
    stage.prove(job)
    timer = stores.timers.get(job)
    calls.clear()
    units.clear()
    stage.at("09:59").dispatch(timer)
    assert calls == {"BatchExecuteStatement": 2}  # claim and advance
    [handled] = stage.at("10:00:01").work()
    assert handled.run.state is RunState.SUCCEEDED
    assert calls == {"BatchExecuteStatement": 2, "BatchGetItem": 2, "UpdateItem": 2}
    assert units == [1, 1]  # start and report
