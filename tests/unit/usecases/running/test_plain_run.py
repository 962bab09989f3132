"""A feature that a job does not use costs nothing: the requests of a plain run."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.adapters.sharding import BUCKETS
from minutehand.domain.policies import Backoff, Retry
from minutehand.usecases.running.slow_calls import SlowCalls
from tests.unit.usecases.stage import SHARDS, Stage

PORTS = (
    "timers",
    "definitions",
    "runs",
    "outputs",
    "calendars",
    "permits",
    "backfills",
    "namespaces",
    "outbox",
    "inbox",
)
ASKED = {
    "timers": {"due": SHARDS, "due_packed": BUCKETS, "record_tick": 1, "advance": 1},
    "definitions": {"governing": 1},
    "runs": {"claim": 1, "get": 1, "move": 2},
    "outbox": {"send": 1},
    "inbox": {"hide": 1},
}
"""Claim, send, advance; then read, hide, start and report."""


def asked_by_a_run(stage: Stage) -> dict[str, dict[str, int]]:
    """The calls of each port for the next occurrence of a job in the quick lane, from the tick to the report."""
    for name in PORTS:
        getattr(stage, name).calls.clear()
    stage.tick()
    stage.at("10:00:01").execute(stage.receive(), slow_calls=SlowCalls())
    run = stage.run("10:00:00")
    assert run is not None
    assert run.state.value == "succeeded"
    return {name: dict(calls) for name in PORTS if (calls := getattr(stage, name).calls)}


def test_a_plain_run_asks_for_a_claim_an_advance_a_start_and_a_report():
    stage = Stage("09:00")
    stage.save(schedule="0 10 * * *")
    stage.prove()
    assert asked_by_a_run(stage.at("09:59")) == ASKED


@pytest.mark.parametrize(
    "policies",
    [
        {"retry": Retry(max_attempts=5, backoff=Backoff(initial=timedelta(hours=1)))},
        {"run_timeout": timedelta(hours=1)},
        {"takeovers": 0, "misfire_grace": timedelta(minutes=1), "max_catch_up": 1},
        {"join_window": timedelta(hours=1)},
        {"timeout": timedelta(minutes=14)},
    ],
    ids=", ".join,
)
def test_a_policy_that_does_not_apply_costs_nothing(policies):
    stage = Stage("09:00")
    stage.save(schedule="0 10 * * *", **policies)
    stage.prove()
    assert asked_by_a_run(stage.at("09:59")) == ASKED


def test_ten_runs_of_a_batch_are_read_together():
    stage = Stage("09:00")
    stage.save(schedule="* * * * *")
    for name in PORTS:
        getattr(stage, name).calls.clear()
    stage.at("09:01").tick()
    stage.at("09:04")
    assert len(stage.work()) > 1
    assert stage.definitions.calls["governing"] == 1
    assert stage.runs.calls["get"] == 1
    assert stage.permits.calls.total() + stage.outputs.calls.total() + stage.backfills.calls.total() == 0
