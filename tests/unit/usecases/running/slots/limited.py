"""Runs of jobs with concurrency limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import NamedLimit
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.worker import Handled
from tests.unit.domain.examples import KEY, at, definition, job, run
from tests.unit.usecases.stage import SUCCESS, Stage

OTHER = JobKey(namespace="shop", name="other")
NEITHER = JobKey(namespace="shop", name="neither")
TAKEN_ON = Outcome(state=RunState.WAITING)
DB = (NamedLimit("db", 1),)
LATER = HttpTarget(method="GET", url="https://shop.test/", mode=Mode.CALLBACK)


def known(stage: Stage, key: JobKey = KEY, **fields: object) -> None:
    stage.state.definitions[key] = replace(definition(), job=job(key=key, **fields))


def queued(stage: Stage, clock: str = "09:00", key: JobKey = KEY) -> Received:
    due = run(clock, key=RunKey.scheduled(key, at(clock)))
    stage.ports.runs.claim([due])
    return Received(run=due.key, attempt=1, receipt=f"{key.name} {clock}")


def state(stage: Stage, message: Received) -> RunState:
    return stage.state.runs[message.run].state


def meanwhile(stage: Stage, *others: Received) -> tuple[Callable[[Call], Outcome], list[Handled]]:
    """A target during whose first call another worker receives the other messages."""
    came: list[Handled] = []

    def call(_: Call) -> Outcome:
        if not came:
            came.extend(stage.execute(others))
        return SUCCESS

    return call, came


def under_way(stage: Stage, message: Received, clock: str = "09:00") -> Run:
    """The run with its first attempt under way; its worker is alive or dead."""
    stage.at(clock).execute([message], lambda _: TAKEN_ON)
    return stage.state.runs[message.run]


def next_look(stage: Stage, message: Received) -> datetime:
    [coming] = [each for each in stage.state.messages if each.run == message.run]
    return coming.not_before
