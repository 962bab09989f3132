"""What is done once each, besides the usual runs, to see what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.metered import Metered
from benchmarks.scene import LOOK_AHEAD, SECOND, job
from benchmarks.worker import answers, work
from minutehand.domain.run import Result, RunError, RunState
from minutehand.usecases import manage
from minutehand.usecases.calling import Outcome
from minutehand.usecases.trigger import trigger

if TYPE_CHECKING:
    from minutehand.domain.job import Job

_EACH_MINUTE, _NOON, _ONE = "* * * * *", "0 12 * * *", "0 13 * * *"


@dataclass(frozen=True, kw_only=True)
class Doing:
    """Something done to a job.

    Attributes:
        schedule: the job's.
        stored: whether the job is there before.
    """

    do: Callable[[Metered, Job], None]
    schedule: str = _NOON
    stored: bool = True


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
    manage.save(metered.scene.world, one, keep_paused=True, who="benchmark")


def _edit(metered: Metered, one: Job) -> None:
    changed = job(one.key.name, _NOON, method="PUT")
    manage.save(metered.scene.world, changed, keep_paused=True, who="benchmark")


def _reschedule(metered: Metered, one: Job) -> None:
    manage.save(metered.scene.world, job(one.key.name, _ONE), keep_paused=True, who="benchmark")


def _pause(metered: Metered, one: Job) -> None:
    manage.pause(metered.scene.world, one.key, who="benchmark")


def _delete(metered: Metered, one: Job) -> None:
    manage.delete(metered.scene.world, one.key, who="benchmark")


DOINGS = {
    "a run, from claim to report": Doing(do=_run, schedule=_EACH_MINUTE),
    "a run that fails": Doing(do=_failing, schedule=_EACH_MINUTE),
    "a run whose answer has 4 KB": Doing(do=_long, schedule=_EACH_MINUTE),
    "a trigger, from the request to the report": Doing(do=_trigger),
    "a new job (its namespace is new too)": Doing(do=_create, stored=False),
    "an edit of its target": Doing(do=_edit),
    "an edit of its schedule": Doing(do=_reschedule),
    "a pause": Doing(do=_pause),
    "a deletion": Doing(do=_delete),
}
