"""Explaining any instant of a job's past and future."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from minutehand.domain.calendar import Calendar, CalendarKey, DateRange, Weekly
from minutehand.domain.errors import NotFound
from minutehand.domain.findings import Finding, Kind
from minutehand.domain.history import Did
from minutehand.domain.job import CatchUp, Dependency, JobKey, On, OnBlocked
from minutehand.domain.run import RunError, RunState
from minutehand.domain.timer import BrokenTimer, SkippedRange, Ticks
from minutehand.usecases.by_hand.trigger import trigger
from minutehand.usecases.definitions import manage
from minutehand.usecases.history.explain import MOST_FINDINGS, Explanation, explain_instant, explain_stretch
from minutehand.usecases.ports.calling import Outcome
from tests.unit.domain.examples import DAY, KEY, MINUTE, SECOND, at
from tests.unit.usecases.stage import Stage

HOURLY = "0 * * * *"
A_DAY = timedelta(days=1)


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00:30")


def live(stage: Stage, until: str) -> None:
    """Let a tick and a worker come each minute."""
    end = at(until)
    while stage.now <= end:
        stage.tick()
        stage.work()
        stage.now += MINUTE


def instant(stage: Stage, clock: str) -> Finding:
    [finding] = explain_instant(stage.world, KEY, at(clock)).findings
    return finding


def stretch(stage: Stage, first: str, last: str) -> Explanation:
    return explain_stretch(stage.world, KEY, at(first), at(last))


def told(found: Explanation) -> list[tuple[str, str, str, int | None]]:
    """Kind, first, last and times of each finding."""
    return [(f.kind.value, f"{f.first:%H:%M:%S}", f"{f.last:%H:%M:%S}", f.times) for f in found.findings]


def calendar(stage: Stage, name: str = "closed", **fields: Any) -> None:
    values = {"description": "", "dates": (), "weekly": (), "periods": (), "revision": 1, "updated_at": at("08:00")}
    stage.state.calendars[CalendarKey(KEY.namespace, name)] = Calendar(
        key=CalendarKey(KEY.namespace, name), updated_by="ada", **(values | fields)
    )


def test_a_job_that_never_was_is_not_found(stage: Stage) -> None:
    with pytest.raises(NotFound, match="never was one"):
        explain_instant(stage.world, KEY, stage.now)
    with pytest.raises(NotFound):
        explain_stretch(stage.world, KEY, stage.now, stage.now)


def test_a_run_that_is_over_is_told_with_its_record(stage: Stage) -> None:
    stage.save()
    live(stage, "09:03")
    finding = instant(stage, "09:02")
    assert (finding.kind, finding.run) == (Kind.RAN, stage.run("09:02"))


def test_an_instant_with_a_fraction_is_its_whole_second(stage: Stage) -> None:
    stage.save()
    live(stage, "09:03")
    assert instant(stage, "09:02:00.900").kind is Kind.RAN


def test_a_run_that_is_not_over_is_under_way(stage: Stage) -> None:
    stage.save()
    finding = instant(stage, "09:02")
    assert (finding.kind, finding.run) == (Kind.UNDER_WAY, stage.run("09:02"))


def test_what_is_still_to_come_is_not_yet_due(stage: Stage) -> None:
    stage.save()
    assert instant(stage, "11:30").kind is Kind.NOT_YET


def test_what_the_schedule_does_not_name_comes_with_the_nearest_that_it_does(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    finding = instant(stage, "10:20")
    assert (finding.kind, finding.before, finding.after) == (Kind.NOT_NAMED, at("10:00"), at("11:00"))


def test_the_nearest_of_a_schedule_at_its_end_are_none_after(stage: Stage) -> None:
    stage.save(schedule="at(2026-11-20T10:00:00)")
    assert (instant(stage, "10:01").before, instant(stage, "10:01").after) == (at("10:00"), None)
    assert (instant(stage, "09:59").before, instant(stage, "09:59").after) == (None, at("10:00"))


def test_before_it_was_created_the_job_did_not_exist(stage: Stage) -> None:
    stage.save()
    finding = instant(stage, "09:00")
    assert finding.kind is Kind.NOT_THERE
    assert finding.revision is not None
    assert (finding.revision.number, finding.revision.who) == (1, "ada")


def test_after_a_delete_it_is_told_who_deleted_it_and_what_ran_before(stage: Stage) -> None:
    stage.save()
    live(stage, "09:05")
    manage.delete(stage.world, KEY, who="bob")
    finding = instant(stage, "12:00")
    assert finding.kind is Kind.DELETED
    assert finding.revision is not None
    assert (finding.revision.did, finding.revision.who) == (Did.DELETED, "bob")
    assert instant(stage, "09:03").kind is Kind.RAN


def test_a_job_that_was_made_again_has_both_lives(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    stage.at("09:10:00")
    manage.delete(stage.world, KEY, who="bob")
    stage.at("09:20:00").save(schedule=HOURLY)
    found = stretch(stage, "09:00", "09:30")
    assert told(found) == [
        ("not_there", "09:00:00", "09:00:30", None),
        ("not_named", "09:00:31", "09:10:00", None),
        ("deleted", "09:10:01", "09:20:00", None),
        ("not_named", "09:20:01", "09:30:00", None),
    ]


def test_a_pause_is_told_whole_with_who_began_and_who_ended_it_however_often_the_job_was_edited_in_it(
    stage: Stage,
) -> None:
    stage.save(schedule=HOURLY)
    stage.at("10:10:00")
    manage.pause(stage.world, KEY, who="bob")
    stage.at("11:30:00").save(schedule=HOURLY, owner="ada", keep_paused=True)
    stage.at("13:30:00")
    manage.resume(stage.world, KEY, who="eve")
    stage.at("14:30:00")
    for clock in ("11:00", "12:00", "13:00"):
        finding = instant(stage, clock)
        assert finding.kind is Kind.PAUSED
        assert finding.pause is not None
        assert (finding.pause.begun.who, finding.pause.begun.effective_from) == ("bob", at("10:10:00"))
        assert finding.pause.ended is not None
        assert (finding.pause.until, finding.pause.ended.who) == (at("13:30:00"), "eve")


def test_a_pause_that_goes_on_has_no_end(stage: Stage) -> None:
    stage.save(schedule=HOURLY, paused=True)
    finding = instant(stage, "12:00")
    assert finding.pause is not None
    assert (finding.kind, finding.pause.until, finding.pause.ended) == (Kind.PAUSED, None, None)


def test_a_pause_that_was_to_end_by_itself_ends_there(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    manage.pause(stage.world, KEY, until=at("10:30"), who="bob")
    stage.at("09:10:00").save(schedule=HOURLY, owner="ada", keep_paused=True)
    found = stretch(stage, "09:30", "11:30")
    assert told(found) == [("paused", "09:30:00", "10:29:59", None), ("not_yet_due", "11:00:00", "11:00:00", 1)]
    assert found.findings[0].pause is not None
    assert (found.findings[0].pause.begun.did, found.findings[0].pause.begun.who) == (Did.PAUSED, "bob")
    assert (found.findings[0].pause.until, found.findings[0].pause.ended) == (at("10:30"), None)


def test_a_pause_that_was_ended_before_its_time_says_so(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    manage.pause(stage.world, KEY, until=at("12:30"), who="bob")
    stage.at("10:30:00")
    manage.resume(stage.world, KEY, who="eve")
    finding = instant(stage, "10:00")
    assert finding.pause is not None
    assert finding.pause.ended is not None
    assert (finding.pause.until, finding.pause.ended.did, finding.pause.ended.who) == (at("10:30"), Did.RESUMED, "eve")
    assert instant(stage, "12:00").kind is Kind.NOT_YET


def test_a_run_that_a_pause_stopped_says_so_itself(stage: Stage) -> None:
    stage.save()
    manage.pause(stage.world, KEY, who="bob")
    stage.at("09:02:30").work()
    finding = stretch(stage, "09:01", "09:02").findings[-1]
    assert (finding.kind, finding.times) == (Kind.SKIPPED, 2)


def test_what_nobody_ticked_for_is_told_with_the_policy_and_when_ticks_were_there(stage: Stage) -> None:
    stage.save(misfire_grace=MINUTE, catch_up=CatchUp.SKIP)
    stage.tick()
    stage.at("09:20:10").tick()
    finding = instant(stage, "09:10")
    assert (finding.kind, finding.policy) == (Kind.PASSED_OVER, "catch_up=skip")
    assert finding.ticks == Ticks(at("09:00"), at("09:20"))


def test_what_is_due_while_nothing_ticks_is_overdue(stage: Stage) -> None:
    stage.save()
    stage.tick()
    stage.at("09:20:10")
    finding = instant(stage, "09:10")
    assert (finding.kind, finding.ticks) == (Kind.OVERDUE, Ticks(at("09:00"), None))


def test_an_overdue_occurrence_says_when_the_timer_cannot_be_read(stage: Stage) -> None:
    stage.save()
    stage.state.timers[KEY] = BrokenTimer(job=KEY, revision=1, next_at=at("09:03"), problem="no target")
    stage.at("09:20:10")
    assert instant(stage, "09:10").problem == "no target"


def test_what_left_neither_run_nor_range_is_missed(stage: Stage) -> None:
    stage.save()
    live(stage, "09:10")
    del stage.state.runs[next(key for key in stage.state.runs if key.scheduled_for == at("09:05"))]
    finding = instant(stage, "09:05")
    assert (finding.kind, finding.ticks) == (Kind.MISSED, Ticks(at("09:05"), at("09:06")))


def test_what_is_older_than_runs_are_kept_is_forgotten(stage: Stage) -> None:
    stage.save(schedule=HOURLY, retention=A_DAY)
    stage.state.timers[KEY] = replace(stage.state.timers[KEY], next_at=at("12:00") + 3 * A_DAY)
    stage.now += 3 * A_DAY
    assert instant(stage, "12:00").kind is Kind.FORGOTTEN


def test_what_is_older_than_the_runs_that_are_kept_by_number_is_forgotten(stage: Stage) -> None:
    stage.save(retention_count=2)
    live(stage, "09:10")
    for key in sorted(stage.state.runs)[:5]:
        del stage.state.runs[key]
    assert instant(stage, "09:03").kind is Kind.FORGOTTEN
    assert instant(stage, "09:06").kind is Kind.RAN


def test_what_a_calendar_blocks_is_told_by_its_record_and_before_that_as_the_calendar_stands(stage: Stage) -> None:
    calendar(stage, dates=(DateRange(DAY, DAY),))
    stage.save(schedule=HOURLY, calendars=("closed",))
    assert (instant(stage, "12:00").kind, instant(stage, "12:00").calendar) == (Kind.BLOCKED, "closed")
    stage.at("11:58:30").tick()
    assert (instant(stage, "12:00").kind, instant(stage, "12:00").policy) == (Kind.PASSED_OVER, "calendar=closed")


def test_what_a_calendar_moves_is_told_with_where_it_runs(stage: Stage) -> None:
    calendar(stage, dates=(DateRange(DAY, DAY),))
    stage.save(schedule="0 12 * * FRI", calendars=("closed",), on_blocked=OnBlocked.NEXT_DAY)
    finding = instant(stage, "12:00")
    assert (finding.kind, finding.moved_to) == (Kind.BLOCKED, at("12:00") + A_DAY)
    [moved] = explain_instant(stage.world, KEY, at("12:00") + A_DAY).findings
    assert moved.kind is Kind.NOT_YET


def test_a_calendar_that_is_gone_blocks_nothing_any_more(stage: Stage) -> None:
    calendar(stage, weekly=(Weekly(0b1111111, 0, 3600),))
    stage.save(schedule=HOURLY, calendars=("closed",))
    stage.at("09:10:00").save(schedule=HOURLY)
    stage.state.calendars.clear()
    assert instant(stage, "09:05").kind is Kind.NOT_NAMED
    assert instant(stage, "12:00").kind is Kind.NOT_YET


def test_outside_its_window_a_job_names_nothing(stage: Stage) -> None:
    stage.save(schedule=HOURLY, start_at=at("11:00"), end_at=at("13:00"))
    assert told(stretch(stage, "10:00", "14:00")) == [
        ("outside_window", "10:00:00", "10:59:59", None),
        ("not_yet_due", "11:00:00", "13:00:00", 3),
        ("outside_window", "13:00:01", "14:00:00", None),
    ]


def test_after_the_last_of_its_runs_a_job_has_used_them_up(stage: Stage) -> None:
    stage.save(schedule=HOURLY, max_runs=2)
    assert told(stretch(stage, "10:00", "13:00")) == [
        ("not_yet_due", "10:00:00", "11:00:00", 2),
        ("used_up", "12:00:00", "13:00:00", 2),
    ]
    stage.now = at("09:58:30")
    live(stage, "11:02")
    assert [kind for kind, *_ in told(stretch(stage, "10:00", "13:00"))] == ["ran", "used_up"]


def test_each_instant_goes_by_the_revision_that_governed_it(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    stage.at("10:30:00").save(schedule="15 * * * *")
    stage.at("12:30:00")
    finding = instant(stage, "12:00")
    assert finding.revision is not None
    assert (finding.kind, finding.revision.number) == (Kind.NOT_NAMED, 2)
    assert finding.revision.changed == ("schedule",)
    assert instant(stage, "10:00").kind is not Kind.NOT_NAMED


def test_a_job_from_before_there_were_histories_is_explained_by_what_its_definition_remembers(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    stage.at("09:30:00").save(schedule="15 * * * *")
    stage.state.histories.clear()
    stage.at("10:00:30")
    assert instant(stage, "09:45").kind is Kind.NOT_NAMED
    definition = stage.state.definitions[KEY]
    stage.state.definitions[KEY] = replace(definition, revisions=definition.revisions[-1:])
    finding = instant(stage, "09:10")
    assert finding.revision is not None
    assert (finding.kind, finding.revision.number) == (Kind.UNKNOWN, 2)


def test_a_schedule_that_cannot_be_read_is_said_to_be_unreadable(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    [past] = stage.state.histories[KEY]
    stage.state.histories[KEY] = [replace(past, schedule="{}")]
    assert instant(stage, "12:00").kind is Kind.UNKNOWN
    assert instant(stage, "12:00").problem


def test_a_manual_job_names_nothing_and_its_runs_speak_for_themselves(stage: Stage) -> None:
    stage.save(schedule="@manual")
    assert instant(stage, "12:00").kind is Kind.NOT_NAMED
    stage.at("10:00:00")
    trigger(stage.world, KEY, idempotency_key="k")
    assert [kind for kind, *_ in told(stretch(stage, "09:59", "10:01"))] == ["under_way"]


def test_a_fixed_delay_names_what_is_outstanding_and_then_waits_for_its_end(stage: Stage) -> None:
    stage.save(schedule="@after 10m")
    assert told(stretch(stage, "09:01", "10:00")) == [
        ("under_way" if stage.run("09:10:30") else "not_yet_due", "09:10:30", "09:10:30", 1)
    ]
    finding = instant(stage, "11:00")
    assert (finding.kind, finding.before, finding.after) == (Kind.NOT_NAMED, at("09:10:30"), None)
    assert instant(stage, "09:05").before is None


def test_a_fixed_delay_is_late_and_never_passed_over(stage: Stage) -> None:
    stage.save(schedule="@after 10m", misfire_grace=MINUTE, catch_up=CatchUp.SKIP)
    stage.at("11:00:00").tick()
    assert instant(stage, "09:10:30").kind is Kind.UNDER_WAY


def test_a_parent_that_was_deleted_is_told(stage: Stage) -> None:
    parent = JobKey(KEY.namespace, "load")
    stage.save(key=parent, schedule=HOURLY)
    stage.save(schedule="@manual", depends_on=(Dependency(parent, On.SUCCESS),))
    assert explain_instant(stage.world, KEY, at("10:00")).gone == set()
    manage.delete(stage.world, parent, who="bob")
    assert explain_instant(stage.world, KEY, at("10:00")).gone == {parent}


def test_runs_asked_for_by_hand_are_told_among_the_others_and_near_an_instant(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    stage.at("10:05:00")
    triggered = trigger(stage.world, KEY, idempotency_key="k").run
    found = explain_instant(stage.world, KEY, at("10:10"))
    assert [finding.kind for finding in found.findings] == [Kind.NOT_NAMED]
    assert [finding.run for finding in found.beside] == [triggered]
    assert explain_instant(stage.world, KEY, at("10:30")).beside == []
    assert [kind for kind, *_ in told(stretch(stage, "10:01", "10:10"))] == ["not_named", "under_way"]


def test_a_run_that_was_under_way_at_an_instant_is_told_beside_it(stage: Stage) -> None:
    stage.save()
    live(stage, "09:03")
    run = stage.run("09:02")
    assert run is not None
    stage.state.runs[run.key] = replace(run, finished_at=at("09:02:50"))
    found = explain_instant(stage.world, KEY, at("09:02:20"))
    assert [finding.kind for finding in found.findings] == [Kind.NOT_NAMED]
    assert [finding.run for finding in found.beside] == [stage.run("09:02")]


def test_runs_that_succeeded_at_once_are_told_together_and_others_alone(stage: Stage) -> None:
    stage.save()
    live(stage, "09:04")
    run = stage.run("09:03")
    assert run is not None
    stage.state.runs[run.key] = replace(run, state=RunState.FAILED, error=RunError(type="E", message="m"))
    stage.at("09:02:40")
    live(stage, "09:07")
    assert told(stretch(stage, "09:01", "09:06")) == [
        ("ran", "09:01:00", "09:02:00", 2),
        ("ran", "09:03:00", "09:03:00", 1),
        ("ran", "09:04:00", "09:06:00", 3),
    ]


def test_a_long_stretch_is_told_in_parts_that_go_on_where_the_last_one_ended(stage: Stage) -> None:
    stage.save(schedule="*/2 * * * * *")
    stage.at("09:10:00")
    failed = Outcome(state=RunState.FAILED, error=RunError(type="E", message="m"))
    for _ in range(20):
        stage.tick()
        arrived, stage.state.messages[:] = list(stage.receive()), []
        stage.execute([m for m in arrived if m.run.scheduled_for <= stage.now], lambda **_: failed)
    seen, first = [], at("09:00:31")
    for _ in range(50):
        found = explain_stretch(stage.world, KEY, first, at("09:09:59"))
        assert len(found.findings) <= MOST_FINDINGS
        seen += [instant for f in found.findings for instant in (f.first, f.last)]
        if found.goes_on is None:
            break
        assert found.goes_on > first
        first = found.goes_on
    assert found.goes_on is None
    assert seen == sorted(seen)


def test_more_occurrences_than_are_looked_at_at_once_go_on_later(stage: Stage) -> None:
    stage.save(schedule="* * * * * *", misfire_grace=SECOND, catch_up=CatchUp.SKIP)
    found = explain_stretch(stage.world, KEY, at("10:00"), at("13:00"))
    assert told(found) == [("not_yet_due", "10:00:00", "11:23:19", 5000)]
    assert found.goes_on == at("11:23:20")


def test_of_what_calendars_move_a_hundred_years_are_looked_at_at_once(stage: Stage) -> None:
    calendar(stage)
    stage.save(schedule="0 0 1 1 *", calendars=("closed",), on_blocked=OnBlocked.NEXT_DAY)
    found = explain_stretch(stage.world, KEY, stage.now + SECOND, stage.now.replace(year=9899))
    [finding] = found.findings
    assert (finding.kind, finding.times) == (Kind.NOT_YET, 100)
    assert found.goes_on is not None
    assert found.goes_on.year == 2126


def test_more_runs_than_are_read_at_once_go_on_later_even_within_one_second(stage: Stage) -> None:
    stage.save(schedule="@manual")
    for number in range(1010):
        trigger(stage.world, KEY, idempotency_key=str(number))
    found = explain_stretch(stage.world, KEY, stage.now, stage.now + MINUTE)
    assert len(found.findings) == MOST_FINDINGS
    assert found.goes_on == stage.now + SECOND


def test_many_skipped_ranges_are_told_in_parts(stage: Stage) -> None:
    stage.save(schedule="*/2 * * * * *")
    stage.state.runs.clear()
    stage.state.skipped += [
        SkippedRange(KEY, at("10:00") + n * 2 * SECOND, at("10:00") + (n * 2 + 1) * SECOND, f"policy {n % 2}")
        for n in range(600)
    ]
    found = explain_stretch(stage.world, KEY, at("10:00"), at("10:30"))
    assert {f.kind for f in found.findings} == {Kind.PASSED_OVER}
    assert found.goes_on == at("10:00") + MOST_FINDINGS * 2 * SECOND


def test_another_job_s_past_is_none_of_this_one_s(stage: Stage) -> None:
    stage.save()
    live(stage, "09:05")
    other = JobKey(KEY.namespace, "other")
    stage.save(key=other, schedule=HOURLY)
    [finding] = explain_instant(stage.world, other, at("09:03")).findings
    assert finding.kind is Kind.NOT_THERE


def test_a_leap_day_far_ahead_is_not_yet_due(stage: Stage) -> None:
    stage.save(schedule="0 12 29 2 *")
    noon = at("12:00").combine(date(2028, 2, 29), at("12:00").timetz())
    [finding] = explain_instant(stage.world, KEY, noon).findings
    assert finding.kind is Kind.NOT_YET
