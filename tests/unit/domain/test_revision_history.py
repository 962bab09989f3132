"""Records of changes, and which revision governs which instant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minutehand.domain.definition import Definition
from minutehand.domain.revision_history import (
    MOST_NAMED,
    Did,
    EffectiveRevision,
    PastRevision,
    effective_revisions,
    horizon,
    past_revision,
    pause_around,
    pause_at,
)
from tests.unit.domain.examples import SECOND, at, compiled, definition, revision


def edited(before: Definition, **fields: Any) -> Definition:
    after = definition(*before.revisions, revision(2, "09:00"))
    return replace(after, job=replace(before.job, **fields), updated_by="bob")


def past(number: int, effective_from: str, schedule: str | None = "* * * * *", **fields: Any) -> PastRevision:
    kept = PastRevision(
        number=number,
        effective_from=at(effective_from),
        rule=None if schedule is None else compiled(schedule),
        did=Did.EDITED,
        who="ada",
    )
    return replace(kept, **fields)


@pytest.mark.parametrize(
    ("fields", "did", "changed"),
    [
        ({"paused": True}, Did.PAUSED, ("paused",)),
        ({"paused_until": at("12:00")}, Did.PAUSED, ("paused_until",)),
        ({"paused_until": at("08:30")}, Did.RESUMED, ("paused_until",)),
        ({"paused": True, "owner": "eve"}, Did.EDITED, ("owner", "paused")),
        ({"schedule": "@daily", "payload": {"a": 1}}, Did.EDITED, ("schedule", "payload")),
        ({}, Did.EDITED, ()),
    ],
)
def test_a_change_records_its_kind_and_the_fields_that_differ(
    fields: dict[str, Any], did: Did, changed: tuple[str, ...]
) -> None:
    before = definition()
    kept = past_revision(before, edited(before, **fields))
    assert (kept.number, kept.did, kept.who, kept.changed) == (2, did, "bob", changed)


def test_a_payload_of_true_is_not_one_of_1() -> None:
    before = definition(payload=1)
    assert past_revision(before, edited(before, payload=True)).changed == ("payload",)
    assert past_revision(before, edited(before, payload=1)).changed == ()


def test_the_first_revision_and_one_after_a_delete_create_the_job() -> None:
    tombstone = definition(deleted=True)
    assert past_revision(None, definition()).did is Did.CREATED
    assert past_revision(tombstone, edited(tombstone, owner="eve")).did is Did.CREATED
    assert past_revision(definition(), tombstone).did is Did.DELETED


def test_a_revision_governs_from_the_second_after_it_took_effect_to_the_one_at_which_the_next_does() -> None:
    history = [past(1, "09:00"), past(2, "10:00"), past(3, "10:00")]
    assert effective_revisions(history, at("08:00"), at("11:00")) == [
        EffectiveRevision(None, at("08:00"), at("09:00")),
        EffectiveRevision(0, at("09:00:01"), at("10:00")),
        EffectiveRevision(2, at("10:00:01"), at("11:00")),
    ]
    assert effective_revisions(history, at("09:30"), at("09:30")) == [EffectiveRevision(0, at("09:30"), at("09:30"))]
    assert effective_revisions([], at("09:30"), at("09:30")) == [EffectiveRevision(None, at("09:30"), at("09:30"))]


def test_a_range_ends_before_the_maximum_of_occurrences_whatever_revisions_name_them() -> None:
    history = [past(1, "08:00", "* * * * * *"), past(2, "10:00", None), past(3, "11:00", "*/2 * * * * *")]
    assert horizon(history, at("09:00:01"), at("10:30")) == at("10:30")
    left = MOST_NAMED - 3600
    assert horizon(history, at("09:00:01"), at("23:00")) == at("11:00:02") + (2 * left - 1) * SECOND


def test_a_pause_lasts_through_edits_and_ends_by_itself_or_earlier() -> None:
    history = [
        past(1, "08:00"),
        past(2, "09:00", None),
        past(3, "10:00", None),
        past(4, "11:00"),
        past(5, "12:00", paused_until=at("14:00")),
        past(6, "13:00", paused_until=at("14:00")),
        past(7, "15:00"),
        past(8, "16:00", paused_until=at("18:00")),
        past(9, "17:00"),
        past(10, "19:00", None),
    ]
    assert pause_around(history, 1) == pause_around(history, 2) == (history[1], at("11:00"), history[3])
    assert pause_around(history, 4) == pause_around(history, 5) == (history[4], at("14:00"), None)
    assert pause_around(history, 7) == (history[7], at("17:00"), history[8])
    assert pause_around(history, 9) == (history[9], None, None)


@pytest.mark.parametrize(
    ("instant", "begun"),
    [
        ("08:00", None),
        ("09:00", None),
        ("09:00:01", 2),
        ("09:20", 2),
        ("09:30", 2),
        ("09:30:01", None),
        ("10:00:01", 5),
        ("10:14:59", 5),
        ("10:15", None),
    ],
)
def test_a_pause_covers_instants_after_its_start_up_to_its_resume_or_before_its_own_end(
    instant: str, begun: int | None
) -> None:
    history = [
        past(1, "08:00"),
        past(2, "09:00", None),
        past(3, "09:10", None),
        past(4, "09:30"),
        past(5, "10:00", paused_until=at("10:15")),
    ]
    pauses = [pause_around(history, 2), pause_around(history, 4)]
    found = pause_at(history, at(instant))
    assert (found and found.begun.number) == begun
    assert [pause for pause in pauses if pause.covers(at(instant))] == ([found] if found else [])
