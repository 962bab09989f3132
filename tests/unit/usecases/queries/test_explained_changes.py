"""Explanations of a job that was created, edited or deleted."""

from __future__ import annotations

from dataclasses import replace

from minutehand.domain.actor import Actor
from minutehand.domain.findings import Kind
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On
from minutehand.domain.revision_history import Did
from minutehand.usecases.definitions import manage
from minutehand.usecases.queries.explain import explain_instant
from tests.unit.domain.examples import KEY, at
from tests.unit.usecases.queries.explaining import HOURLY, blocked_range, instant, kinds, live
from tests.unit.usecases.stage import Stage


def test_before_it_was_created_the_job_did_not_exist(stage: Stage) -> None:
    stage.save()
    finding = instant(stage, "09:00")
    assert finding.kind is Kind.NOT_CREATED
    assert finding.revision is not None
    assert (finding.revision.number, finding.revision.who) == (1, "ada")


def test_after_a_delete_the_deletion_and_earlier_runs_are_shown(stage: Stage) -> None:
    stage.save()
    live(stage, "09:05")
    manage.delete(stage.ports, KEY, who=Actor("bob"))
    finding = instant(stage, "12:00")
    assert finding.kind is Kind.DELETED
    assert finding.revision is not None
    assert (finding.revision.did, finding.revision.who) == (Did.DELETED, "bob")
    assert instant(stage, "09:03").kind is Kind.RAN


def test_a_job_created_again_shows_both_lives(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    stage.at("09:10:00")
    manage.delete(stage.ports, KEY, who=Actor("bob"))
    stage.at("09:20:00").save(schedule=HOURLY)
    found = blocked_range(stage, "09:00", "09:30")
    assert kinds(found) == [
        ("not_there", "09:00:00", "09:00:30", None),
        ("not_named", "09:00:31", "09:10:00", None),
        ("deleted", "09:10:01", "09:20:00", None),
        ("not_named", "09:20:01", "09:30:00", None),
    ]


def test_each_instant_is_explained_by_the_revision_in_effect(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    stage.at("10:30:00").save(schedule="15 * * * *")
    stage.at("12:30:00")
    finding = instant(stage, "12:00")
    assert finding.revision is not None
    assert (finding.kind, finding.revision.number) == (Kind.NOT_NAMED, 2)
    assert finding.revision.changed == ("schedule",)
    assert instant(stage, "10:00").kind is not Kind.NOT_NAMED


def test_a_job_older_than_revision_histories_is_explained_from_its_definition(stage: Stage) -> None:
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


def test_an_unreadable_schedule_is_reported(stage: Stage) -> None:
    stage.save(schedule=HOURLY)
    [past] = stage.state.histories[KEY]
    stage.state.histories[KEY] = [replace(past, rule="{}")]
    assert instant(stage, "12:00").kind is Kind.UNKNOWN
    assert instant(stage, "12:00").problem


def test_a_deleted_parent_is_listed(stage: Stage) -> None:
    parent = JobKey(KEY.namespace, "load")
    stage.save(key=parent, schedule=HOURLY)
    stage.save(schedule="@manual", depends_on=(Dependency(parent, On.SUCCESS),))
    assert explain_instant(stage.ports, KEY, at("10:00")).gone == set()
    manage.delete(stage.ports, parent, who=Actor("bob"))
    assert explain_instant(stage.ports, KEY, at("10:00")).gone == {parent}


def test_the_past_of_a_deleted_job_does_not_belong_to_the_new_one(stage: Stage) -> None:
    stage.save()
    live(stage, "09:05")
    other = JobKey(KEY.namespace, "other")
    stage.save(key=other, schedule=HOURLY)
    [finding] = explain_instant(stage.ports, other, at("09:03")).findings
    assert finding.kind is Kind.NOT_CREATED
