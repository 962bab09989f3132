"""The promise that a run in shadow calls no target, broken on purpose in each way, must be noticed within a few histories."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minutehand.domain import dependencies, shadow
from minutehand.domain.job import Job
from minutehand.domain.namespace import Namespace
from minutehand.domain.run import Run, RunState
from minutehand.usecases.completion import child_runs
from minutehand.usecases.running import attempt, handle
from tests.simulation import shadows
from tests.simulation.mutations import Mutation, Patch, assert_noticed


def a_shadow_that_is_called(patch: Patch) -> None:
    patch.setattr(handle, "in_shadow", lambda _run, start, *_known, **_stack: start)


def a_namespace_whose_shadow_is_forgotten(patch: Patch) -> None:
    right = shadow.shadow_of
    patch.setattr(shadow, "shadow_of", lambda job, _namespace, **stack: right(job, None, **stack))


def a_job_whose_shadow_is_forgotten(patch: Patch) -> None:
    right = shadow.shadow_of

    def shadow_of(job: Job, namespace: Namespace | None, **stack: bool) -> Any:
        return right(replace(job, shadow=False), namespace, **stack)

    patch.setattr(shadow, "shadow_of", shadow_of)


def a_retry_that_calls_in_shadow(patch: Patch) -> None:
    right = handle.in_shadow

    def in_shadow(run: Run, start: Any, *known: Any, **stack: bool) -> Any:
        return start if run.state is RunState.RETRYING else right(run, start, *known, **stack)

    patch.setattr(handle, "in_shadow", in_shadow)


def a_shadow_after_a_call(patch: Patch) -> None:
    right = handle.in_shadow

    def in_shadow(run: Run, start: Any, *known: Any, **stack: bool) -> Any:
        return right(replace(run, state=RunState.QUEUED), start, *known, **stack)

    patch.setattr(handle, "in_shadow", in_shadow)


def a_child_of_a_shadow_that_is_called(patch: Patch) -> None:
    right = dependencies.child_run
    patch.setattr(child_runs, "child_run", lambda *known: replace(right(*known), shadow=False))


def a_start_that_does_not_note_its_shadow(patch: Patch) -> None:
    right = attempt.started
    patch.setattr(attempt, "started", lambda *known: replace(right(*known), shadow=False))


MUTATIONS: list[Mutation] = [
    a_shadow_that_is_called,
    a_namespace_whose_shadow_is_forgotten,
    a_job_whose_shadow_is_forgotten,
    a_retry_that_calls_in_shadow,
    a_shadow_after_a_call,
    a_child_of_a_shadow_that_is_called,
    a_start_that_does_not_note_its_shadow,
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_the_checker_notices(mutation: Mutation, monkeypatch: Patch) -> None:
    monkeypatch.setattr(shadows, "SHARE", 1)  # so that few histories are enough
    assert_noticed(mutation, monkeypatch)
