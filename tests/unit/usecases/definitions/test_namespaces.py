"""Settings of a namespace, and the effects of its pause."""

from __future__ import annotations

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Conflict, Invalid
from minutehand.domain.namespace import Namespace
from minutehand.domain.run import RunState, SkipReason
from minutehand.usecases.definitions import namespaces
from minutehand.usecases.operations.trigger import trigger
from tests.unit.domain.examples import KEY, at
from tests.unit.usecases.stage import Stage


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00:30")


def pause(stage: Stage, until: str | None = None) -> namespaces.Saved:
    return namespaces.pause(stage.ports, "shop", until=None if until is None else at(until), who=Actor("ada"))


def test_every_name_is_a_namespace_without_settings_at_first(stage: Stage) -> None:
    assert namespaces.get(stage.ports, "shop") == Namespace(name="shop")
    assert not namespaces.resume(stage.ports, "shop", who=Actor("ada")).changed
    assert not namespaces.limit(stage.ports, "shop", None, who=Actor("ada")).changed
    assert not stage.state.settings


def test_a_change_has_a_revision_and_an_author_and_the_same_again_changes_nothing(stage: Stage) -> None:
    saved = namespaces.limit(stage.ports, "shop", 5, who=Actor("ada"))
    assert (saved.changed, saved.namespace) == (True, namespaces.get(stage.ports, "shop"))
    assert (saved.namespace.max_concurrency, saved.namespace.revision, saved.namespace.updated_by) == (5, 1, "ada")
    assert not namespaces.limit(stage.ports, "shop", 5, who=Actor("bob")).changed
    assert pause(stage).namespace.revision == 2
    assert not pause(stage.at("09:01")).changed
    assert namespaces.get(stage.ports, "shop").max_concurrency == 5


def test_a_pause_and_a_resume_take_effect_to_the_second(stage: Stage) -> None:
    stage.save(schedule="*/10 * * * * *")
    stage.tick()
    stage.at("09:00:41")
    pause(stage)
    stage.at("09:00:59").work()
    namespaces.resume(stage.ports, "shop", who=Actor("bob"))
    stage.at("09:01:30").work()
    states = {f"{key.scheduled_for:%H:%M:%S}": each.state for key, each in stage.state.runs.items()}
    assert [clock for clock, state in sorted(states.items()) if state is RunState.SKIPPED] == [
        "09:00:40",
        "09:00:50",
    ], "one that was due before and had not begun, and one in the pause"
    assert states["09:01:00"] is RunState.SUCCEEDED


def test_runs_in_a_pause_are_skipped_with_the_reason_and_the_job_continues(stage: Stage) -> None:
    stage.save()
    pause(stage, "09:03")
    for minute in range(1, 5):
        stage.at(f"09:0{minute}").tick()
        stage.work()
    reasons = [stage.run(f"09:0{minute}").skip_reason for minute in range(1, 5)]
    assert reasons == [SkipReason.NAMESPACE_PAUSED, SkipReason.NAMESPACE_PAUSED, None, None]
    assert stage.run("09:03").state is RunState.SUCCEEDED


def test_a_triggered_run_starts(stage: Stage) -> None:
    stage.save()
    pause(stage)
    asked = trigger(stage.ports, KEY, idempotency_key="k", who=Actor("ada")).run
    stage.at("09:00:40").work()
    assert stage.state.runs[asked.key].state is RunState.SUCCEEDED


def test_a_fixed_delay_continues_when_the_pause_has_ended(stage: Stage) -> None:
    stage.save(schedule="@after 1m")
    pause(stage, "09:05")
    for minute in range(1, 9):
        stage.at(f"09:0{minute}:30").tick()
        stage.work()
    states = [each.state for _, each in sorted(stage.state.runs.items()) if each.state.finished]
    assert (states[0], states[-1]) == (RunState.SKIPPED, RunState.SUCCEEDED)
    assert not any(each.state is RunState.RUNNING for each in stage.state.runs.values())


def test_other_namespaces_are_left_alone(stage: Stage) -> None:
    stage.save()
    namespaces.pause(stage.ports, "shop-2", who=Actor("ada"))
    stage.tick()
    stage.at("09:01").work()
    assert stage.run("09:01").state is RunState.SUCCEEDED


def test_an_instant_that_is_not_ahead_is_refused(stage: Stage) -> None:
    with pytest.raises(Invalid, match="2026-11-20T09:00:30Z is not in the future") as refused:
        pause(stage, "09:00:30")
    assert refused.value.problems[0].path == "until"


def test_a_change_that_loses_a_race_is_repeated_on_the_newer_definition(stage: Stage) -> None:
    stage.namespaces.before("save", lambda: namespaces.limit(stage.ports, "shop", 5, who=Actor("bob")))
    saved = pause(stage).namespace
    assert (saved.max_concurrency, saved.revision, len(saved.pauses)) == (5, 2, 1)


def test_a_change_that_loses_every_race_is_a_conflict(stage: Stage) -> None:
    steps = [lambda n=n: namespaces.limit(stage.ports, "shop", n, who=Actor("bob")) for n in range(1, 6)]
    between = [step for pair in zip(steps, [lambda: None] * 5, strict=True) for step in pair]
    stage.namespaces.before("save", *between)
    with pytest.raises(Conflict, match="too many concurrent updates of namespace shop"):
        pause(stage.at("09:01"))
