"""Who holds the slots of the limit for which a run waits."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.concurrency import Limit, NobodyLive
from minutehand.domain.job_key import JobKey
from minutehand.domain.overlap_lock import Permit
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from minutehand.usecases.queries.slot_holders import MOST_LIMITS, MOST_SLOTS, slot_holders
from tests.unit.domain.examples import KEY, SECOND, at, run
from tests.unit.usecases.stage import Stage

OTHER = JobKey(namespace=KEY.namespace, name="other")
DB = TakenLimit(LimitKind.NAMED, 3, "db")


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def waiting(taken: TakenLimit = DB, **fields: object) -> Run:
    return run("08:59", retry_at=at("09:00:09"), waits_for=taken, **fields)


def hold(stage: Stage, limit: Limit, slot: int, job: JobKey = OTHER, **fields: object) -> Run:
    """A run with an attempt in progress that took this slot, begun `slot` seconds after the first."""
    key = RunKey.scheduled(job, at("08:50") + slot * SECOND)
    began = {"state": RunState.RUNNING, "attempt": 1, "started_at": key.scheduled_for, "lease_until": at("09:10")}
    held = run("08:50", **{"key": key} | began | fields)
    stage.state.runs[key] = held
    permit = list(limit.slots)[slot]
    stage.state.permits[permit] = Permit(permit, key, 1)
    return held


@pytest.mark.parametrize(
    ("taken", "limit"),
    [
        (DB, Limit(KEY.namespace, 3, "db")),
        (TakenLimit(LimitKind.NAMESPACE, 3), Limit(KEY.namespace, 3)),
        (TakenLimit(LimitKind.JOB, 3), Limit(KEY, 3)),
    ],
)
def test_the_holders_of_each_kind_of_limit_are_found_the_longest_first(
    stage: Stage, taken: TakenLimit, limit: Limit
) -> None:
    assert limit.taken == taken
    last, first, second = (hold(stage, limit, slot) for slot in (2, 0, 1))
    hold(stage, Limit(KEY.namespace, 3, "licence"), 0, JobKey(KEY.namespace, "neither"))
    one = waiting(taken)
    assert slot_holders(stage.ports, [one]) == {one.key: [first, second, last]}


def test_a_pool_without_a_live_agent_has_no_slots_that_somebody_holds(stage: Stage) -> None:
    one = waiting(NobodyLive("web").taken)
    assert slot_holders(stage.ports, [one]) == {}
    assert not stage.permits.calls


@pytest.mark.parametrize(
    "over", [{"state": RunState.SUCCEEDED}, {"attempt": 2}, {"lease_until": at("08:59:50")}], ids=str
)
def test_a_slot_whose_attempt_is_over_is_held_by_no_run(stage: Stage, over: dict[str, object]) -> None:
    hold(stage, Limit(KEY.namespace, 3, "db"), 0, **over)
    one = waiting()
    assert slot_holders(stage.ports, [one]) == {one.key: []}


@pytest.mark.parametrize(
    "other", [run("08:59"), waiting(state=RunState.SKIPPED), run("08:59", retry_at=at("09:00:09"))], ids=range(3)
)
def test_nothing_is_read_for_a_run_that_waits_for_no_limit(stage: Stage, other: Run) -> None:
    assert slot_holders(stage.ports, [other]) == {}
    assert not stage.permits.calls
    assert not stage.runs.calls


def test_runs_that_wait_for_one_limit_share_its_reads(stage: Stage) -> None:
    held = hold(stage, Limit(KEY.namespace, 3, "db"), 1)
    one, another = waiting(), replace(waiting(), key=RunKey.scheduled(OTHER, at("08:58")))
    assert slot_holders(stage.ports, [one, another]) == {one.key: [held], another.key: [held]}
    assert (stage.permits.calls["get"], stage.runs.calls["get"]) == (1, 1)


def test_the_slots_that_are_read_are_bounded(stage: Stage) -> None:
    limit = Limit(KEY.namespace, 200, "db")
    for slot in range(limit.most):
        hold(stage, limit, slot)
    one = waiting(limit.taken)
    assert len(slot_holders(stage.ports, [one])[one.key]) == MOST_SLOTS


def test_the_limits_that_are_read_are_bounded(stage: Stage) -> None:
    runs = [
        replace(
            waiting(TakenLimit(LimitKind.NAMED, 1, f"limit-{number}")),
            key=RunKey.scheduled(KEY, at("08:00") + timedelta(minutes=number)),
        )
        for number in range(MOST_LIMITS + 1)
    ]
    assert list(slot_holders(stage.ports, runs)) == [run.key for run in runs[:MOST_LIMITS]]


@pytest.mark.parametrize("store", ["permits", "runs"])
def test_a_store_that_does_not_answer_only_leaves_the_holders_out(stage: Stage, store: str) -> None:
    hold(stage, Limit(KEY.namespace, 3, "db"), 1)
    getattr(stage, store).fails("get")
    assert slot_holders(stage.ports, [waiting()]) == {}
