"""Concurrency limits of a job, of a namespace and by name: which starts they stop."""

from __future__ import annotations

from dataclasses import replace

from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import NamedLimit, Overlap
from minutehand.domain.run import RunState
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.definitions import namespaces
from tests.unit.domain.examples import KEY, at
from tests.unit.usecases.running.slots.limited import (
    DB,
    LATER,
    NEITHER,
    OTHER,
    TAKEN_ON,
    known,
    meanwhile,
    next_look,
    queued,
    state,
    under_way,
)
from tests.unit.usecases.stage import Stage


def test_with_a_limit_of_two_a_third_run_waits_and_then_starts(stage: Stage) -> None:
    known(stage, max_concurrency=2, target=LATER)
    first, second, third = (queued(stage, f"09:00:0{n}") for n in range(3))
    for each in (first, second):
        under_way(stage, each, "09:00:10")
    [handled] = stage.execute([third])
    assert (state(stage, third), handled.deletable, len(stage.called)) == (RunState.QUEUED, True, 2)
    looks = next_look(stage, third)
    assert at("09:00:15") <= looks <= at("09:00:25")
    cancel(stage.ports, first.run, who=Actor("ada"))
    stage.now = looks
    stage.execute([third])
    assert state(stage, third) is RunState.SUCCEEDED


def test_a_namespace_limit_counts_for_all_its_jobs_together(stage: Stage) -> None:
    namespaces.limit(stage.ports, "shop", 1, who=Actor("ada"))
    known(stage)
    known(stage, OTHER)
    mine, others = queued(stage), queued(stage, key=OTHER)
    call, came = meanwhile(stage, others)
    stage.execute([mine], call)
    assert [one.deletable for one in came] == [True]
    assert (state(stage, mine), state(stage, others)) == (RunState.SUCCEEDED, RunState.QUEUED)
    stage.now = next_look(stage, others)
    stage.execute([others])
    assert state(stage, others) is RunState.SUCCEEDED


def test_a_named_limit_counts_for_all_jobs_of_the_namespace_that_name_it(stage: Stage) -> None:
    elsewhere = JobKey(namespace="warehouse", name="import")
    known(stage, limits=DB, target=LATER)
    known(stage, OTHER, limits=DB)
    known(stage, elsewhere, limits=DB)
    known(stage, NEITHER)
    holder, others, free, neither = (
        queued(stage),
        *(queued(stage, key=key) for key in (OTHER, elsewhere, NEITHER)),
    )
    under_way(stage, holder)
    stage.execute([others, free, neither])
    assert state(stage, others) is RunState.QUEUED
    assert (state(stage, free), state(stage, neither)) == (RunState.SUCCEEDED, RunState.SUCCEEDED)
    assert stage.state.runs[others.run].waits_for == TakenLimit(LimitKind.NAMED, 1, "db")
    cancel(stage.ports, holder.run, who=Actor("ada"))
    stage.now = next_look(stage, others)
    stage.execute([others])
    started = stage.state.runs[others.run]
    assert (started.state, started.waits_for) == (RunState.SUCCEEDED, None)


def test_a_start_takes_its_lock_and_a_slot_of_each_of_its_limits_at_once(stage: Stage) -> None:
    namespaces.limit(stage.ports, "shop", 5, who=Actor("ada"))
    five = tuple(NamedLimit(f"limit-{n}", n + 1) for n in range(5))
    known(stage, max_concurrency=5, overlap=Overlap.QUEUE_ALL, limits=five)
    mine = queued(stage)
    stage.execute([mine])
    held = [permit.key.name.rpartition("#")[0] for permit in stage.state.permits.values() if permit.holder == mine.run]
    assert sorted(held) == ["", *(f"LIMIT#limit-{n}#SLOT" for n in range(5)), "SLOT", "SLOT"]
    assert stage.runs.calls["start"] == 1


def test_a_run_that_finds_one_of_its_limits_full_takes_nothing_of_the_others(stage: Stage) -> None:
    known(stage, limits=(NamedLimit("licence", 1),), target=LATER)
    known(stage, OTHER, limits=(NamedLimit("db", 1), NamedLimit("licence", 1)))
    known(stage, NEITHER, limits=DB)
    holder, mine, third = queued(stage), queued(stage, key=OTHER), queued(stage, key=NEITHER)
    under_way(stage, holder)
    stage.execute([mine])
    stage.execute([third])
    assert (state(stage, mine), state(stage, third)) == (RunState.QUEUED, RunState.SUCCEEDED)
    assert stage.state.runs[mine.run].waits_for == TakenLimit(LimitKind.NAMED, 1, "licence")


def test_of_two_jobs_with_different_maxima_the_lower_leaves_the_rest_of_the_limit_to_the_higher(stage: Stage) -> None:
    known(stage, limits=(NamedLimit("db", 1),), target=LATER)
    known(stage, OTHER, limits=(NamedLimit("db", 3),), target=LATER)
    low = [queued(stage, f"08:0{n}") for n in range(2)]
    high = [queued(stage, f"08:1{n}", OTHER) for n in range(4)]
    stage.execute([*low, *high], lambda _: TAKEN_ON)
    states = [state(stage, each) for each in (*low, *high)]
    assert states == [RunState.WAITING, RunState.QUEUED, *[RunState.WAITING] * 2, *[RunState.QUEUED] * 2]


def test_an_edit_that_names_a_limit_or_leaves_it_out_counts_for_later_starts(stage: Stage) -> None:
    known(stage, target=LATER)
    known(stage, OTHER, limits=DB)
    before, other = queued(stage), queued(stage, key=OTHER)
    under_way(stage, before)
    known(stage, limits=DB, target=LATER)
    stage.execute([other])
    assert state(stage, other) is RunState.SUCCEEDED, "an attempt that began without the limit holds no slot of it"
    after, again = queued(stage, "08:59"), queued(stage, "08:59", OTHER)
    under_way(stage, after)
    known(stage, target=LATER)
    stage.execute([again])
    assert state(stage, again) is RunState.QUEUED, "an attempt keeps the slot that it took"
    known(stage, OTHER)
    stage.now = next_look(stage, again)
    stage.execute([again])
    assert state(stage, again) is RunState.SUCCEEDED


def test_a_deleted_job_s_attempt_in_progress_keeps_its_slot(stage: Stage) -> None:
    known(stage, limits=DB, target=LATER)
    known(stage, OTHER, limits=DB)
    holder, other = queued(stage), queued(stage, key=OTHER)
    under_way(stage, holder)
    stage.state.definitions[KEY] = replace(stage.state.definitions[KEY], deleted=True)
    stage.execute([other])
    assert state(stage, other) is RunState.QUEUED


def test_a_run_without_a_slot_of_its_namespace_holds_none_of_its_job(stage: Stage) -> None:
    namespaces.limit(stage.ports, "shop", 1, who=Actor("ada"))
    known(stage)
    known(stage, OTHER, max_concurrency=1)
    mine, others, later = queued(stage), queued(stage, key=OTHER), queued(stage, "08:59", OTHER)
    call, _ = meanwhile(stage, others)
    stage.execute([mine], call)
    stage.execute([later])
    assert (state(stage, others), state(stage, later)) == (RunState.QUEUED, RunState.SUCCEEDED)


def test_a_job_without_limits_reads_no_permits(stage: Stage) -> None:
    known(stage)
    stage.execute([queued(stage)])
    assert (sum(stage.permits.calls.values()), stage.runs.calls["start"]) == (0, 0)


def test_with_free_slots_a_start_reads_a_few_and_all_only_when_those_are_taken(stage: Stage) -> None:
    namespaces.limit(stage.ports, "shop", 1000, who=Actor("ada"))
    known(stage)
    stage.execute([queued(stage)])
    assert stage.permits.calls["get"] == 1
    namespaces.limit(stage.ports, "shop", 12, who=Actor("ada"))
    known(stage, target=LATER)
    many = [queued(stage, f"08:{minute}") for minute in range(10, 23)]
    for message in many:
        stage.execute([message], lambda _: TAKEN_ON)
    states = [state(stage, message) for message in many]
    assert states == [*[RunState.WAITING] * 12, RunState.QUEUED], "each slot is found, and no more than there are"


def test_a_lower_limit_counts_for_later_starts_only(stage: Stage) -> None:
    known(stage, max_concurrency=2, target=LATER)
    first, second, mine = queued(stage), queued(stage, "08:59"), queued(stage, "08:58")
    for each in (first, second):
        under_way(stage, each)
    known(stage, max_concurrency=1)
    stage.execute([mine])
    assert [state(stage, each) for each in (first, second, mine)] == [*[RunState.WAITING] * 2, RunState.QUEUED]
    [lowest] = [permit.holder for permit in stage.state.permits.values() if permit.key.name == "SLOT#0"]
    cancel(stage.ports, lowest, who=Actor("ada"))
    stage.now = next_look(stage, mine)
    stage.execute([mine])
    assert state(stage, mine) is RunState.SUCCEEDED
