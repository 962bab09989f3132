"""What a run records that is skipped for `start_within`: how long that was, and what the run last waited for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.missed_start import MissedStart, WaitedFor
from minutehand.domain.policies import NamedLimit, Overlap
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.target import Outcome
from tests.unit.domain.examples import KEY, MINUTE, at, definition, job, run
from tests.unit.usecases.stage import Stage

TAKEN_ON = Outcome(state=RunState.WAITING)
LATER = HttpTarget(method="GET", url="https://shop.test/", mode=Mode.CALLBACK)
TEN = 10 * MINUTE
DB = TakenLimit(LimitKind.NAMED, 1, "db")


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00")


def known(stage: Stage, **fields: object) -> None:
    given = {"start_within": TEN, "target": LATER, "timeout": 60 * MINUTE} | fields
    stage.state.definitions[KEY] = replace(definition(), job=job(**given))


def queued(stage: Stage, clock: str = "09:00", **fields: object) -> Received:
    due = run(clock, **fields)
    stage.ports.runs.claim([due])
    return Received(run=due.key, attempt=1, receipt=clock)


def skipped(stage: Stage, message: Received) -> Run:
    found = stage.state.runs[message.run]
    assert (found.state, found.skip_reason) == (RunState.SKIPPED, SkipReason.START_WITHIN)
    return found


def behind_a_long_one(stage: Stage, clock: str = "09:01") -> tuple[Received, Received]:
    """A run whose target answers later, and one that waits for it."""
    first, second = queued(stage), queued(stage, clock)
    stage.execute([first], lambda _: TAKEN_ON)
    stage.state.messages.clear()
    stage.at(clock).execute([second])
    return first, second


def test_a_run_that_no_worker_took_up_says_so_with_the_time_that_it_had(stage: Stage) -> None:
    known(stage)
    message = queued(stage)
    stage.at("09:30").execute([message])
    known(stage, start_within=MINUTE)
    assert skipped(stage, message).missed_start == MissedStart(TEN, WaitedFor.WORKER)


def test_a_run_claimed_after_its_time_says_so(stage: Stage) -> None:
    known(stage)
    message = queued(stage, claimed_at=at("09:10"))
    stage.at("09:30").execute([message])
    assert skipped(stage, message).missed_start == MissedStart(TEN, WaitedFor.CLAIM)


def test_a_run_that_found_no_slot_keeps_the_limit(stage: Stage) -> None:
    known(stage, limits=(NamedLimit("db", 1),))
    _, second = behind_a_long_one(stage)
    stage.at("09:12").work()
    found = skipped(stage, second)
    assert (found.missed_start, found.waits_for) == (MissedStart(TEN, WaitedFor.SLOT), DB)
    assert (found.retry_at, found.blocked_by) == (None, "")


@pytest.mark.parametrize("overlap", [Overlap.QUEUE_ONE, Overlap.QUEUE_ALL])
def test_a_run_that_waited_for_the_lock_names_its_holder(stage: Stage, overlap: Overlap) -> None:
    known(stage, overlap=overlap)
    first, second = behind_a_long_one(stage)
    stage.at("09:12").work()
    found = skipped(stage, second)
    assert (found.missed_start, found.blocked_by) == (MissedStart(TEN, WaitedFor.LOCK), first.run.run_id)


def test_a_run_that_found_the_lock_free_but_no_slot_keeps_the_limit(stage: Stage) -> None:
    known(stage, overlap=Overlap.QUEUE_ALL, limits=(NamedLimit("db", 1),))
    first, second = behind_a_long_one(stage)
    for permit in list(stage.state.permits.values()):
        if permit.key.name == "LOCK":
            stage.state.permits[permit.key] = permit._replace(holder=None)
    stage.at("09:05").execute([second])
    assert stage.state.runs[second.run].waits_for == DB
    stage.at("09:12").execute([second])
    found = skipped(stage, second)
    assert (found.missed_start, found.waits_for) == (MissedStart(TEN, WaitedFor.SLOT), DB)
    assert first.run.run_id != found.blocked_by


def test_a_run_that_lost_the_lock_again_after_it_found_no_slot_names_the_holder(stage: Stage) -> None:
    known(stage, overlap=Overlap.QUEUE_ALL, limits=(NamedLimit("db", 1),))
    first, second = behind_a_long_one(stage)
    waits = stage.state.runs[second.run]
    stage.state.runs[second.run] = replace(waits, retry_at=at("09:06"), waits_for=DB)
    stage.at("09:12").execute([second])
    found = skipped(stage, second)
    assert (found.missed_start, found.blocked_by) == (MissedStart(TEN, WaitedFor.LOCK), first.run.run_id)
    assert found.waits_for is None


def test_a_run_that_waited_for_an_older_one_names_that_once_the_holder_has_ended(stage: Stage) -> None:
    known(stage, overlap=Overlap.QUEUE_ALL)
    first, second = behind_a_long_one(stage)
    third = queued(stage, "09:02")
    stage.at("09:02").execute([third])
    ended = replace(stage.state.runs[first.run], state=RunState.SUCCEEDED, finished_at=at("09:11"))
    stage.state.runs[first.run] = ended
    stage.at("09:12:30").execute([third])
    assert skipped(stage, third).blocked_by == second.run.run_id


@pytest.mark.thorough
def test_a_run_that_only_seemed_to_wait_for_a_busy_lock_was_not_taken_up(stage: Stage) -> None:
    known(stage, overlap=Overlap.QUEUE_ALL)
    first, second = queued(stage), queued(stage, "09:01")
    stage.execute([first], lambda _: TAKEN_ON)
    stage.at("09:30").execute([second])
    assert skipped(stage, second).missed_start == MissedStart(TEN, WaitedFor.WORKER)


def test_a_run_that_rests_for_a_fixed_delay_names_the_run_before_it(stage: Stage) -> None:
    hour = "@after 1h"
    stage.save(job(hour, start_within=TEN))
    before, message = queued(stage, "09:00"), queued(stage, "09:05")
    stage.execute([before])
    stage.at("09:05").execute([message])
    stage.at("09:15").execute([message])
    found = skipped(stage, message)
    assert (found.missed_start, found.blocked_by) == (MissedStart(TEN, WaitedFor.LOCK), before.run.run_id)


@pytest.mark.parametrize(("overlap", "reads"), [(Overlap.ALLOW, 0), (Overlap.SKIP, 2)])
def test_only_runs_that_must_not_overlap_read_the_lock_for_it(stage: Stage, overlap: Overlap, reads: int) -> None:
    known(stage, overlap=overlap)
    message = queued(stage)
    stage.at("09:30").execute([message])
    skipped(stage, message)
    assert stage.permits.calls["get"] == reads, "once before the skip, and once in the follow-up of the run's end"


def test_other_skips_record_no_missed_start(stage: Stage) -> None:
    known(stage, paused=True)
    message = queued(stage)
    stage.at("11:00").execute([message])
    assert stage.state.runs[message.run].missed_start is None
