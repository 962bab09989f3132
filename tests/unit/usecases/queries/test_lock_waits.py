"""For which run of its job another one waits, as the job's overlap lock shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minutehand.domain.overlap_lock import Permit, lock_of
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Outcome
from minutehand.usecases.queries.lock_waits import MOST_READ, LockWait, lock_waits
from tests.unit.domain.examples import KEY, SECOND, at, definition, job, run
from tests.unit.usecases.stage import Stage

HELD: dict[str, Any] = {
    "state": RunState.RUNNING,
    "attempt": 1,
    "started_at": at("08:50:01"),
    "lease_until": at("09:10"),
}
LOCK = lock_of(KEY)


@pytest.fixture
def stage() -> Stage:
    stage = Stage("09:00")
    policy(stage, Overlap.QUEUE_ALL)
    return stage


def policy(stage: Stage, overlap: Overlap) -> None:
    stage.state.definitions[KEY] = replace(definition(), job=job(overlap=overlap))


def keep(stage: Stage, *runs: Run) -> None:
    stage.state.runs.update((each.key, each) for each in runs)


def lock(stage: Stage, holder: Run, *waiting: Run) -> None:
    keep(stage, holder, *waiting)
    stage.state.permits[LOCK] = Permit(LOCK, holder.key, 1, tuple(sorted(each.key.run_id for each in waiting)))


def wait_of(stage: Stage, one: Run) -> LockWait | None:
    return lock_waits(stage.ports, KEY, [one])[one.key]


def test_a_run_waits_for_the_holder_of_the_lock_after_the_runs_before_it(stage: Stage) -> None:
    holder, first, second, third = (run(f"08:5{minute}") for minute in range(4))
    holder = replace(holder, **HELD)
    lock(stage, holder, first, second, third)
    found = [wait_of(stage, each) for each in (first, second, third)]
    assert found == [LockWait(holder.key, at("08:50:01"), before, Overlap.QUEUE_ALL) for before in (0, 1, 2)]


def test_runs_that_have_ended_or_are_cancelled_do_not_count(stage: Stage) -> None:
    holder, ended, last = replace(run("08:50"), **HELD), run("08:51", state=RunState.CANCELLED), run("08:52")
    lock(stage, holder, ended, last)
    assert wait_of(stage, last) == LockWait(holder.key, at("08:50:01"), 0, Overlap.QUEUE_ALL)


def test_once_the_holder_has_ended_it_waits_for_the_run_whose_turn_it_is(stage: Stage) -> None:
    holder, first, second, third = (run(f"08:5{minute}") for minute in range(4))
    lock(stage, replace(holder, state=RunState.SUCCEEDED, attempt=1), first, second, third)
    assert wait_of(stage, first) is None
    assert wait_of(stage, second) == LockWait(first.key, None, 0, Overlap.QUEUE_ALL)
    assert wait_of(stage, third) == LockWait(first.key, None, 1, Overlap.QUEUE_ALL)


def test_a_run_that_replaces_waits_for_the_holder_alone(stage: Stage) -> None:
    policy(stage, Overlap.REPLACE)
    holder, first, second = replace(run("08:50"), **HELD), run("08:51"), run("08:52")
    lock(stage, holder, first, second)
    assert wait_of(stage, second) == LockWait(holder.key, at("08:50:01"), 0, Overlap.REPLACE)


def test_a_run_s_own_policy_is_named(stage: Stage) -> None:
    policy(stage, Overlap.SKIP)
    holder, replay = replace(run("08:50"), **HELD), run("08:51", overlap=Overlap.QUEUE_ONE)
    lock(stage, holder, replay)
    found = wait_of(stage, replay)
    assert found is not None
    assert found.overlap is Overlap.QUEUE_ONE


def test_a_run_that_the_lock_does_not_list_waits_for_a_worker(stage: Stage) -> None:
    lock(stage, replace(run("08:50"), **HELD))
    one = run("08:51")
    keep(stage, one)
    assert lock_waits(stage.ports, KEY, [one]) == {one.key: None}
    assert not stage.runs.calls


@pytest.mark.parametrize(
    "other",
    [run("09:01"), run("08:51", state=RunState.SUCCEEDED), run("08:51", **HELD), run("08:51", overlap=Overlap.ALLOW)],
    ids=["not due", "ended", "running", "beside others"],
)
def test_nothing_is_read_for_a_run_that_cannot_wait_for_the_lock(stage: Stage, other: Run) -> None:
    assert lock_waits(stage.ports, KEY, [other]) == {}
    assert not stage.permits.calls


def test_nothing_is_read_for_a_job_whose_runs_may_overlap(stage: Stage) -> None:
    assert lock_waits(stage.ports, KEY, [run("08:51")], replace(definition(), job=job())) == {}
    assert not stage.permits.calls


def test_the_runs_that_are_read_are_bounded_and_further_ones_count(stage: Stage) -> None:
    holder = replace(run("08:00"), **HELD)
    waiting = [replace(run(), key=RunKey.scheduled(KEY, at("08:01") + number * SECOND)) for number in range(150)]
    lock(stage, holder, *waiting)
    found = wait_of(stage, waiting[-1])
    assert found is not None
    assert found.before == 149
    assert len(waiting) > MOST_READ
    assert (stage.permits.calls["get"], stage.runs.calls["get"]) == (1, 1)


@pytest.mark.parametrize("store", ["permits", "runs", "definitions"])
def test_a_store_that_does_not_answer_only_leaves_the_wait_out(stage: Stage, store: str) -> None:
    one = run("08:51")
    lock(stage, replace(run("08:50"), **HELD), one)
    getattr(stage, store).fails("get")
    assert lock_waits(stage.ports, KEY, [one]) == {}


def test_the_wait_is_what_a_worker_has_decided(stage: Stage) -> None:
    first, second = run("09:00"), run("09:01")
    stage.ports.runs.claim([first, second])
    stage.execute([Received(run=first.key, attempt=1, receipt="1")], lambda _: Outcome(state=RunState.WAITING))
    stage.at("09:01").execute([Received(run=second.key, attempt=1, receipt="2")])
    found = wait_of(stage, stage.state.runs[second.key])
    assert found == LockWait(first.key, at("09:00"), 0, Overlap.QUEUE_ALL)
