"""Runs in shadow: planned, started and recorded as always, and their targets are not called."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Backoff, Dependency, On, Overlap, Retry
from minutehand.domain.run import RunError, RunState, SkipReason
from minutehand.usecases.definitions import namespaces
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import at, job
from tests.unit.usecases.running.test_plain_run import ASKED, PORTS
from tests.unit.usecases.stage import Stage

FAILURE = Outcome(RunState.FAILED, error=RunError("HttpStatus", "503"))


def never(_call: Call) -> Outcome:
    raise AssertionError("a shadow's target was called")


def shadowed(where: str, **fields: object) -> Stage:
    """A job of ten o'clock that is in shadow, by itself, its namespace or the stack, at the time of its run."""
    stage = Stage("09:00")
    if where == "stack":
        stage.ports = stage.ports._replace(shadow=True)
    stage.save(schedule="0 10 * * *", shadow=where == "job", **fields)
    if where == "namespace":
        [key] = stage.state.definitions
        namespaces.shadow(stage.ports, key.namespace, on=True, who=Actor("ada"))
    stage.at("09:59").tick()
    return stage.at("10:00:01")


@pytest.mark.parametrize("where", ["job", "namespace", "stack"])
def test_a_run_in_shadow_begins_and_ends_without_a_call(where: str) -> None:
    stage = shadowed(where)
    stage.execute(stage.receive(), never)
    run = stage.run("10:00:00")
    assert run is not None
    assert (run.state, run.skip_reason, run.attempt, run.shadow) == (RunState.SKIPPED, SkipReason.SHADOW, 1, True)
    assert (run.lateness, run.finished_at) == (timedelta(seconds=1), at("10:00:01"))
    assert not stage.state.messages


def test_a_run_in_shadow_costs_the_same_calls_as_one_that_is_called() -> None:
    stage = Stage("09:00")
    stage.save(schedule="0 10 * * *", shadow=True)
    stage.at("09:59")
    for name in PORTS:
        getattr(stage, name).calls.clear()
    stage.tick()
    stage.at("10:00:01").execute(stage.receive(), never)
    assert {name: dict(calls) for name in PORTS if (calls := getattr(stage, name).calls)} == ASKED


def test_a_shadow_that_is_turned_off_counts_from_the_next_start_on() -> None:
    stage = shadowed("job")
    stage.save(schedule="0 10 * * *")
    stage.execute(stage.receive())
    run = stage.run("10:00:00")
    assert run is not None
    assert (run.state, run.shadow) == (RunState.SUCCEEDED, False)


def test_a_run_that_has_failed_is_not_retried_in_shadow_and_stays_failed() -> None:
    stage = Stage("09:59")
    retry = Retry(max_attempts=3, backoff=Backoff(initial=timedelta(seconds=10)))
    stage.save(schedule="0 10 * * *", retry=retry)
    stage.tick()
    stage.at("10:00:01").execute(stage.receive(), lambda _: FAILURE)
    stage.save(schedule="0 10 * * *", retry=retry, shadow=True)
    stage.at("10:01").execute(stage.receive(), never)
    run = stage.run("10:00:00")
    assert run is not None
    assert (run.state, run.attempt, run.error) == (RunState.FAILED, 1, FAILURE.error)


def test_a_run_whose_worker_died_in_a_call_is_lost_in_shadow_and_not_taken_over() -> None:
    stage = Stage("09:59")
    stage.save(schedule="0 10 * * *")
    stage.tick()
    messages = stage.at("10:00:01").receive()
    key = next(iter(stage.state.runs))
    begun = replace(
        stage.state.runs[key],
        state=RunState.RUNNING,
        attempt=1,
        nonce="other",
        started_at=at("10:00:00"),
        lateness=timedelta(0),
        lease_until=at("10:00:30"),
    )
    stage.state.runs[key] = begun
    stage.save(schedule="0 10 * * *", shadow=True)
    stage.at("10:01").execute(messages, never)
    run = stage.run("10:00:00")
    assert run is not None
    assert (run.state, run.attempt) == (RunState.LOST, 1)
    assert run.error is not None
    assert "in shadow now" in run.error.message


def test_a_shadow_whose_worker_died_is_taken_over_by_another_shadow_even_if_it_is_turned_off() -> None:
    stage = shadowed("job")
    messages = stage.receive()
    key = next(iter(stage.state.runs))
    stage.state.runs[key] = replace(
        stage.state.runs[key],
        state=RunState.RUNNING,
        attempt=1,
        nonce="other",
        started_at=at("10:00:00"),
        lateness=timedelta(0),
        lease_until=at("10:00:30"),
        shadow=True,
    )
    stage.save(schedule="0 10 * * *")
    stage.at("10:01").execute(messages, never)
    run = stage.run("10:00:00")
    assert run is not None
    assert (run.state, run.skip_reason, run.attempt) == (RunState.SKIPPED, SkipReason.SHADOW, 2)


def test_a_run_in_shadow_obeys_the_policies_of_its_job() -> None:
    stage = shadowed("job", start_within=timedelta(seconds=30), overlap=Overlap.SKIP)
    stage.at("10:02").execute(stage.receive(), never)
    run = stage.run("10:00:00")
    assert run is not None
    assert (run.skip_reason, run.attempt) == (SkipReason.START_WITHIN, 0)


@pytest.mark.parametrize(("on", "starts"), [(On.SUCCESS, 1), (On.END, 1), (On.FAILURE, 0), (On.SKIPPED, 0)])
def test_a_shadow_starts_children_as_a_success_would_and_they_are_shadows_too(on: On, starts: int) -> None:
    extract, load = JobKey("shop", "extract"), JobKey("shop", "load")
    stage = Stage("09:59")
    stage.save(job("0 10 * * *", key=extract, shadow=True))
    stage.save(job("@manual", key=load, depends_on=(Dependency(extract, on),)))
    stage.tick()
    stage.at("10:00:01").execute(stage.receive(), never)
    children = [run for key, run in stage.state.runs.items() if key.job == load]
    assert [run.shadow for run in children] == [True] * starts
    stage.execute(stage.receive(), never)
    ended = [run.skip_reason for key, run in stage.state.runs.items() if key.job == load]
    assert ended == [SkipReason.SHADOW] * starts
