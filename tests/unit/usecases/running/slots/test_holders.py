"""How long an attempt holds its slot, and how a run takes another."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from minutehand.domain.deadlines import call_limit
from minutehand.domain.policies import Backoff, Retry
from minutehand.domain.run import RunState
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import MINUTE, SECOND, at, job
from tests.unit.usecases.running.slots.limited import LATER, TAKEN_ON, known, meanwhile, next_look, queued, state
from tests.unit.usecases.stage import Stage


def test_a_dead_worker_s_slot_is_free_once_its_lease_has_run_out(stage: Stage) -> None:
    known(stage, max_concurrency=1, takeovers=0)
    dead, mine = queued(stage), queued(stage, "09:00:30")

    def dies(_: Call) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stage.execute([dead], dies)
    lease = stage.state.runs[dead.run].lease_until
    assert lease == at("09:00") + call_limit(job()) + 15 * SECOND
    stage.now = lease - SECOND
    stage.execute([mine])
    assert state(stage, mine) is RunState.QUEUED
    stage.now = lease + 15 * SECOND
    stage.execute([mine])
    assert state(stage, mine) is RunState.SUCCEEDED


def test_a_take_over_keeps_the_slot_that_the_dead_worker_held(stage: Stage) -> None:
    known(stage, max_concurrency=5)
    mine = queued(stage)

    def dies(_: Call) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stage.execute([mine], dies)
    stage.now += 5 * MINUTE
    stage.execute([mine])
    assert [(permit.holder, permit.attempt) for permit in stage.state.permits.values()] == [(mine.run, 2)]


def test_a_take_over_that_finds_no_slot_waits_for_one(stage: Stage) -> None:
    known(stage, max_concurrency=1, target=LATER, timeout=timedelta(hours=1))
    dead, mine = queued(stage), queued(stage, "09:00:30")

    def dies(_: Call) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stage.execute([dead], dies)
    stage.at("09:05").execute([mine], lambda _: TAKEN_ON)
    [handled] = stage.execute([dead])
    assert (state(stage, mine), state(stage, dead), handled.deletable) == (RunState.WAITING, RunState.RUNNING, True)
    assert at("09:05:05") <= next_look(stage, dead) <= at("09:05:15")


def test_a_run_holds_no_slot_between_its_attempts(stage: Stage) -> None:
    known(stage, max_concurrency=1, retry=Retry(2, Backoff(10 * SECOND, 1, 10 * SECOND, 0)))
    failing, mine = queued(stage), queued(stage, "08:59")
    stage.execute([failing], lambda _: Outcome(state=RunState.FAILED))
    assert state(stage, failing) is RunState.RETRYING
    stage.now += 10 * SECOND
    call, came = meanwhile(stage, failing)
    stage.execute([mine], call)
    assert [one.deletable for one in came] == [True]
    waits = stage.state.runs[failing.run]
    assert (waits.state, waits.attempt, waits.retry_at) == (RunState.RETRYING, 1, stage.state.messages[-1].not_before)
    stage.now = waits.retry_at
    stage.execute([failing])
    assert (state(stage, failing), stage.called[-1]) == (RunState.SUCCEEDED, (failing.run, 2))


def test_a_run_that_loses_a_slot_takes_another(stage: Stage) -> None:
    known(stage, max_concurrency=2)
    mine, other = queued(stage), queued(stage, "08:59")

    def somebody_else() -> None:
        stage.execute([other], lambda _: TAKEN_ON)

    stage.runs.before("start", somebody_else)
    stage.execute([mine])
    assert (state(stage, mine), state(stage, other)) == (RunState.SUCCEEDED, RunState.WAITING)


def test_a_run_that_keeps_losing_slots_waits_as_if_none_were_free(stage: Stage) -> None:
    known(stage, max_concurrency=1)
    mine = queued(stage)
    others = [queued(stage, f"08:5{n}") for n in range(4)]

    def taken(message: Received) -> Callable[[], object]:
        return lambda: stage.execute([message])

    steps: list[Callable[[], object]] = []
    for message in others:  # each start of mine is preceded by one of another's, which goes through
        steps += [taken(message), lambda: None]
    stage.runs.before("start", *steps)
    [handled] = stage.execute([mine])
    assert (state(stage, mine), handled.deletable) == (RunState.QUEUED, True)
    assert next_look(stage, mine) == stage.state.runs[mine.run].retry_at
