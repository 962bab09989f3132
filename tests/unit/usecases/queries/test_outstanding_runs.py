"""What a job with a fixed delay says while its next start is unknown."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.run import Run, RunState
from minutehand.usecases.definitions import manage
from minutehand.usecases.queries.explain import explain_instant
from minutehand.usecases.queries.next_run import next_or_why, next_run_facts
from minutehand.usecases.queries.preview import ahead_of
from tests.unit.domain.examples import KEY, at, job
from tests.unit.usecases.stage import Stage


@pytest.fixture
def stage() -> Stage:
    """The run of 09:01:30 was claimed."""
    stage = Stage("09:00:00.250")
    stage.save(job("@after 90s"))
    return stage


def become(stage: Stage, clock: str, **fields: object) -> Run:
    run = stage.run(clock)
    assert run is not None
    stage.state.runs[run.key] = changed = replace(run, **fields)
    return changed


def next_of(stage: Stage) -> tuple[datetime | None, str | None]:
    definition = stage.ports.definitions.get([KEY])[KEY]
    facts = next_run_facts(stage.ports, [definition], timers=False)[KEY]
    return next_or_why(definition, facts, now=stage.now)


OUTSTANDING = {
    "queued since 2026-11-20T09:01:30Z": {},
    "running since 2026-11-20T09:01:31Z (attempt 2)": {
        "state": RunState.RUNNING,
        "attempt": 2,
        "started_at": at("09:01:31"),
    },
    "waiting for its target's answer since 2026-11-20T09:01:31Z": {
        "state": RunState.WAITING,
        "attempt": 1,
        "started_at": at("09:01:31"),
    },
    "retrying: attempt 2 starts at 2026-11-20T09:04:00Z": {
        "state": RunState.RETRYING,
        "attempt": 1,
        "retry_at": at("09:04"),
    },
}


@pytest.mark.parametrize("state", OUTSTANDING)
@pytest.mark.parametrize("now", ["09:01:30", "09:02", "09:40"])
def test_while_a_run_is_active_the_job_says_what_it_waits_for_and_since_when(
    stage: Stage, state: str, now: str
) -> None:
    """And names no next start, which would move as time goes by."""
    stage.tick()
    become(stage, "09:01:30", **OUTSTANDING[state])
    waits = f"it waits for the end of run 20261120T090130Z, {state}"
    assert next_of(stage.at(now)) == (None, waits)
    ahead = ahead_of(stage.ports, stage.ports.definitions.get([KEY])[KEY], after=stage.now, count=2)
    assert (ahead.occurrences, ahead.idle_because) == ((), waits)


def test_a_job_whose_run_no_tick_has_claimed_says_so(stage: Stage) -> None:
    stage.state.runs.clear()
    assert next_of(stage.at("09:05")) == (
        None,
        "its run of 2026-11-20T09:01:30Z is due, and waits for a tick to claim it",
    )


def test_a_run_that_has_just_ended_is_not_waited_for(stage: Stage) -> None:
    stage.tick()
    become(stage, "09:01:30", state=RunState.SUCCEEDED, finished_at=at("09:01:32"))
    assert next_of(stage.at("09:01:32"))[0] is not None


def test_a_paused_job_says_that_it_is_paused_even_while_a_run_is_active(stage: Stage) -> None:
    stage.tick()
    manage.pause(stage.ports, KEY, who=Actor("ada"))
    assert str(next_of(stage.at("09:02"))[1]).startswith("paused")


@pytest.mark.parametrize("asked", ["09:02", "09:30"])
def test_explain_shows_the_run_that_a_fixed_delay_waits_for(stage: Stage, asked: str) -> None:
    stage.tick()
    run = become(stage, "09:01:30")
    found = explain_instant(stage.at("09:40").ports, KEY, at(asked))
    assert [finding.run for finding in found.beside] == [run]
