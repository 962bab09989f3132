"""Explaining over HTTP: the answer's form, and the sentences that people read."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.findings import Finding, Kind
from minutehand.domain.instants import to_text
from minutehand.domain.job import Dependency, JobKey, On
from minutehand.domain.run import Run, RunError, RunKey, RunState, SkipReason
from minutehand.domain.timer import BrokenTimer, SkippedRange
from minutehand.entrypoints.api.rendering.sentences import About, sentence
from tests.unit.api.conftest import JOB, NOON, PATH, Api, FakeClock

HEARTBEAT = JobKey(namespace="demo", name="heartbeat")
EXPLAIN = f"{PATH}/explain"
ONE = NOON.replace(hour=13, minute=0, second=0)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def explained(api: Api, **query: str) -> Any:
    answer = api.get(EXPLAIN, query=query)
    assert answer.status == 200, answer.body
    return answer.body


def text(api: Api, at: datetime) -> str:
    [item] = explained(api, at=to_text(at))["items"]
    said: str = item["text"]
    return said


def keep(stores: MemoryState, instant: datetime = ONE, /, **fields: Any) -> Run:
    run = Run(
        key=RunKey.scheduled(HEARTBEAT, instant),
        target="http",
        revision=1,
        claimed_at=instant,
        expires_at=NOON + 99 * HOUR,
    )
    stores.runs[fields.get("key", run.key)] = replace(run, **fields)
    return run


def test_an_instant_is_explained_with_the_run_whole(api: Api, state: MemoryState) -> None:
    api.put()
    keep(state, state=RunState.SUCCEEDED, attempt=1, lateness=timedelta(milliseconds=412))
    answer = explained(api, at="2026-11-20T13:00:00Z")
    [item] = answer.pop("items")
    assert answer == {
        "job": "demo/heartbeat",
        "from": "2026-11-20T13:00:00Z",
        "to": "2026-11-20T13:00:01Z",
        "beside": [],
        "next": None,
    }
    assert [item.pop("run")] == api.get(f"{PATH}/runs").body["items"]
    assert {name: value for name, value in item.items() if value is not None} == {
        "kind": "ran",
        "first": "2026-11-20T13:00:00Z",
        "last": "2026-11-20T13:00:00Z",
        "times": 1,
        "text": "succeeded: attempt 1, 412 ms late",
    }


def test_a_stretch_goes_from_its_first_instant_up_to_its_end_which_is_not_in_it(api: Api) -> None:
    api.put()
    answer = explained(api, **{"from": "2026-11-20T13:00:00Z", "to": "2026-11-20T15:00:00Z"})
    assert (answer["from"], answer["to"], answer["next"]) == ("2026-11-20T13:00:00Z", "2026-11-20T15:00:00Z", None)
    [item] = answer["items"]
    assert (item["kind"], item["first"], item["last"], item["times"]) == (
        "not_yet_due",
        "2026-11-20T13:00:00Z",
        "2026-11-20T14:00:00Z",
        2,
    )


def test_without_any_instant_the_last_day_is_explained(api: Api, clock: FakeClock) -> None:
    api.put()
    answer = explained(api)
    assert (answer["from"], answer["to"]) == ("2026-11-19T12:00:30Z", "2026-11-20T12:00:30Z")
    answer = explained(api, **{"from": "2026-11-20T11:00:00Z"})
    assert (answer["from"], answer["to"]) == ("2026-11-20T11:00:00Z", "2026-11-20T12:00:30Z")


def test_what_does_not_fit_says_from_where_to_go_on(api: Api) -> None:
    api.put(JOB | {"schedule": "* * * * * *"})
    answer = explained(api, **{"from": "2026-11-20T13:00:00Z", "to": "2026-11-21T13:00:00Z"})
    assert answer["next"] == "2026-11-20T14:23:20Z"


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"at": "2026-11-20T13:00:00Z", "from": "2026-11-20T13:00:00Z"}, "at"),
        ({"at": "2026-11-20T13:00:00Z", "to": "2026-11-20T13:00:00Z"}, "at"),
        ({"to": "2026-11-20T13:00:00Z"}, "from"),
        ({"from": "2026-11-20T13:00:00Z", "to": "2026-11-20T13:00:00Z"}, "to"),
        ({"from": "2026-11-20T13:00:00Z", "to": "2026-11-20T12:00:00Z"}, "to"),
        ({"at": "yesterday"}, "at"),
        ({"at": "0001-01-01T00:00:00Z"}, "at"),
        ({"from": "1969-12-31T00:00:00Z"}, "from"),
        ({"at": "9999-01-01T00:00:00Z"}, "at"),
        ({"when": "2026-11-20T13:00:00Z"}, "when"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_with_what_would(api: Api, query: dict[str, str], path: str) -> None:
    api.put()
    answer = api.get(EXPLAIN, query=query)
    assert answer.status == 400
    assert answer.errors[path]["hint"]


@pytest.mark.parametrize("at", ["1970-01-02T00:00:00Z", "9900-01-01T00:00:00Z"])
def test_the_farthest_instants_have_an_answer_too(api: Api, at: str) -> None:
    api.put()
    assert len(explained(api, at=at)["items"]) == 1


def test_the_widest_stretch_has_an_answer_too(api: Api) -> None:
    api.put(JOB | {"schedule": "0 0 1 1 *"})
    answer = explained(api, **{"from": "1970-01-02T00:00:00Z", "to": "9900-01-01T00:00:00Z"})
    assert [item["kind"] for item in answer["items"]] == ["not_there", "not_yet_due"]


def test_a_job_that_never_was_is_404_and_one_that_was_is_not(api: Api) -> None:
    assert api.get(EXPLAIN).status == 404
    api.put()
    api.delete()
    assert api.get(EXPLAIN).status == 200


def test_a_viewer_of_the_namespace_may_ask_and_nobody_else(api: Api) -> None:
    api.put()
    assert api.by(role="viewer", namespaces="demo").get(EXPLAIN).status == 200
    assert api.by(role="viewer", namespaces="shop").get(EXPLAIN).status == 403


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "queued; it starts at 2026-11-20T13:00:00Z"),
        ({"delay": MINUTE}, "queued; it starts at 2026-11-20T13:01:00Z"),
        (
            {"state": RunState.RUNNING, "attempt": 2, "started_at": ONE, "lease_until": ONE + MINUTE},
            "running: attempt 2, since 2026-11-20T13:00:00Z; its worker has it until 2026-11-20T13:01:00Z",
        ),
        (
            {"state": RunState.WAITING, "attempt": 1, "deadline_at": ONE + HOUR, "cancelled_by": "bob"},
            "waiting for its target's answer: attempt 1; it may come until 2026-11-20T14:00:00Z; bob has asked for its end",
        ),
        (
            {
                "state": RunState.RETRYING,
                "attempt": 1,
                "retry_at": ONE + MINUTE,
                "error": RunError("HttpStatus", "503\nx"),
            },
            "retrying: attempt 1 ended with HttpStatus: 503, and the next starts at 2026-11-20T13:01:00Z",
        ),
        (
            {"state": RunState.TIMED_OUT, "attempt": 1, "lateness": MINUTE, "error": RunError("Timeout", "60 s")},
            "timed out: attempt 1, 1m late, Timeout: 60 s",
        ),
        ({"state": RunState.FAILED, "attempt": 3}, "failed: attempt 3, no error on record"),
        ({"state": RunState.CANCELLED, "cancelled_by": "bob"}, "cancelled by bob"),
        ({"state": RunState.LOST, "attempt": 3}, "lost: the worker of attempt 3 died, and no take-overs were left"),
        (
            {"state": RunState.SKIPPED, "skip_reason": SkipReason.OVERLAP, "blocked_by": "20261120T120000Z"},
            "skipped: another run of the job was active, or waited already: run 20261120T120000Z",
        ),
        (
            {"state": RunState.SKIPPED, "skip_reason": SkipReason.NAMESPACE_PAUSED},
            "skipped: the namespace was paused when the run was to start, or at the instant it was scheduled for",
        ),
    ],
)
def test_a_run_is_told_in_a_sentence(api: Api, state: MemoryState, fields: dict[str, Any], said: str) -> None:
    api.put()
    keep(state, **fields)
    assert text(api, ONE) == said


@pytest.mark.parametrize(("overlap", "whom"), [("allow", "a worker"), ("queue_all", "its turn or a worker")])
def test_a_queued_run_whose_instant_has_been_says_what_it_waits_for(
    api: Api, state: MemoryState, clock: FakeClock, overlap: str, whom: str
) -> None:
    api.put(JOB | {"overlap": overlap})
    keep(state)
    clock.move(seconds=3700)
    assert text(api, ONE) == f"queued; it was to start at 2026-11-20T13:00:00Z, and waits for {whom} since"


@pytest.mark.parametrize(
    ("key", "parents", "said"),
    [
        (RunKey.triggered(HEARTBEAT, ONE, "a1"), (), "triggered: queued; "),
        (RunKey.backfilled(HEARTBEAT, ONE, "a1"), (), "a backfill: queued; "),
        (
            RunKey.child(HEARTBEAT, ONE, "a1"),
            (RunKey.scheduled(JobKey("demo", "load"), ONE),),
            "started by its parents' runs (demo/load 20261120T130000Z): queued; ",
        ),
    ],
)
def test_a_run_that_no_schedule_named_says_who_asked_for_it(
    api: Api, state: MemoryState, key: RunKey, parents: tuple[RunKey, ...], said: str
) -> None:
    api.put(JOB | {"schedule": "@manual"})
    keep(state, key=key, parents=parents)
    assert text(api, ONE).startswith(said)


def test_several_runs_alike_are_told_in_one_sentence(api: Api, state: MemoryState) -> None:
    api.put()
    for hours in range(3):
        keep(state, ONE + hours * HOUR, state=RunState.SUCCEEDED, attempt=1)
    for hours in range(3, 5):
        keep(state, ONE + hours * HOUR, state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED)
    items = explained(api, **{"from": to_text(ONE), "to": to_text(ONE + 5 * HOUR)})["items"]
    assert [item["text"].partition(":")[0] for item in items] == [
        "3 runs succeeded at the first attempt",
        "2 runs skipped",
    ]
    assert [item["run"] for item in items] == [None, None]


def test_a_pause_says_from_when_to_when_and_by_whom(api: Api, clock: FakeClock) -> None:
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


def test_a_delete_says_by_whom_and_the_time_before_the_job_when_that_began(api: Api) -> None:
    api.put()
    assert text(api, ONE - HOUR) == "the job did not exist yet: it was created at 2026-11-20T12:00:30Z by ada"
    api.by(token="bob").delete()
    assert text(api, ONE) == "the job had been deleted at 2026-11-20T12:00:30Z by bob"


def test_what_the_schedule_does_not_name_is_told_with_what_it_means_and_the_nearest(api: Api) -> None:
    api.put()
    assert text(api, ONE + MINUTE) == (
        "not named by the schedule of revision 1 (Every hour); the nearest are 2026-11-20T13:00:00Z before it and "
        "2026-11-20T14:00:00Z after it"
    )
    api.put(JOB | {"schedule": "at(2026-11-20T14:00:00)"})
    assert text(api, ONE).endswith("the nearest are none before it and 2026-11-20T14:00:00Z after it")
    assert text(api, ONE + 2 * HOUR).endswith("the nearest are 2026-11-20T14:00:00Z before it and none after it")


def test_a_manual_job_says_that_nobody_asked_and_a_dependent_one_that_it_waits(api: Api, state: MemoryState) -> None:
    api.put(JOB | {"schedule": "@manual"})
    assert text(api, ONE) == "its schedule is @manual: it runs when it is asked to, and nobody asked"
    definition = state.definitions[HEARTBEAT]
    api.put(path="/v1/namespaces/demo/jobs/load")
    parents = (Dependency(JobKey("demo", "load"), On.SUCCESS), Dependency(JobKey("demo", "clean"), On.END))
    state.definitions[HEARTBEAT] = replace(definition, job=replace(definition.job, depends_on=parents))
    assert text(api, ONE) == (
        "no run of its parents has started one: it waits for all of demo/load (success), demo/clean (end, and it was deleted)"
    )


def test_a_fixed_delay_says_what_it_waits_for(api: Api) -> None:
    api.put(JOB | {"schedule": "@after 90s"})
    assert text(api, ONE) == "it waits for the end of the run of 2026-11-20T12:02:00Z: the next starts 1m30s after that"
    assert (
        text(api, NOON + MINUTE)
        == "no run of its fixed delay was due: each starts 1m30s after the end of the one before"
    )


def test_the_window_and_the_number_of_runs_are_told(api: Api) -> None:
    api.put(JOB | {"start_at": "2026-11-20T14:00:00Z", "end_at": "2026-11-20T15:00:00Z"})
    assert text(api, ONE) == "before the job's start_at, 2026-11-20T14:00:00Z"
    assert text(api, ONE + 3 * HOUR) == "after the job's end_at, 2026-11-20T15:00:00Z"
    api.put(JOB | {"max_runs": 1})
    assert text(api, ONE + HOUR) == "the last run that max_runs allows (1 in all) comes before it"


def test_what_is_to_come_says_when_a_tick_claims_it(api: Api) -> None:
    api.put()
    assert text(api, ONE) == "not yet due: a tick claims it from 2026-11-20T12:58:00Z on"


def test_a_calendar_is_told_as_it_stands_or_as_it_was_recorded(api: Api, state: MemoryState) -> None:
    calendar = "/v1/namespaces/demo/calendars/closed"
    api.put({"dates": ["2026-11-20"]}, path=calendar)
    api.put(JOB | {"calendars": ["closed"]})
    assert text(api, ONE) == "blocked by the calendar closed, as it stands now"
    api.put(JOB | {"calendars": ["closed"], "on_blocked": "next_day"})
    assert text(api, ONE).endswith("; it runs at 2026-11-21T13:00:00Z instead")
    state.skipped.append(SkippedRange(HEARTBEAT, ONE, ONE + MINUTE, "calendar=closed"))
    assert text(api, ONE) == "blocked by the calendar closed, as recorded when it was due"


@pytest.mark.parametrize(
    ("ticks", "said"),
    [
        ((), "nothing ticked for days around it"),
        ((-30,), "nothing has ticked since 2026-11-20T12:30:00Z"),
        ((30,), "nothing ticked before 2026-11-20T13:30:00Z"),
        ((-30, 30), "nothing ticked from 2026-11-20T12:30:00Z to 2026-11-20T13:30:00Z"),
        ((0, 1), "ticks were there, and none dispatched it in time"),
    ],
)
def test_what_was_missed_says_when_ticks_were_there(
    api: Api, state: MemoryState, clock: FakeClock, ticks: tuple[int, ...], said: str
) -> None:
    api.put()
    state.ticks |= {ONE + minutes * MINUTE for minutes in ticks}
    clock.move(hours=3)
    assert text(api, ONE) == f"due, and not dispatched yet: {said}; the next tick sees to it, as catch_up says"
    state.timers[HEARTBEAT] = replace(state.timers[HEARTBEAT], next_at=ONE + 4 * HOUR)  # type: ignore[type-var]
    assert text(api, ONE) == f"missed: {said}, and no record says what became of it"
    state.skipped.append(SkippedRange(HEARTBEAT, ONE, ONE + MINUTE, "catch_up=latest"))
    assert text(api, ONE) == f"missed: {said}; catch_up is latest: of what is missed, the latest runs"


def test_any_other_policy_of_a_skipped_range_is_told_as_it_was_recorded(api: Api, state: MemoryState) -> None:
    api.put()
    state.skipped.append(SkippedRange(HEARTBEAT, ONE, ONE + MINUTE, "changed during a catch-up"))
    assert text(api, ONE) == "not run, as recorded: changed during a catch-up"


def test_what_is_no_longer_kept_or_cannot_be_read_says_so(api: Api, state: MemoryState, clock: FakeClock) -> None:
    api.put(JOB | {"retention": "1d"})
    clock.move(days=3)
    assert text(api, ONE).endswith("but what became of it is no longer kept (runs are kept for 1d)")
    definition = state.definitions[HEARTBEAT]
    state.definitions[HEARTBEAT] = replace(definition, job=replace(definition.job, retention_count=1000))
    assert text(api, ONE).endswith("(runs are kept for 1d, and the newest 1,000 at most)")
    clock.move(days=40)
    job = replace(definition.job, retention=timedelta(days=3650))
    state.definitions[HEARTBEAT] = replace(definition, job=job, revision=2)
    assert text(api, ONE).endswith("(runs are kept for 3650d; then, for as long as the job said; what is passed over, for 30d)")
    clock.move(days=-40)
    state.definitions[HEARTBEAT] = definition
    state.timers[HEARTBEAT] = BrokenTimer(job=HEARTBEAT, revision=1, next_at=ONE, problem="no target")
    assert "timer cannot be read (no target); save the job again" in text(api, ONE + 71 * HOUR)
    [past] = state.histories[HEARTBEAT]
    state.histories[HEARTBEAT] = [replace(past, schedule="{}")]
    assert text(api, ONE).startswith("what revision 1 named cannot be read: ")
    state.histories[HEARTBEAT] = [replace(past, number=7)]
    state.definitions[HEARTBEAT] = replace(definition, revisions=())
    assert text(api, ONE - HOUR) == "the job's history begins later, with revision 7 at 2026-11-20T12:00:30Z by ada"


def test_there_is_a_sentence_for_each_kind_of_finding(api: Api, state: MemoryState) -> None:
    api.put(JOB | {"max_runs": 1})
    about = About(state.definitions[HEARTBEAT], (), MINUTE, None, NOON)
    of_others = {Kind.RAN, Kind.UNDER_WAY, Kind.SKIPPED, Kind.PAUSED, Kind.NOT_NAMED, Kind.OUTSIDE}
    for kind in set(Kind) - of_others:
        assert sentence(Finding(kind=kind, first=ONE, last=ONE, times=1), about)
