"""Runs whose job got a target of another worker's type after their messages were sent."""

from __future__ import annotations

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets import TYPES
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.running.slow_calls import SlowCalls
from tests.unit.domain.examples import KEY, at, job
from tests.unit.usecases.stage import Stage

QUEUE = "arn:aws:sqs:eu-west-1:111122223333:reports"


def to_aws(target: str) -> bool:
    """Whether the worker `aws` calls a type: what a worker of http asks."""
    return target == "sqs"


@pytest.fixture
def edited() -> Stage:
    """A job whose target became a queue after its run of nine was sent to the worker of http."""
    stage = Stage("08:59:30")
    stage.save(schedule="* * * * *")
    stage.prove()
    stage.tick()
    stage.save(job(target=TYPES["sqs"].fields(queue=QUEUE)))
    return stage.at("09:00")


def first(stage: Stage) -> list[Received]:
    """The message of the run of nine."""
    [message] = [one for one in stage.receive() if one.run.run_id == "20261120T090000Z"]
    stage.state.messages.clear()
    return [message]


@pytest.mark.parametrize("slow_calls", [SlowCalls(), None], ids=["the quick lane", "the slow lane"])
def test_a_run_goes_to_the_worker_of_its_jobs_new_target(edited: Stage, slow_calls: SlowCalls | None) -> None:
    [handled] = edited.execute(first(edited), slow_calls=slow_calls, is_called_elsewhere=to_aws)
    assert (handled.deletable, handled.moved, handled.started) == (True, True, False)
    [message] = edited.state.messages
    assert (message.target, message.slow, message.run.run_id) == ("sqs", False, "20261120T090000Z")
    assert edited.run("09:00").state is RunState.QUEUED
    assert edited.called == []


def test_the_other_worker_calls_it(edited: Stage) -> None:
    edited.execute(first(edited), is_called_elsewhere=to_aws)
    edited.execute(edited.receive(), is_called_elsewhere=lambda target: target == "http")
    assert edited.run("09:00").state is RunState.SUCCEEDED


def test_a_run_whose_message_the_other_queue_refuses_is_tried_again_and_not_called_here(edited: Stage) -> None:
    message = first(edited)
    edited.picky.refuses = lambda sent: sent.target == "sqs"
    [handled] = edited.execute(message, is_called_elsewhere=to_aws)
    assert (handled.deletable, handled.moved, handled.started) == (False, False, False)
    assert "the queue of another worker" in handled.problem
    assert edited.called == []
    edited.picky.refuses = lambda _: False
    [handled] = edited.execute(message, is_called_elsewhere=to_aws)
    assert handled.moved


def test_other_runs_of_the_batch_are_called_when_one_cannot_be_moved(edited: Stage) -> None:
    other = JobKey(namespace=KEY.namespace, name="other")
    edited.save(job(key=other))
    [run] = edited.at("09:01").tick() and [RunKey.scheduled(other, at("09:01"))]
    edited.picky.refuses = lambda sent: sent.target == "sqs"
    done = edited.execute(edited.receive(), is_called_elsewhere=to_aws)
    assert {one.received.run for one in done if one.started} == {run}


def test_a_run_that_has_ended_or_waits_for_its_time_stays(edited: Stage) -> None:
    message = first(edited)
    edited.execute(message)
    [handled] = edited.execute(message, is_called_elsewhere=to_aws)
    assert (handled.moved, handled.deletable) == (False, True)
