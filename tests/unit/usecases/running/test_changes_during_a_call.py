"""Edits during a long call count for its follow-up, and a run that waits long is not sent again and again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On
from minutehand.domain.run import RunState
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, MINUTE, at, job
from tests.unit.usecases.stage import SUCCESS, Stage

CHILD = JobKey("shop", "mail")
TAKEN_ON = Outcome(state=RunState.WAITING)


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def test_a_dependency_added_during_a_long_call_counts_for_its_end(stage: Stage) -> None:
    stage.save()
    stage.at("09:01").tick()

    def call(_: Call) -> Outcome:
        stage.at("09:01:20").save(job("@manual", key=CHILD, depends_on=(Dependency(KEY, On.SUCCESS),)))
        stage.at("09:01:40")
        return SUCCESS

    stage.work(call)
    assert [key.job for key in stage.state.runs if key.job == CHILD] == [CHILD]


def test_a_fixed_delay_edited_during_a_long_call_counts_from_its_end(stage: Stage) -> None:
    stage.save(schedule="@after 12h")
    stage.put(replace(stage.state.timers[KEY], next_at=at("09:01"), outstanding=at("09:01")))
    stage.at("09:01").tick()

    def call(_: Call) -> Outcome:
        stage.at("09:01:20").save(schedule="@after 10m")
        stage.at("09:01:40")
        return SUCCESS

    stage.work(call)
    assert stage.next_at() == at("09:11:40")


def test_after_a_short_call_the_definition_is_not_read_again(stage: Stage) -> None:
    stage.save()
    stage.at("09:01").tick()
    before = stage.definitions.calls["get"]
    stage.work()
    assert stage.definitions.calls["get"] == before


def test_an_outstanding_run_that_waits_for_its_answer_is_not_sent_again(
    stage: Stage,
) -> None:
    later = HttpTarget(method="GET", url="https://shop.test/", mode=Mode.CALLBACK, heartbeat=20 * MINUTE)
    stage.save(schedule="@after 1m", target=later, timeout=timedelta(hours=5))
    stage.at("09:01").tick()
    stage.work(lambda _: TAKEN_ON)
    there = len(stage.state.messages)
    stage.at("09:12").tick()
    assert len(stage.state.messages) == there
    assert stage.next_at() > at("09:20"), "it looks again later"


def test_an_outstanding_run_that_is_overdue_is_sent_again(stage: Stage) -> None:
    later = HttpTarget(method="GET", url="https://shop.test/", mode=Mode.CALLBACK)
    stage.save(schedule="@after 1m", target=later, timeout=5 * MINUTE)
    stage.at("09:01").tick()
    stage.work(lambda _: TAKEN_ON)
    stage.state.messages.clear()
    stage.at("09:12").tick()
    assert len(stage.state.messages) == 1


def test_an_unsent_child_run_of_a_deleted_job_ends(stage: Stage) -> None:
    stage.save()
    stage.save(job("@manual", key=CHILD, depends_on=(Dependency(KEY, On.SUCCESS),)))
    stage.at("09:01").tick()
    stage.picky.refuses = lambda message: message.run.job == CHILD
    [handled] = stage.work()
    assert not handled.deletable
    [orphan] = [key for key in stage.state.runs if key.job == CHILD]
    stage.picky.refuses = lambda _: False
    manage.delete(stage.ports, CHILD, who=Actor("ada"))
    stage.now += 2 * MINUTE
    stage.tick()
    stage.work()
    assert stage.state.runs[orphan].state is RunState.SKIPPED
