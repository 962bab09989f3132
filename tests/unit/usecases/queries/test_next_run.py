from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.definition import Revision
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import OccurrenceRule
from minutehand.domain.policies import Dependency, Join, On
from minutehand.domain.timer import BrokenTimer
from minutehand.schedule import Schedule
from minutehand.usecases.definitions import manage
from minutehand.usecases.queries.next_run import (
    NextRunFacts,
    next_or_why,
    next_run_at,
    next_run_facts,
)
from tests.unit.domain.examples import KEY, at, definition, job, paused_revision, revision, timer
from tests.unit.usecases.stage import Stage

OUTLOOK = NextRunFacts({})
BEGUN = {"paused_since": at("08:30"), "paused_by": "ada"}
PAUSED = replace(definition(revision(1, "08:00"), revision(2, "08:30", None), paused=True), **BEGUN)


@pytest.mark.parametrize(
    ("now", "expected", "why"),
    [
        ("09:00", "09:01", "strictly later than now"),
        ("09:00:00.001", "09:01", "fractions count"),
        ("09:00:59.999", "09:01", "to the last"),
    ],
)
def test_a_job_runs_next_at_the_first_instant_after_now(now: str, expected: str, why: str) -> None:
    assert next_run_at(definition(), OUTLOOK, now=at(now)) == at(expected), why


def test_the_newest_revision_gives_the_next_run() -> None:
    edited = definition(revision(1, "08:00"), revision(2, "09:30", "0 12 * * *"))
    assert next_run_at(edited, OUTLOOK, now=at("09:00")) == at("12:00")


def test_a_paused_job_has_no_next_run_and_gives_the_time_of_the_pause() -> None:
    assert next_run_at(PAUSED, OUTLOOK, now=at("09:00")) is None
    assert (
        next_or_why(PAUSED, OUTLOOK, now=at("09:00"))[1]
        == "paused since 2026-11-20T08:30:00Z by ada; resume it to let it run"
    )


def test_a_pause_that_an_earlier_version_stored_claims_no_more_than_the_last_change() -> None:
    known = replace(PAUSED, paused_since=None, paused_by="", updated_at=at("08:45"))
    said = "paused since 2026-11-20T08:45:00Z or earlier; resume it to let it run"
    assert next_or_why(known, OUTLOOK, now=at("09:00"))[1] == said


def test_a_job_paused_until_an_instant_gives_the_reason_and_its_next_run() -> None:
    known = definition(revision(1, "08:00"), paused_revision(2, "08:30", "10:00:30"), paused_until=at("10:00:30"))
    known = replace(known, **BEGUN)
    assert next_or_why(known, OUTLOOK, now=at("09:00")) == (
        at("10:01"),
        "paused until 2026-11-20T10:00:30Z (since 2026-11-20T08:30:00Z by ada); resume it to let it run earlier",
    )
    assert next_or_why(known, OUTLOOK, now=at("10:00:30")) == (at("10:01"), None)


def test_a_manual_job_paused_until_an_instant_gives_that_reason_first() -> None:
    known = definition(revision(1, "08:00", "@manual"), schedule="@manual", paused_until=at("10:00"))
    coming, because = next_or_why(known, OUTLOOK, now=at("09:00"))
    assert coming is None
    assert str(because).startswith("paused until 2026-11-20T10:00:00Z")
    assert str(next_or_why(known, OUTLOOK, now=at("10:00"))[1]).startswith("its schedule is @manual")


def test_a_job_whose_schedule_ends_within_its_pause_gives_both_reasons() -> None:
    ends = OccurrenceRule(schedule=Schedule.parse("* * * * *"), start_at=at("10:00"), end_at=at("09:30")).encode()
    last = Revision(number=1, effective_from=at("08:00"), rule=ends, paused_until=at("10:00"))
    known = definition(last, end_at=at("09:30"), paused_until=at("10:00"))
    coming, because = next_or_why(known, OUTLOOK, now=at("09:00"))
    assert coming is None
    assert str(because).startswith("paused until 2026-11-20T10:00:00Z")
    assert str(because).endswith("and its schedule has no later occurrence")


def test_a_job_that_runs_again_is_not_idle() -> None:
    assert next_or_why(definition(), OUTLOOK._replace(timer=timer("09:01")), now=at("09:00"))[1] is None


def test_a_finished_job_gives_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minutehand.schedule.Schedule.next", lambda _self, _after: None)
    assert (
        next_or_why(definition(), OUTLOOK, now=at("09:00"))[1]
        == "the schedule '* * * * *' has no occurrence after 2026-11-20T09:00:00Z"
    )


def test_an_unreadable_timer_is_the_first_reason() -> None:
    broken = BrokenTimer(job=KEY, revision=1, next_at=at("09:10"), problem="no schedule")
    for known in (definition(), PAUSED):
        said = next_or_why(known, OUTLOOK._replace(timer=broken), now=at("09:00"))[1]
        assert said is not None
        assert said.startswith("its timer cannot be read (no schedule)")


EXTRACT, LOAD = JobKey("shop", "extract"), JobKey("shop", "load")
REPAIR = "; save what it depends on again, or leave it out"


@pytest.mark.parametrize(
    ("join", "parents", "deleted", "expected"),
    [
        (Join.ALL, [EXTRACT], [], "it waits for the run of shop/extract"),
        (Join.ALL, [LOAD, EXTRACT], [], "it waits for runs of shop/extract and shop/load"),
        (Join.ANY, [EXTRACT, LOAD], [], "it waits for a run of shop/extract or shop/load"),
        (Join.ANY, [EXTRACT, LOAD], [LOAD], "it waits for a run of shop/extract"),
        (Join.ALL, [EXTRACT, LOAD], [LOAD], f"its parent shop/load was deleted{REPAIR}"),
        (Join.ANY, [EXTRACT, LOAD], [EXTRACT, LOAD], f"its parents shop/extract and shop/load were deleted{REPAIR}"),
    ],
)
def test_a_job_that_only_parents_start_names_the_parents_it_waits_for(
    join: Join, parents: list[JobKey], deleted: list[JobKey], expected: str
) -> None:
    entries = tuple(Dependency(parent, On.SUCCESS) for parent in parents)
    waits = definition(revision(1, "08:00", "@manual"), schedule="@manual", depends_on=entries, join=join)
    facts = OUTLOOK._replace(deleted_parents=tuple(deleted))
    assert next_or_why(waits, facts, now=at("09:00")) == (None, expected)


def test_the_parents_of_all_jobs_are_read_at_once() -> None:
    stage = Stage()
    for key, *parents in ((EXTRACT,), (LOAD, EXTRACT), (KEY, EXTRACT, LOAD)):
        entries = tuple(Dependency(parent, On.END) for parent in parents)
        stage.save(job("@manual", key=key, depends_on=entries))
    manage.delete(stage.ports, LOAD, who=Actor("ada"))
    stage.definitions.calls.clear()
    seen = next_run_facts(stage.ports, [stage.state.definitions[key] for key in (EXTRACT, KEY)], timers=False)
    assert {key.name: found.deleted_parents for key, found in seen.items()} == {"extract": (), "report": (LOAD,)}
    assert stage.definitions.calls == {"get": 1}
