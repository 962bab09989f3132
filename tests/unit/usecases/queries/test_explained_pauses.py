"""Explanations of pauses."""

from __future__ import annotations

from minutehand.domain.actor import Actor
from minutehand.domain.findings import Kind
from minutehand.domain.revision_history import Did
from minutehand.usecases.definitions import manage
from tests.unit.domain.examples import KEY, at
from tests.unit.usecases.queries.explaining import HOURLY, blocked_range, instant, kinds
from tests.unit.usecases.stage import Stage


def test_a_pause_is_one_finding_with_its_start_and_end_despite_edits(
    stage: Stage,
) -> None:
    stage.save(schedule=HOURLY)
    stage.at("10:10:00")
    manage.pause(stage.ports, KEY, who=Actor("bob"))
    stage.at("11:30:00").save(schedule=HOURLY, owner="ada", keep_paused=True)
    stage.at("13:30:00")
    manage.resume(stage.ports, KEY, who=Actor("eve"))
    stage.at("14:30:00")
    for clock in ("11:00", "12:00", "13:00"):
        finding = instant(stage, clock)
        assert finding.kind is Kind.PAUSED
        assert finding.pause is not None
        assert (finding.pause.begun.who, finding.pause.begun.effective_from) == ("bob", at("10:10:00"))
        assert finding.pause.ended is not None
        assert (finding.pause.until, finding.pause.ended.who) == (at("13:30:00"), "eve")


def test_a_pause_that_is_on_has_no_end(stage: Stage) -> None:
    stage.save(schedule=HOURLY, paused=True)
    finding = instant(stage, "12:00")
    assert finding.pause is not None
    assert (finding.kind, finding.pause.until, finding.pause.ended) == (Kind.PAUSED, None, None)


def test_a_pause_with_an_end_ends_by_itself(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    manage.pause(stage.ports, KEY, until=at("10:30"), who=Actor("bob"))
    stage.at("09:10:00").save(schedule=HOURLY, owner="ada", keep_paused=True)
    found = blocked_range(stage, "09:30", "11:30")
    assert kinds(found) == [("paused", "09:30:00", "10:29:59", None), ("not_yet_due", "11:00:00", "11:00:00", 1)]
    assert found.findings[0].pause is not None
    assert (found.findings[0].pause.begun.did, found.findings[0].pause.begun.who) == (Did.PAUSED, "bob")
    assert (found.findings[0].pause.until, found.findings[0].pause.ended) == (at("10:30"), None)


def test_a_pause_that_was_resumed_early_shows_who_resumed_it(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    manage.pause(stage.ports, KEY, until=at("12:30"), who=Actor("bob"))
    stage.at("10:30:00")
    manage.resume(stage.ports, KEY, who=Actor("eve"))
    finding = instant(stage, "10:00")
    assert finding.pause is not None
    assert finding.pause.ended is not None
    assert (finding.pause.until, finding.pause.ended.did, finding.pause.ended.who) == (at("10:30"), Did.RESUMED, "eve")
    assert instant(stage, "12:00").kind is Kind.NOT_YET


def test_a_run_skipped_by_a_pause_is_the_finding(stage: Stage) -> None:
    stage.save()
    manage.pause(stage.ports, KEY, who=Actor("bob"))
    stage.at("09:02:30").work()
    finding = blocked_range(stage, "09:01", "09:02").findings[-1]
    assert (finding.kind, finding.times) == (Kind.SKIPPED, 2)
