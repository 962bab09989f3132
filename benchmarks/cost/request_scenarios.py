"""Scenarios of requests: changes of a job, triggers, backfills, cancellations, late answers, and the removal of old runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from benchmarks.cost.scenario import CANCELLED, SELDOM, TOMORROW, WHO, Scenario
from benchmarks.worker import SUCCEEDED
from benchmarks.workload import NINE
from minutehand.domain.endpoint import Endpoint
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On
from minutehand.domain.quota import Quota
from minutehand.domain.run import Progress, Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.service import ServiceKey
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.completion import answers
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.completion.trim import STRIDE, chosen, trim
from minutehand.usecases.definitions import manage, namespaces
from minutehand.usecases.operations import backfill, register
from minutehand.usecases.operations.backfill import BackfillSpec
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.ports.stores import Payload

BACKFILLED = 10
TRIMMED, _RETAINED = 32, 8
_CALLBACK = HttpTarget(method="POST", url="https://example.com/close", mode=Mode.CALLBACK)


def answered_later(scenario: Scenario) -> None:
    """A run whose target accepts and reports later."""
    scenario.save(target=_CALLBACK)
    scenario.start_counting()
    scenario.dispatch()
    answers.report(scenario.ports, scenario.accepted(), SUCCEEDED)


def answered_much_later(scenario: Scenario) -> None:
    """A run whose target reports an hour later."""
    scenario.save(target=_CALLBACK, timeout=timedelta(hours=6))
    scenario.start_counting()
    scenario.dispatch()
    speaker = scenario.accepted()
    scenario.later(3600)
    answers.report(scenario.ports, speaker, SUCCEEDED)


def heartbeat(scenario: Scenario) -> None:
    """A heartbeat with progress."""
    scenario.save(target=replace(_CALLBACK, heartbeat=timedelta(seconds=30)))
    scenario.dispatch()
    speaker = scenario.accepted()
    scenario.start_counting()
    scenario.later(10)
    answers.heartbeat(scenario.ports, speaker, Progress(percent=40, text="4 of 10 ledgers"))


def cancelled_early(scenario: Scenario) -> None:
    """A run cancelled before its start."""
    scenario.save()
    scenario.start_counting()
    key = scenario.dispatch()
    cancel(scenario.ports, key, who=WHO)
    scenario.work()


def cancelled_while_running(scenario: Scenario) -> None:
    """A run cancelled during its call."""
    scenario.save()
    scenario.start_counting()
    key = scenario.dispatch()

    def act() -> None:
        cancel(scenario.ports, key, who=WHO)

    scenario.during_call(act, CANCELLED)


def triggered(scenario: Scenario, payload: Payload | None = None) -> None:
    """A triggered run."""
    scenario.save()
    scenario.start_counting()
    trigger(scenario.ports, scenario.key, idempotency_key="once", who=WHO, payload=payload)
    scenario.later(1)
    scenario.work()


def triggered_with_payload(scenario: Scenario) -> None:
    """A triggered run with a payload of its own."""
    triggered(scenario, Payload({"ledger": "spare", "dry_run": True}))


def backfilled(scenario: Scenario) -> None:
    """A backfill of past occurrences."""
    scenario.save(schedule=SELDOM)
    scenario.start_counting()
    wanted = BackfillSpec(NINE - timedelta(days=BACKFILLED), NINE)
    backfill.start(scenario.ports, scenario.key, wanted, identity="spring", who=WHO)
    scenario.work(messages=BACKFILLED)


def parent_and_child(scenario: Scenario) -> None:
    """A run whose success starts a child's run."""
    scenario.save()
    scenario.save("after", "@manual", depends_on=(Dependency(scenario.key, On.SUCCESS),))
    scenario.start_counting()
    scenario.dispatch()
    scenario.work(messages=2)


def trimmed(scenario: Scenario) -> None:
    """The removal of runs beyond `retention_count`."""
    scenario.save(retention_count=_RETAINED)
    scenario.ports.runs.claim([_ended(scenario.key, days) for days in range(2, 2 + TRIMMED + _RETAINED)])
    scenario.start_counting()
    last = next(run for run in (_ended(scenario.key, -days) for days in range(1000)) if chosen(run.key, STRIDE))
    trim(last, scenario.ports.definitions.get([scenario.key])[scenario.key], scenario.ports)


def created(scenario: Scenario) -> None:
    """A new job in a new namespace."""
    scenario.save()


def created_within_a_quota(scenario: Scenario) -> None:
    """A new job in a namespace with a quota of jobs."""
    namespaces.set_quota(scenario.ports, scenario.key.namespace, Quota(jobs=5), who=WHO)
    scenario.save("first")
    scenario.start_counting()
    scenario.save()


def edited(scenario: Scenario) -> None:
    """A change that keeps the schedule."""
    scenario.save()
    scenario.start_counting()
    scenario.save(description="closes the books of the day")


def made_rare(scenario: Scenario) -> None:
    """A change of the schedule after which the timer is not packed any more."""
    scenario.save()
    scenario.start_counting()
    scenario.save(schedule=SELDOM)
    _recheck(scenario)


def rescheduled(scenario: Scenario) -> None:
    """A change of the schedule."""
    scenario.save()
    scenario.start_counting()
    scenario.save(schedule=("0 11 * * FRI", TOMORROW))
    _recheck(scenario)


def paused(scenario: Scenario) -> None:
    """A pause."""
    scenario.save()
    scenario.start_counting()
    manage.pause(scenario.ports, scenario.key, who=WHO)
    _recheck(scenario)


def resumed(scenario: Scenario) -> None:
    """The end of a pause with nothing to catch up."""
    scenario.save()
    manage.pause(scenario.ports, scenario.key, who=WHO)
    _recheck(scenario)
    scenario.start_counting()
    manage.resume(scenario.ports, scenario.key, who=WHO)
    _recheck(scenario)


def deleted(scenario: Scenario) -> None:
    """A deletion."""
    scenario.save()
    scenario.start_counting()
    manage.delete(scenario.ports, scenario.key, who=WHO)
    _recheck(scenario)


def _recheck(scenario: Scenario) -> None:
    """The tick that rechecks the time around a change."""
    scenario.later(180)
    scenario.tick()


def _ended(job: JobKey, days_ago: int) -> Run:
    instant = NINE - timedelta(days=days_ago)
    return Run(
        key=RunKey.scheduled(job, instant),
        target="http",
        revision=1,
        claimed_at=instant,
        expires_at=instant + timedelta(days=90),
        state=RunState.SUCCEEDED,
        attempt=1,
        finished_at=instant,
    )


def registered_again(scenario: Scenario) -> None:
    """An endpoint of a service that renews its registration."""
    key, endpoint = ServiceKey(scenario.key.namespace, "reports"), Endpoint("http://10.0.3.7:8080")
    register.register(scenario.balancing, key, "web-1", endpoint, timedelta(minutes=1))
    scenario.start_counting()
    register.register(scenario.balancing, key, "web-1", endpoint, timedelta(minutes=1))
