"""The soak's checker notices what is lost, invented, or skipped for no reason."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.soak.evidence import Evidence
from tests.soak.schedules import Span, every_nth_second
from tests.unit.soak.scene import FIRST, JOB, at, broken, did, outage, run_of, well, with_run, without_run

PASSED_OVER = {"kind": "passed_over", "first": at(60).isoformat(), "last": at(60).isoformat()}


def _passed_over(policy: str) -> Evidence:
    found = without_run(well(replace(JOB, catch_up=policy, grace=20)), 2)
    explained = {(JOB.name, at(60)): PASSED_OVER | {"policy": f"catch_up={policy}", "text": "missed"}}
    return replace(found, explained=explained)


def test_a_soak_in_which_all_went_well_has_no_violation() -> None:
    assert broken(well()) == {}


def test_an_instant_without_a_run_is_lost() -> None:
    [violation] = broken(without_run(well(), 2))["none lost"]
    assert "2026-11-22 12:01:30+00:00 has no run" in violation


def test_an_instant_that_explain_calls_missed_is_lost() -> None:
    missed = replace(without_run(well(), 2), explained={(JOB.name, at(60)): {"kind": "missed", "text": "a bug"}})
    [violation] = broken(missed)["none lost"]
    assert "missed: a bug" in violation


def test_a_missed_occurrence_may_be_left_out_by_its_jobs_policy_if_an_outage_kept_the_tick() -> None:
    left_out = replace(_passed_over("skip"), faults=(outage(at(20), 80, "ticks halted"),))
    assert broken(left_out) == {}


def test_a_policy_that_leaves_out_what_no_outage_delayed_loses_it() -> None:
    assert "none lost" in broken(_passed_over("skip"))


def test_a_policy_that_is_not_the_jobs_loses_what_it_leaves_out() -> None:
    other = replace(_passed_over("skip"), jobs={JOB.name: replace(JOB, catch_up="all", grace=20)})
    assert "none lost" in broken(replace(other, faults=(outage(at(20), 80, "ticks halted"),)))


def test_the_latest_missed_occurrence_must_run() -> None:
    halted = replace(_passed_over("latest"), faults=(outage(at(20), 80, "ticks halted"),))
    assert "latest caught up" in broken(halted)
    caught_up = with_run(halted, 2, claimed_at=at(120), started_at=at(121), finished_at=at(122), calls=())
    assert "latest caught up" not in broken(caught_up)


def test_an_occurrence_that_was_found_after_its_grace_must_not_run_with_catch_up_skip() -> None:
    late = with_run(well(replace(JOB, catch_up="skip", grace=20)), 2, claimed_at=at(105))
    assert "grace kept" in broken(late)


def test_a_run_that_the_schedule_does_not_name_is_invented() -> None:
    more = well()
    odd = run_of(JOB, at(7))
    assert "none invented" in broken(replace(more, runs={JOB.name: (*more.runs[JOB.name], odd)}))


def test_a_run_after_the_end_of_the_schedule_is_invented() -> None:
    more = well()
    odd = run_of(JOB, at(60 * 30))
    assert "none invented" in broken(replace(more, runs={JOB.name: (*more.runs[JOB.name], odd)}))


def test_a_run_that_a_calendar_blocks_is_invented_and_its_instant_is_not_expected() -> None:
    blocked = replace(well(), jobs={JOB.name: replace(JOB, blocked=(Span(at(59), at(61)),))})
    assert list(broken(blocked)) == ["none invented"]
    assert broken(without_run(blocked, 2)) == {}


def test_a_run_of_a_pause_is_invented() -> None:
    paused = replace(well(), acts=(did("paused", at(50)), did("resumed", at(70))))
    assert list(broken(paused)) == ["none invented"]
    assert broken(without_run(paused, 2)) == {}


def test_an_edit_decides_about_the_instants_after_it() -> None:
    edited = replace(well(), acts=(did("saved", at(895), schedule=every_nth_second(30, 15)),))
    found = broken(edited)
    assert len(found["none lost"]) == 29
    assert len(found["none invented"]) == 30


def test_while_an_edit_is_on_its_way_both_schedules_are_right() -> None:
    slow = did("saved", at(59), answered=at(61), schedule=every_nth_second(30))
    assert broken(replace(well(), acts=(slow,))) == {}
    assert broken(replace(without_run(well(), 2), acts=(slow,))) == {}


def test_a_run_that_was_skipped_for_no_reason_is_a_violation() -> None:
    skipped = with_run(well(), 2, state="skipped", attempt=0, started_at=None, reason="the job is paused", calls=())
    assert "skips with reasons" in broken(skipped)


def test_a_run_that_still_waited_when_its_job_was_paused_may_be_skipped() -> None:
    skipped = with_run(well(), 2, state="skipped", attempt=0, started_at=None, finished_at=at(75), calls=())
    assert broken(replace(skipped, acts=(did("paused", at(70)), did("resumed", at(80))))) == {}


def test_a_run_may_be_skipped_only_for_one_that_was_active() -> None:
    job = replace(JOB, overlap="skip")
    blocker = run_of(job, at(30))["run_id"]
    skipped = with_run(
        well(job), 2, state="skipped", attempt=0, started_at=None, finished_at=at(60.1), blocked_by=blocker, calls=()
    )
    assert "skips with reasons" in broken(skipped)
    busy = with_run(skipped, 1, finished_at=at(30) + timedelta(seconds=31))
    assert "skips with reasons" not in broken(busy)


def test_a_run_for_another_instant_than_its_id_is_a_violation() -> None:
    wrong = with_run(well(), 2, scheduled_for=FIRST + timedelta(seconds=61))
    assert "instants as named" in broken(wrong)


def test_of_runs_that_replace_one_another_only_a_later_one_is_a_reason_to_skip() -> None:
    job = replace(JOB, overlap="replace")
    skipped = with_run(well(job), 2, state="skipped", attempt=0, started_at=None, finished_at=at(91), calls=())
    assert "skips with reasons" not in broken(with_run(skipped, 2, blocked_by=run_of(job, at(90))["run_id"]))
    assert "skips with reasons" in broken(with_run(skipped, 2, blocked_by=run_of(job, at(30))["run_id"]))
    assert "skips with reasons" in broken(with_run(skipped, 2, blocked_by=run_of(job, at(120))["run_id"]))


def test_a_tick_that_planned_in_time_may_claim_late_within_a_minute_of_an_outage() -> None:
    late = with_run(well(replace(JOB, catch_up="skip", grace=20)), 2, claimed_at=at(105))
    assert "grace kept" not in broken(replace(late, faults=(outage(at(-50), 55, "workers cannot read tables"),)))
    assert "grace kept" in broken(replace(late, faults=(outage(at(-200), 100, "workers cannot read tables"),)))
