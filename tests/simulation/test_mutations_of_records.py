"""Records of changes that are missing, wrong or too many must be noticed within a few histories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from minutehand.adapters.memory.audits import recorded
from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action, audit_record
from minutehand.domain.definition import Definition
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.usecases.completion import cancel
from minutehand.usecases.definitions import calendars, manage
from minutehand.usecases.definitions.asked import Asked
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.stores import Claim
from tests.simulation.mutations import Mutation, Patch, assert_noticed
from tests.simulation.observed import ObservedRuns

pytestmark = pytest.mark.thorough


def a_change_of_a_job_without_a_record(patch: Patch) -> None:
    patch.setattr(manage, "audited", lambda *_: None)


def a_change_of_a_calendar_without_a_record(patch: Patch) -> None:
    patch.setattr(calendars, "_record", lambda *_: None)


def a_cancel_without_a_record(patch: Patch) -> None:
    right = cancel.cancel_active
    patch.setattr(cancel, "cancel_active", lambda ports, run, *, by, audit=None: right(ports, run, by=by))


def a_record_of_what_somebody_else_has_changed_meanwhile(patch: Patch) -> None:
    right, first = manage.audited, dict[JobKey, Definition]()

    def audited(before: Definition | None, after: Definition, asked: Asked, ports: Ports) -> Any:
        earliest = first.setdefault(after.job.key, before) if before is not None else None
        return right(earliest, after, asked, ports)

    patch.setattr(manage, "audited", audited)


def a_repeated_trigger_that_is_recorded_again(patch: Patch) -> None:
    right = ObservedRuns.trigger

    def trigger(self: ObservedRuns, run: Run, *given: Any, **audit: Any) -> Run:
        recorded(self._state, audit["audit"])
        return right(self, run, *given, **audit)

    patch.setattr(ObservedRuns, "trigger", trigger)


def a_run_of_the_schedule_that_is_recorded(patch: Patch) -> None:
    right = ObservedRuns.claim

    def claim(self: ObservedRuns, runs: Sequence[Run]) -> Sequence[Claim]:
        for run in runs:
            namespace, name = run.key.job
            record = audit_record(
                Actor("tick"),
                Action.TRIGGER,
                run.claimed_at,
                namespace=namespace,
                job=name,
                kept=run.expires_at - run.claimed_at,
                run_id=run.key.run_id,
            )
            recorded(self._state, record)
        return right(self, runs)

    patch.setattr(ObservedRuns, "claim", claim)


MUTATIONS: Sequence[Mutation] = (
    a_change_of_a_job_without_a_record,
    a_change_of_a_calendar_without_a_record,
    a_cancel_without_a_record,
    a_record_of_what_somebody_else_has_changed_meanwhile,
    a_repeated_trigger_that_is_recorded_again,
    a_run_of_the_schedule_that_is_recorded,
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_record_that_is_missing_wrong_or_too_many_is_noticed(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch, histories=60)
