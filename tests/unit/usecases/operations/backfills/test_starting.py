"""Start of backfills."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.backfill import BackfillState, Order
from minutehand.domain.errors import Invalid, KeyReused, NotFound
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunState
from minutehand.usecases.definitions import manage
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec, Started
from tests.unit.domain.examples import KEY, MINUTE, at, definition
from tests.unit.usecases.operations.backfills.replaying import ID, asked, stored, work_off
from tests.unit.usecases.stage import Stage


def test_a_repeated_call_changes_nothing(stage: Stage) -> None:
    first = asked(stage)
    stage.now += 5 * MINUTE
    assert asked(stage) == Started(backfill=first.backfill, created=False)
    assert len(stage.state.messages) == 1


def test_a_job_created_again_ignores_keys_used_for_the_deleted_one(stage: Stage) -> None:
    before = asked(stage).backfill
    manage.delete(stage.ports, KEY, who=Actor("ada"))
    stage.now += MINUTE
    stage.save()
    began = asked(stage, concurrency=2)
    assert (began.created, began.backfill.state, began.backfill.concurrency) == (True, BackfillState.ACTIVE, 2)
    assert began.backfill.id != before.id
    assert asked(stage, concurrency=2) == Started(stored(stage, began.backfill.id), created=False)
    del stage.state.backfills[KEY, ID]
    assert not asked(stage, concurrency=2).created, "also once the older one is forgotten"


@pytest.mark.parametrize(
    "other", [{"end": "09:06"}, {"concurrency": 2}, {"order": Order.NEWEST}, {"ignore_overlap": True}]
)
def test_an_id_that_was_used_for_something_else_is_refused(stage: Stage, other: dict[str, Any]) -> None:
    asked(stage)
    with pytest.raises(KeyReused, match="made backfill abc of shop/report, with another range or other options"):
        asked(stage, **other)


def test_several_backfills_may_be_active_at_once_even_over_one_range(stage: Stage) -> None:
    asked(stage, identity="one")
    asked(stage, identity="two")
    work_off(stage)
    assert stored(stage, "one").counts == stored(stage, "two").counts == {RunState.SUCCEEDED: 5}


def test_a_preview_counts_and_makes_nothing(stage: Stage) -> None:
    found = backfill.preview(stage.ports, KEY, BackfillSpec(start=at("09:00"), end=at("10:00")))
    assert (found.total, found.first, found.last) == (60, at("09:00"), at("09:59"))
    assert (stage.state.backfills, stage.state.runs) == ({}, {})


@pytest.mark.parametrize(
    ("begin", "end", "path", "message"),
    [
        ("09:00", "09:00", "to", "is not after from"),
        ("09:05", "09:00", "to", "is not after from"),
        ("09:00", "11:00:01", "to", "is in the future"),
        ("09:00:01", "09:00:59", "from", "the schedule has no occurrence from 2026-11-20T09:00:01Z"),
    ],
)
def test_a_range_that_is_none_is_refused(stage: Stage, begin: str, end: str, path: str, message: str) -> None:
    for ask in (asked, lambda *given: backfill.preview(stage.ports, KEY, BackfillSpec(at(given[1]), at(given[2])))):
        with pytest.raises(Invalid, match=message) as refused:
            ask(stage, begin, end)
        assert [problem.path for problem in refused.value.problems] == [path]
    assert stage.state.backfills == {}


def test_a_million_occurrences_are_refused_with_their_number(stage: Stage) -> None:
    two_years = BackfillSpec(start=at("09:00").replace(year=2024), end=at("09:00"))
    with pytest.raises(Invalid, match="the range has about 1,050,000 occurrences; 10,000 is the most"):
        backfill.start(stage.ports, KEY, two_years, identity=ID, who=Actor("ada"))


@pytest.mark.parametrize(("schedule", "message"), [("@manual", "is @manual"), ("@after 10m", "is a fixed delay")])
def test_a_schedule_that_names_no_instants_cannot_be_replayed(stage: Stage, schedule: str, message: str) -> None:
    stage.state.definitions[KEY] = definition(definition().revisions[0]._replace(rule=None), schedule=schedule)
    with pytest.raises(Invalid, match=message):
        asked(stage)


def test_a_job_that_does_not_exist_has_no_backfills(stage: Stage) -> None:
    ghost = JobKey("shop", "ghost")
    with pytest.raises(NotFound, match="there is no job shop/ghost"):
        backfill.start(stage.ports, ghost, BackfillSpec(at("09:00"), at("09:05")), identity=ID, who=Actor("ada"))
    with pytest.raises(NotFound, match="there is no backfill 'abc' of job shop/ghost"):
        backfill.get(stage.ports, ghost, ID)
