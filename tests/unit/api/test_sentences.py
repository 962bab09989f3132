"""The sentences that say why nothing ran, or what is to come."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.dependencies import child_key, child_run, window_of
from minutehand.domain.findings import Finding, Kind
from minutehand.domain.instants import to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import BrokenTimer, SkippedRange, SkipPolicy
from minutehand.entrypoints.api.rendering.run_sentences import Context
from minutehand.entrypoints.api.rendering.sentences import sentence
from tests.unit.api.conftest import JOB, NOON, PATH, Api, FakeClock
from tests.unit.api.explaining import HEARTBEAT, HOUR, MINUTE, ONE, explained, text


def test_a_pause_has_its_start_its_end_and_who_made_it(api: Api, clock: FakeClock) -> None:
    api.put()
    api.by(token="bob").post(f"{PATH}/pause")
    assert text(api, ONE) == "paused from 2026-11-20T12:00:30Z on by bob"
    clock.move(hours=2)
    api.by(token="eve").post(f"{PATH}/resume")
    said = "paused from 2026-11-20T12:00:30Z to 2026-11-20T14:00:30Z by bob; resumed by eve"
    assert text(api, ONE) == said
    [item] = explained(api, at=to_text(ONE))["items"]
    assert item["revision"] == {
        "number": 2,
        "at": "2026-11-20T12:00:30Z",
        "did": "paused",
        "by": "bob",
        "changed": ["paused"],
    }
    assert item["ended_by"] == {
        "number": 3,
        "at": "2026-11-20T14:00:30Z",
        "did": "resumed",
        "by": "eve",
        "changed": ["paused"],
    }
    assert item["until"] == "2026-11-20T14:00:30Z"


def test_instants_before_a_jobs_creation_and_after_its_deletion_name_who_did_it(api: Api) -> None:
    api.put()
    assert text(api, ONE - HOUR) == "the job did not exist yet: it was created at 2026-11-20T12:00:30Z by ada"
    api.by(token="bob").delete()
    assert text(api, ONE) == "the job had been deleted at 2026-11-20T12:00:30Z by bob"


def test_an_instant_outside_the_schedule_is_explained_with_the_nearest_occurrences(api: Api) -> None:
    api.put()
    assert text(api, ONE + MINUTE) == (
        "not an occurrence of the schedule of revision 1 (Every hour); the nearest are 2026-11-20T13:00:00Z before it and "
        "2026-11-20T14:00:00Z after it"
    )
    api.put(JOB | {"schedule": "at(2026-11-20T14:00:00)"})
    assert text(api, ONE).endswith("the nearest are none before it and 2026-11-20T14:00:00Z after it")
    assert text(api, ONE + 2 * HOUR).endswith("the nearest are 2026-11-20T14:00:00Z before it and none after it")


def test_a_manual_job_was_not_triggered_and_a_dependent_one_waits_for_its_parents(api: Api, state: MemoryState) -> None:
    api.put(JOB | {"schedule": "@manual"})
    assert text(api, ONE) == "its schedule is @manual: it runs only when triggered, and nothing triggered it"
    definition = state.definitions[HEARTBEAT]
    api.put(path="/v1/namespaces/demo/jobs/load")
    parents = (Dependency(JobKey("demo", "load"), On.SUCCESS), Dependency(JobKey("demo", "clean"), On.END))
    state.definitions[HEARTBEAT] = replace(definition, job=replace(definition.job, depends_on=parents))
    assert text(api, ONE) == (
        "no run of its parents has started one: it waits for all of demo/load (success), demo/clean (end, and it was deleted)"
    )


def test_a_job_with_a_join_window_names_the_window_of_its_run(api: Api, state: MemoryState) -> None:
    load = JobKey("demo", "load")
    api.put(path="/v1/namespaces/demo/jobs/load")
    api.put(JOB | {"schedule": "@manual", "depends_on": [{"job": "demo/load"}], "join_window": "1d"})
    window = "the window from 2026-11-20T00:00:00Z to 2026-11-21T00:00:00Z"
    waits = "it waits for all of demo/load (success)"
    assert text(api, ONE) == f"no run of its parents has started one in {window}: {waits}"
    child = state.definitions[HEARTBEAT]
    run = child_run(child, child_key(child, window_of(child.job, ONE)), [], NOON)
    parent = RunKey.scheduled(load, NOON)
    state.runs[run.key] = replace(run, parents=(parent,), state=RunState.SUCCEEDED, attempt=1, lateness=timedelta(0))
    said = f"started by its parents' runs ({load} {parent.run_id}): succeeded: attempt 1, 0ms late"
    its_run = f"{window} has its run, which began at 2026-11-20T12:00:30Z: {said}"
    assert text(api, ONE) == its_run
    answer = explained(api, **{"from": to_text(ONE), "to": to_text(ONE + 30 * HOUR)})
    assert [item["text"] for item in answer["items"]] == [
        f"{its_run}; no run of its parents has started one since: {waits}"
    ]
    assert [(item["text"], item["run"]["run_id"]) for item in answer["beside"]] == [(said, run.key.run_id)]


def test_a_fixed_delay_says_what_it_waits_for(api: Api) -> None:
    api.put(JOB | {"schedule": "@after 90s"})
    assert text(api, ONE) == "it waits for the end of the run of 2026-11-20T12:02:00Z: the next starts 1m30s after that"
    assert (
        text(api, NOON + MINUTE)
        == "no run of its fixed delay was due: each starts 1m30s after the end of the one before"
    )


def test_instants_outside_the_window_and_after_max_runs_are_explained(api: Api) -> None:
    api.put(JOB | {"start_at": "2026-11-20T14:00:00Z", "end_at": "2026-11-20T15:00:00Z"})
    assert text(api, ONE) == "before the job's start_at, 2026-11-20T14:00:00Z"
    assert text(api, ONE + 3 * HOUR) == "after the job's end_at, 2026-11-20T15:00:00Z"
    api.put(JOB | {"max_runs": 1})
    assert text(api, ONE + HOUR) == "the last run that max_runs allows (1 in all) comes before this instant"


def test_a_future_occurrence_says_when_a_tick_claims_it(api: Api) -> None:
    api.put()
    assert text(api, ONE) == "not yet due: a tick claims it from 2026-11-20T12:58:00Z on"


def test_a_blocked_occurrence_names_the_calendar_now_or_as_recorded(api: Api, state: MemoryState) -> None:
    calendar = "/v1/namespaces/demo/calendars/closed"
    api.put({"dates": ["2026-11-20"]}, path=calendar)
    api.put(JOB | {"calendars": ["closed"]})
    assert text(api, ONE) == "blocked by the calendar closed, as it is now"
    api.put(JOB | {"calendars": ["closed"], "on_blocked": "next_day"})
    assert text(api, ONE).endswith("; it runs at 2026-11-21T13:00:00Z instead")
    state.skipped.append(SkippedRange(HEARTBEAT, ONE, ONE + MINUTE, SkipPolicy.of("calendar=closed")))
    assert text(api, ONE) == "blocked by the calendar closed, as recorded when it was due"


@pytest.mark.parametrize(
    ("ticks", "said"),
    [
        ((), "no tick ran for days around it"),
        ((-30,), "no tick has run since the one of 2026-11-20T12:30Z"),
        ((30,), "no tick ran before the one of 2026-11-20T13:30Z"),
        ((-30, 30), "no tick ran between the one of 2026-11-20T12:30Z and the one of 2026-11-20T13:30Z"),
        ((0, 1), "ticks ran, but none dispatched it in time"),
    ],
)
def test_a_missed_occurrence_names_the_minutes_of_the_ticks_around_it(
    api: Api, state: MemoryState, clock: FakeClock, ticks: tuple[int, ...], said: str
) -> None:
    api.put()
    state.ticks |= {ONE + minutes * MINUTE for minutes in ticks}
    clock.move(hours=3)
    assert text(api, ONE) == f"due, but not dispatched yet: {said}; the next tick applies catch_up"
    state.timers[HEARTBEAT] = replace(state.timers[HEARTBEAT], next_at=ONE + 4 * HOUR)
    assert text(api, ONE) == f"missed: {said}; it has no record"
    state.skipped.append(SkippedRange(HEARTBEAT, ONE, ONE + MINUTE, SkipPolicy.of("catch_up=latest")))
    assert text(api, ONE) == f"missed: {said}; catch_up is latest: only the latest missed occurrence runs"


def test_another_policy_of_a_skipped_range_is_shown_as_recorded(api: Api, state: MemoryState) -> None:
    api.put()
    state.skipped.append(SkippedRange(HEARTBEAT, ONE, ONE + MINUTE, SkipPolicy.of("changed during a catch-up")))
    assert text(api, ONE) == "not run, as recorded: changed during a catch-up"


def test_expired_and_unreadable_records_are_explained(api: Api, state: MemoryState, clock: FakeClock) -> None:
    api.put(JOB | {"retention": "1d"})
    clock.move(days=3)
    assert text(api, ONE).endswith("but its record is no longer kept (runs are kept for 1d)")
    definition = state.definitions[HEARTBEAT]
    state.definitions[HEARTBEAT] = replace(definition, job=replace(definition.job, retention_count=1000))
    assert text(api, ONE).endswith("(runs are kept for 1d, and the newest 1,000 at most)")
    clock.move(days=40)
    job = replace(definition.job, retention=timedelta(days=3650))
    state.definitions[HEARTBEAT] = replace(definition, job=job, revision=2)
    assert text(api, ONE).endswith(
        "(runs are kept for 3650d; the revision at that time may have kept them longer or shorter; records of skipped occurrences, for 30d)"
    )
    clock.move(days=-40)
    state.definitions[HEARTBEAT] = definition
    state.timers[HEARTBEAT] = BrokenTimer(job=HEARTBEAT, revision=1, next_at=ONE, problem="no target")
    assert "timer cannot be read (no target); save the job again" in text(api, ONE + 71 * HOUR)
    [past] = state.histories[HEARTBEAT]
    state.histories[HEARTBEAT] = [replace(past, rule="{}")]
    assert text(api, ONE).startswith("the schedule of revision 1 cannot be read: ")
    state.histories[HEARTBEAT] = [replace(past, number=7)]
    state.definitions[HEARTBEAT] = replace(definition, revisions=())
    assert text(api, ONE - HOUR) == "the job's history begins later, with revision 7 at 2026-11-20T12:00:30Z by ada"


def test_each_kind_of_finding_has_a_sentence(api: Api, state: MemoryState) -> None:
    api.put(JOB | {"max_runs": 1})
    context = Context(state.definitions[HEARTBEAT], (), MINUTE, None, NOON)
    of_others = {Kind.RAN, Kind.UNDER_WAY, Kind.SKIPPED, Kind.PAUSED, Kind.NOT_NAMED, Kind.OUTSIDE}
    for kind in set(Kind) - of_others:
        assert sentence(Finding(kind=kind, first=ONE, last=ONE, times=1), context)
