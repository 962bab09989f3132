"""Runs that wait for a slot: their messages, and their place among the runs of their job."""

from __future__ import annotations

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.policies import Backoff, Overlap, Retry
from minutehand.domain.run import RunState, SkipReason
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.definitions import namespaces
from minutehand.usecases.ports.target import Call, Outcome
from minutehand.usecases.running.worker import Handled
from minutehand.usecases.upkeep.sweep import sweep
from tests.unit.domain.examples import MINUTE, SECOND
from tests.unit.usecases.running.slots.limited import (
    LATER,
    OTHER,
    known,
    meanwhile,
    next_look,
    queued,
    state,
    under_way,
)
from tests.unit.usecases.stage import SUCCESS, Stage


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


def test_a_run_that_waits_for_a_slot_can_be_cancelled_paused_or_deleted(stage: Stage) -> None:
    known(stage, max_concurrency=1)
    first, second, holder = queued(stage), queued(stage, "09:00:01"), queued(stage, "08:59")
    stage.at("09:00:02")
    call, _ = meanwhile(stage, first, second)
    stage.execute([holder], call)
    assert cancel(stage.ports, first.run, who=Actor("ada")).state is RunState.CANCELLED
    namespaces.pause(stage.ports, "shop", who=Actor("ada"))
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
    namespaces.limit(stage.ports, "shop", 1, who=Actor("ada"))
    known(stage)
    known(stage, OTHER, overlap=overlap)
    holder, one, two = queued(stage), queued(stage, "08:58", OTHER), queued(stage, "08:59", OTHER)
    call, _ = meanwhile(stage, one)
    stage.execute([holder], call)
    stage.execute([two])
    assert (state(stage, one), state(stage, two)) == (older, newer)


def test_a_newer_run_replaces_one_that_waits_for_a_slot(stage: Stage) -> None:
    namespaces.limit(stage.ports, "shop", 1, who=Actor("ada"))
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


def test_a_second_message_of_a_retry_that_waits_for_a_slot_is_dropped(stage: Stage) -> None:
    retry = Retry(max_attempts=2, backoff=Backoff(initial=10 * SECOND, jitter=0))
    known(stage, max_concurrency=1, retry=retry, target=LATER, timeout=600 * MINUTE)
    first, second = queued(stage), queued(stage, "08:59")
    stage.execute([first], lambda _: Outcome(RunState.FAILED))
    under_way(stage, second)
    stage.state.messages.clear()
    stage.at("09:00:10").execute([first])
    stage.now = next_look(stage, first) - 4 * SECOND
    [early] = stage.execute([first._replace(receipt="copy")])
    assert early.deletable
    stage.now = next_look(stage, first)
    stage.state.messages.clear()
    stage.execute([first])
    assert next_look(stage, first) > stage.now, "only the message that was due is replaced"
    assert state(stage, first) is RunState.RETRYING
