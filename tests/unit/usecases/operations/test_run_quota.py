"""Triggers and backfills beyond a quota of runs a minute."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import RunsQuotaReached
from minutehand.domain.namespace import Namespace
from minutehand.domain.quota import Quota
from minutehand.domain.run import RunState
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec
from minutehand.usecases.operations.trigger import Triggered, trigger
from tests.unit.domain.examples import KEY, at, definition, job
from tests.unit.usecases.stage import Stage

WHO = Actor("ada")


@pytest.fixture
def stage() -> Stage:
    stage = Stage("09:00:40")
    stage.state.definitions[KEY] = replace(definition(), job=job())
    stage.state.settings["shop"] = Namespace(name="shop", quota=Quota(runs_per_minute=2), revision=1)
    return stage


def asked(stage: Stage, key: str) -> Triggered:
    return trigger(stage.ports, KEY, idempotency_key=key, who=WHO)


def test_a_trigger_beyond_the_quota_is_refused_until_the_next_minute_and_writes_nothing(stage: Stage) -> None:
    asked(stage, "one")
    asked(stage, "two")
    before = dict(stage.state.paces)
    with pytest.raises(RunsQuotaReached, match=r"lets 2 runs begin in a minute.*2026-11-20T09:01:00Z.*operator") as no:
        asked(stage, "three")
    assert no.value.wait == timedelta(seconds=20)
    assert (len(stage.state.runs), stage.state.paces) == (2, before)
    stage.at("09:01")
    assert asked(stage, "three").created


def test_an_accepted_trigger_has_its_place_and_begins_at_once(stage: Stage) -> None:
    first, second = asked(stage, "one").run, asked(stage, "two").run
    stage.at("09:00:41").work()
    assert {stage.state.runs[run.key].state for run in (first, second)} == {RunState.SUCCEEDED}
    assert stage.namespaces.calls["take_place"] == 2


def test_a_trigger_that_others_overtake_waits_for_the_next_minute(stage: Stage) -> None:
    stage.namespaces.before("take_place", lambda: [asked(stage, key) for key in ("one", "two")])
    late = asked(stage, "three").run
    assert late.place == at("09:01")
    stage.at("09:00:41").work()
    assert stage.state.runs[late.key].state is RunState.QUEUED
    stage.at("09:01:20").work()
    assert stage.state.runs[late.key].state is RunState.SUCCEEDED


def test_a_backfill_is_refused_while_no_place_is_free_and_its_runs_keep_the_pace(stage: Stage) -> None:
    spec = BackfillSpec(at("08:00"), at("08:04"), concurrency=4)
    asked(stage, "one")
    asked(stage, "two")
    with pytest.raises(RunsQuotaReached):
        backfill.start(stage.ports, KEY, spec, identity="abc", who=WHO)
    assert not stage.state.backfills
    stage.work()
    stage.at("09:01:10")
    assert backfill.start(stage.ports, KEY, spec, identity="abc", who=WHO).created
    stage.at("09:01:15").work()
    done = [run.state for key, run in stage.state.runs.items() if key.backfill]
    assert sorted(state.value for state in done) == ["queued", "queued", "succeeded", "succeeded"]
    assert not backfill.start(stage.ports, KEY, spec, identity="abc", who=WHO).created, "repeated, it is not refused"


def test_without_a_quota_a_trigger_takes_no_place(stage: Stage) -> None:
    stage.state.settings.clear()
    assert asked(stage, "one").run.place is None
    assert not stage.namespaces.calls
