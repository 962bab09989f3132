"""Concurrency limits of a job and of a namespace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from minutehand.domain.deadlines import call_limit
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Backoff, NamedLimit, Overlap, Retry
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.definitions import namespaces
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.worker import Handled
from minutehand.usecases.upkeep.sweep import sweep
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, definition, job, run
from tests.unit.usecases.stage import SUCCESS, Stage

OTHER = JobKey(namespace="shop", name="other")
NEITHER = JobKey(namespace="shop", name="neither")
TAKEN_ON = Outcome(state=RunState.WAITING)
LATER = HttpTarget(method="GET", url="https://shop.test/", mode=Mode.CALLBACK)


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def known(stage: Stage, key: JobKey = KEY, **fields: object) -> None:
    stage.state.definitions[key] = replace(definition(), job=job(key=key, **fields))


def queued(stage: Stage, clock: str = "09:00", key: JobKey = KEY) -> Received:
    due = run(clock, key=RunKey.scheduled(key, at(clock)))
    stage.ports.runs.claim([due])
    return Received(run=due.key, attempt=1, receipt=f"{key.name} {clock}")


def state(stage: Stage, message: Received) -> RunState:
    return stage.state.runs[message.run].state


def meanwhile(stage: Stage, *others: Received) -> tuple[Callable[[Call], Outcome], list[Handled]]:
    """A target during whose first call another worker receives the other messages."""
    came: list[Handled] = []

    def call(_: Call) -> Outcome:
        if not came:
            came.extend(stage.execute(others))
        return SUCCESS

    return call, came


def under_way(stage: Stage, message: Received, clock: str = "09:00") -> Run:
    """The run with its first attempt under way; its worker is alive or dead."""
    stage.at(clock).execute([message], lambda _: TAKEN_ON)
    return stage.state.runs[message.run]


def next_look(stage: Stage, message: Received) -> datetime:
    [coming] = [each for each in stage.state.messages if each.run == message.run]
    return coming.not_before


def test_with_a_limit_of_two_a_third_run_waits_and_then_starts(stage: Stage) -> None:
    known(stage, max_concurrency=2, target=LATER)
    first, second, third = (queued(stage, f"09:00:0{n}") for n in range(3))
    for each in (first, second):
        under_way(stage, each, "09:00:10")
    [handled] = stage.execute([third])
    assert (state(stage, third), handled.deletable, len(stage.called)) == (RunState.QUEUED, True, 2)
    looks = next_look(stage, third)
    assert at("09:00:15") <= looks <= at("09:00:25")
    cancel(stage.ports, first.run, who="ada")
    stage.now = looks
    stage.execute([third])
    assert state(stage, third) is RunState.SUCCEEDED


def test_a_namespace_limit_counts_for_all_its_jobs_together(stage: Stage) -> None:
    namespaces.limit(stage.ports, "shop", 1, who="ada")
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


DB = (NamedLimit("db", 1),)


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
    cancel(stage.ports, holder.run, who="ada")
    stage.now = next_look(stage, others)
    stage.execute([others])
    started = stage.state.runs[others.run]
    assert (started.state, started.waits_for) == (RunState.SUCCEEDED, None)


def test_a_start_takes_its_lock_and_a_slot_of_each_of_its_limits_at_once(stage: Stage) -> None:
    namespaces.limit(stage.ports, "shop", 5, who="ada")
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
    namespaces.limit(stage.ports, "shop", 1, who="ada")
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
    namespaces.limit(stage.ports, "shop", 1000, who="ada")
    known(stage)
    stage.execute([queued(stage)])
    assert stage.permits.calls["get"] == 1
    namespaces.limit(stage.ports, "shop", 12, who="ada")
    known(stage, target=LATER)
    many = [queued(stage, f"08:{minute}") for minute in range(10, 23)]
    for message in many:
        stage.execute([message], lambda _: TAKEN_ON)
    states = [state(stage, message) for message in many]
    assert states == [*[RunState.WAITING] * 12, RunState.QUEUED], "each slot is found, and no more than there are"


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


def test_a_run_that_waits_for_a_slot_keeps_one_message(stage: Stage) -> None:
    known(stage, max_concurrency=1)
    mine, other = queued(stage), queued(stage, "08:59")
    copies = [mine._replace(receipt=receipt) for receipt in ("r1", "r2", "r3")]
    came: list[Handled] = []
    stage.execute([other], lambda _: came.extend(one for copy in copies for one in stage.execute([copy])) or SUCCESS)
    assert [one.deletable for one in came] == [True, True, True]
    assert len(stage.state.messages) == 1, "the others are known to be one too many"
    assert not sweep(stage.at("09:00:10").ports, time_left=lambda: MINUTE)


def test_a_worker_that_dies_as_it_puts_a_run_off_leaves_a_message_for_its_next_look(stage: Stage) -> None:
    known(stage, max_concurrency=1)
    mine, other = queued(stage), queued(stage, "08:59")

    def call(_: Call) -> Outcome:
        stage.runs.fails("move", after_effect=True, error=KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            stage.execute([mine])
        return SUCCESS

    stage.execute([other], call)
    waits = stage.state.runs[mine.run]
    assert (waits.state, waits.retry_at) == (RunState.QUEUED, next_look(stage, mine))


@pytest.mark.parametrize("written_by", ["nobody, since the store does not answer", "another worker"])
def test_a_message_is_replaced_by_one_even_if_the_next_look_cannot_be_written(stage: Stage, written_by: str) -> None:
    known(stage, max_concurrency=1)
    mine, other = queued(stage), queued(stage, "08:59")
    came: list[Handled] = []

    def call(_: Call) -> Outcome:
        if written_by == "another worker":
            stage.runs.before("move", lambda: came.extend(stage.execute([mine._replace(receipt="copy")])))
        else:
            stage.runs.fails("move", times=4)
        came.extend(stage.execute([mine]))
        return SUCCESS

    stage.execute([other], call)
    assert all(one.deletable for one in came)
    assert len(stage.state.messages) == len(came)


def test_a_clock_slightly_behind_deletes_no_needed_message(stage: Stage) -> None:
    known(stage, max_concurrency=1)
    mine, other = queued(stage), queued(stage, "08:59")
    call, _ = meanwhile(stage, mine)
    stage.execute([other], call)
    stage.now = next_look(stage, mine) - 2 * SECOND
    [handled] = stage.execute([mine])
    assert (handled.deletable, stage.state.hidden[-1]) == (False, (mine, 2 * SECOND))


def test_a_message_whose_successor_cannot_be_sent_is_kept(stage: Stage) -> None:
    known(stage, max_concurrency=1)
    mine, other = queued(stage), queued(stage, "08:59")
    stage.picky.refuses = lambda message: message.run == mine.run
    call, came = meanwhile(stage, mine)
    stage.execute([other], call)
    assert [(one.deletable, one.problem) for one in came] == [(False, "the run's next message could not be sent")]


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


def test_a_run_that_waits_for_a_slot_can_be_cancelled_paused_or_deleted(stage: Stage) -> None:
    known(stage, max_concurrency=1)
    first, second, holder = queued(stage), queued(stage, "09:00:01"), queued(stage, "08:59")
    stage.at("09:00:02")
    call, _ = meanwhile(stage, first, second)
    stage.execute([holder], call)
    assert cancel(stage.ports, first.run, who="ada").state is RunState.CANCELLED
    namespaces.pause(stage.ports, "shop", who="ada")
    stage.execute([second])
    skipped = stage.state.runs[second.run]
    assert (skipped.skip_reason, skipped.retry_at) == (SkipReason.NAMESPACE_PAUSED, None), (
        "at once, and not at its next look"
    )


@pytest.mark.parametrize(
    ("overlap", "older", "newer"),
    [
        (Overlap.QUEUE_ALL, RunState.QUEUED, RunState.QUEUED),
        (Overlap.QUEUE_ONE, RunState.QUEUED, RunState.SKIPPED),
        (Overlap.SKIP, RunState.QUEUED, RunState.SUCCEEDED),
    ],
)
def test_a_run_that_waits_for_a_slot_keeps_its_place_in_the_queue_of_its_job(
    stage: Stage, overlap: Overlap, older: RunState, newer: RunState
) -> None:
    namespaces.limit(stage.ports, "shop", 1, who="ada")
    known(stage)
    known(stage, OTHER, overlap=overlap)
    holder, one, two = queued(stage), queued(stage, "08:58", OTHER), queued(stage, "08:59", OTHER)
    call, _ = meanwhile(stage, one)
    stage.execute([holder], call)
    stage.execute([two])
    assert (state(stage, one), state(stage, two)) == (older, newer)


def test_a_newer_run_replaces_one_that_waits_for_a_slot(stage: Stage) -> None:
    namespaces.limit(stage.ports, "shop", 1, who="ada")
    known(stage)
    known(stage, OTHER, overlap=Overlap.REPLACE)
    holder, one, two = queued(stage), queued(stage, "08:58", OTHER), queued(stage, "08:59", OTHER)
    call, _ = meanwhile(stage, one, two)
    stage.execute([holder], call)
    stage.now += MINUTE
    stage.execute([one])
    stage.execute([two])
    replaced = stage.state.runs[one.run]
    assert (replaced.state, replaced.skip_reason) == (RunState.SKIPPED, SkipReason.REPLACED)
    assert (replaced.blocked_by, state(stage, two)) == (two.run.run_id, RunState.SUCCEEDED)


def test_a_lower_limit_counts_for_later_starts_only(stage: Stage) -> None:
    known(stage, max_concurrency=2, target=LATER)
    first, second, mine = queued(stage), queued(stage, "08:59"), queued(stage, "08:58")
    for each in (first, second):
        under_way(stage, each)
    known(stage, max_concurrency=1)
    stage.execute([mine])
    assert [state(stage, each) for each in (first, second, mine)] == [*[RunState.WAITING] * 2, RunState.QUEUED]
    [lowest] = [permit.holder for permit in stage.state.permits.values() if permit.key.name == "SLOT#0"]
    cancel(stage.ports, lowest, who="ada")
    stage.now = next_look(stage, mine)
    stage.execute([mine])
    assert state(stage, mine) is RunState.SUCCEEDED


def test_a_second_message_of_a_retry_that_waits_for_a_slot_does_not_become_a_dead_letter(stage: Stage) -> None:
    retry = Retry(max_attempts=2, backoff=Backoff(initial=10 * SECOND, jitter=0))
    known(stage, max_concurrency=1, retry=retry, target=LATER, timeout=600 * MINUTE)
    first, second = queued(stage), queued(stage, "08:59")
    stage.execute([first], lambda _: Outcome(RunState.FAILED))
    under_way(stage, second)
    stage.state.messages.clear()
    stage.at("09:00:10").execute([first])
    for _ in range(30):
        [coming] = [message for message in stage.state.messages if message.run == first.run][:1]
        stage.state.messages.clear()
        stage.now = coming.not_before - 4 * SECOND
        [handled] = stage.execute([first])
        assert handled.deletable
        stage.now = coming.not_before
        stage.execute([first])
    assert state(stage, first) is RunState.RETRYING
