from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import CatchUp
from minutehand.domain.run import RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Timer
from minutehand.usecases.ports.messages import Message
from minutehand.usecases.ports.stores import Claim
from tests.unit.domain.examples import KEY, SECOND, at, run, timer
from tests.unit.usecases.stage import Stage

OTHER = JobKey(namespace="shop", name="stock")


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def due(stage: Stage, next_at: str = "09:00", schedule: str = "* * * * *", **fields: object) -> Timer:
    return stage.put(timer(next_at, schedule, **fields))


def test_a_due_occurrence_is_claimed_sent_and_passed(stage: Stage) -> None:
    dispatched = stage.dispatch(due(stage))
    assert stage.claimed() == stage.sent() == ["09:00:00", "09:01:00", "09:02:00"]
    assert stage.next_at() == at("09:03")
    assert (dispatched.timers, dispatched.claimed, dispatched.sent, dispatched.advanced, dispatched.problems) == (
        1,
        3,
        3,
        1,
        [],
    )


def test_a_job_due_several_times_is_advanced_once(stage: Stage) -> None:
    stage.dispatch(due(stage, schedule="*/10 * * * * *"))
    assert len(stage.claimed()) == 13
    assert stage.timers.calls["advance"] == 1


def test_a_claimed_run_is_queued_under_the_timers_revision(stage: Stage) -> None:
    stage.at("08:59:30.250").dispatch(due(stage, "09:00", "0 9 * * *", revision=7))
    claimed = stage.run("09:00")
    assert claimed is not None
    assert (claimed.state, claimed.attempt, claimed.revision, claimed.target) == (RunState.QUEUED, 0, 7, "http")
    assert claimed.claimed_at == at("08:59:30.250")
    assert claimed.expires_at == at("09:00") + timer("09:00").retention, "kept from the instant on"


def test_a_late_run_is_kept_from_now_on(stage: Stage) -> None:
    stage.at("09:04:00.500").dispatch(due(stage, "09:00", "0 9 * * *"))
    claimed = stage.run("09:00")
    assert claimed is not None
    assert claimed.expires_at == at("09:04") + timer("09:00").retention


def test_a_message_names_its_attempt_and_earliest_time(stage: Stage) -> None:
    stage.dispatch(due(stage, "09:01", "*/30 1 9 * * *"))
    assert stage.state.messages == [
        Message(run=RunKey.scheduled(KEY, at(text)), attempt=1, target="http", not_before=at(text))
        for text in ("09:01", "09:01:30")
    ]


def test_a_timer_that_is_not_due_is_left_alone(stage: Stage) -> None:
    dispatched = stage.dispatch(due(stage, "09:03"))
    assert (stage.claimed(), stage.next_at(), dispatched.problems) == ([], at("09:03"), [])
    assert stage.runs.calls.total() == stage.outbox.calls.total() == 0, "it costs nothing"


def test_a_second_dispatch_of_the_same_timer_changes_nothing_but_sends_again(stage: Stage) -> None:
    read = due(stage)
    stage.dispatch(read)
    before = dict(stage.state.runs)
    dispatched = stage.dispatch(read)
    assert stage.state.runs == before
    assert stage.sent() == ["09:00:00", "09:01:00", "09:02:00"] * 2, "nobody knows whether the first one sent them"
    assert (dispatched.claimed, dispatched.sent, stage.next_at()) == (0, 3, at("09:03"))


@pytest.mark.parametrize("state", [state for state in RunState if state is not RunState.QUEUED])
def test_a_run_that_is_past_queued_is_not_sent_again(stage: Stage, state: RunState) -> None:
    stage.state.runs[run().key] = there = run(state=state)
    stage.dispatch(due(stage, schedule="0 9 * * *"))
    assert stage.sent() == []
    assert stage.state.runs[run().key] == there
    assert stage.next_at() is not None
    assert stage.next_at() > at("10:00"), "but it is passed"


# A crash after each step, and what the next dispatch makes of it.
def test_after_a_crash_before_sending_the_next_dispatch_sends(stage: Stage) -> None:
    stage.outbox.fails("send")
    dispatched = stage.dispatch(due(stage))
    assert (stage.claimed(), stage.sent(), stage.next_at()) == (["09:00:00", "09:01:00", "09:02:00"], [], at("09:00"))
    assert dispatched.problems == [f"{KEY}: send did not answer"]
    stage.dispatch(stage.timers.get(KEY))
    assert (stage.sent(), stage.next_at()) == (["09:00:00", "09:01:00", "09:02:00"], at("09:03"))


def test_after_a_crash_before_advancing_the_next_dispatch_advances(stage: Stage) -> None:
    stage.timers.fails("advance")
    stage.dispatch(due(stage))
    assert stage.next_at() == at("09:00")
    stage.dispatch(stage.timers.get(KEY))
    assert stage.next_at() == at("09:03")
    assert len(stage.claimed()) == 3


@pytest.mark.parametrize(
    ("refused", "stands_at", "why"),
    [
        ({"09:00"}, "09:00", "the first: it does not move at all"),
        ({"09:01"}, "09:01", "the second: as far as that one, though the third is sent"),
        ({"09:02"}, "09:02", "the last: up to it"),
        ({"09:01", "09:02"}, "09:01", "the earlier of two"),
        (set(), "09:03", "none: past them all"),
    ],
)
@pytest.mark.parametrize("at_step", ["claim", "send"])
def test_a_timer_advances_only_as_far_as_the_first_that_was_not_claimed_and_sent(
    stage: Stage, at_step: str, refused: set[str], stands_at: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = {RunKey.scheduled(KEY, at(text)) for text in refused}
    if at_step == "send":
        stage.picky.refuses = lambda message: message.run in stuck
    else:
        right = stage.runs._port._claim
        monkeypatch.setattr(
            stage.runs._port, "_claim", lambda run: Claim.FAILED if run.key in stuck else right(run), raising=True
        )
    dispatched = stage.dispatch(due(stage))
    assert stage.next_at() == at(stands_at), why
    assert set(stage.sent()) == {"09:00:00", "09:01:00", "09:02:00"} - {f"{text}:00" for text in refused}
    step = (
        f"({len(refused)} not claimed, 0 not sent)"
        if at_step == "claim"
        else f"(0 not claimed, {len(refused)} not sent)"
    )
    said = f"occurrences that stay due for the next tick: {len(refused)} of 3 {step}, first shop/report 20261120T{stands_at.replace(':', '')}00Z"
    assert dispatched.problems == ([said] if refused else [])
    assert dispatched.advanced == (stands_at != "09:00")


def test_a_claim_that_does_not_answer_leaves_everything_as_it_was(stage: Stage) -> None:
    stage.runs.fails("claim")
    dispatched = stage.dispatch(due(stage))
    assert (stage.claimed(), stage.sent(), stage.next_at()) == ([], [], at("09:00"))
    assert dispatched.problems == [f"{KEY}: claim did not answer"]


def test_duplicates_that_cannot_be_read_stay_due_and_new_ones_continue(stage: Stage) -> None:
    stage.state.runs[run("09:01").key] = run("09:01")
    stage.runs.fails("get", times=2)
    dispatched = stage.dispatch(due(stage))
    assert stage.sent() == ["09:00:00", "09:02:00"]
    assert stage.next_at() == at("09:01")
    assert dispatched.problems[0].endswith("could not be read again: get did not answer")


def test_a_run_that_vanishes_before_it_is_read_stays_due(stage: Stage) -> None:
    there = run()
    stage.state.runs[there.key] = there
    stage.runs.before("get", lambda: stage.state.runs.pop(there.key))
    stage.dispatch(due(stage, schedule="0 9 * * *"))
    assert (stage.next_at(), stage.sent()) == (at("09:00"), [])


def test_an_advance_that_finds_the_timer_moved_does_nothing(stage: Stage) -> None:
    read = due(stage)
    moved = replace(read, next_at=at("09:30"), revision=2)
    stage.timers.before("advance", lambda: stage.put(moved))
    stage.dispatch(read)
    assert stage.state.timers[KEY] == moved


def skipped_run(**fields: object) -> object:
    return run(state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED, finished_at=at("09:00:01"), **fields)


@pytest.mark.parametrize(
    ("judged_by", "reopened", "why"),
    [
        (4, True, "an earlier revision"),
        (5, False, "the same revision"),
        (6, False, "a later revision than this timer's"),
    ],
)
def test_a_skip_is_reopened_only_under_a_later_revision(stage: Stage, judged_by: int, reopened: bool, why: str) -> None:
    stage.state.runs[run().key] = skip = skipped_run(revision=judged_by)
    stage.dispatch(due(stage, schedule="0 9 * * *", revision=5))
    current = stage.run("09:00")
    assert current is not None
    if reopened:
        assert (current.state, current.revision, current.skip_reason, current.finished_at) == (
            RunState.QUEUED,
            5,
            None,
            None,
        )
        assert stage.sent() == ["09:00:00"]
    else:
        assert (current, stage.sent()) == (skip, []), why
    assert stage.next_at() != at("09:00")


def test_a_run_that_another_process_reopened_counts_as_reopened(stage: Stage) -> None:
    stage.state.runs[run().key] = skipped_run()
    started = run(revision=2, state=RunState.RUNNING, attempt=1, nonce="w", lease_until=at("09:02"))
    stage.runs.before("move", lambda: stage.state.runs.update({started.key: started}))
    stage.dispatch(due(stage, schedule="0 9 * * *", revision=2))
    assert (stage.run("09:00"), stage.sent()) == (started, [])


def late(stage: Stage, **fields: object) -> Timer:
    stage.at("09:30")
    return due(stage, "09:00", **{"catch_up": CatchUp.SKIP, **fields})


def test_a_skipped_range_is_recorded_once_with_its_policy(stage: Stage) -> None:
    read = late(stage)
    dispatched = stage.dispatch(read)
    stage.dispatch(read)
    stage.dispatch(stage.timers.get(KEY))
    [skipped] = stage.state.skipped
    assert (skipped.job, skipped.first, skipped.until) == (KEY, at("09:00"), at("09:25"))
    assert str(skipped.policy) == "catch_up=skip"
    assert (dispatched.skipped_ranges, stage.claimed()[0], stage.next_at()) == (1, "09:25:00", at("09:33"))


def test_a_process_that_loses_a_skip_stops(stage: Stage) -> None:
    read = late(stage)
    stage.timers.before("skip", lambda: stage.put(replace(read, next_at=at("09:28"))))
    dispatched = stage.dispatch(read)
    assert (stage.claimed(), stage.state.skipped, stage.next_at(), dispatched.skipped_ranges) == (
        [],
        [],
        at("09:28"),
        0,
    )


def test_a_skip_that_does_not_answer_stops_this_timer_and_no_other(stage: Stage) -> None:
    stage.timers.fails("skip", after_effect=True)
    read = late(stage)
    dispatched = stage.dispatch(read, stage.put(timer("09:30", "30 9 * * *", job=OTHER)))
    assert stage.claimed() == ["09:30:00"]
    assert len(dispatched.problems) == 1
    assert "skip did not answer" in dispatched.problems[0]
    stage.dispatch(stage.timers.get(KEY))
    assert len(stage.state.skipped) == 1, "the repetition finds it done"
    assert stage.next_at() == at("09:33")


def test_a_range_that_reaches_beyond_the_look_ahead_only_moves_the_timer(stage: Stage) -> None:
    stage.dispatch(late(stage, schedule="0 9,12 * * *"))
    assert (stage.claimed(), stage.next_at()) == ([], at("12:00"))
    assert [(s.first, s.until) for s in stage.state.skipped] == [(at("09:00"), at("12:00"))]


def test_a_skipped_range_leaves_a_recheck(stage: Stage) -> None:
    stage.dispatch(late(stage))
    [owed] = stage.state.rechecks.values()
    assert (owed.job, owed.after, owed.until) == (KEY, at("09:00") - SECOND, at("09:25")), "all of it"
    assert owed.next_at == at("09:31:30"), "by then, whoever may be claiming in it is dead"
