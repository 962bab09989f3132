"""Every event of the protocol of custom resources, over stores in memory."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.entrypoints.resource.requests import answer
from minutehand.usecases.definitions import manage
from tests.unit.entrypoints.resource.stacks import HOURLY, Region, Resource


@pytest.fixture
def region() -> Region:
    return Region()


@pytest.fixture
def resource(region: Region) -> Resource:
    return Resource(region)


def test_a_create_saves_the_job_by_the_stack_as_its_author(region: Region, resource: Resource) -> None:
    answered = resource.create()
    assert answered == {
        "Status": "SUCCESS",
        "PhysicalResourceId": "shop/report",
        "StackId": resource.last["StackId"],
        "RequestId": resource.last["RequestId"],
        "LogicalResourceId": "Report",
    }
    found = region.job()
    assert found is not None
    assert found.updated_by == "cloudformation:web"
    assert found.job.schedule == "0 * * * *"
    assert region.labels() == {"cloudformation/stack": "web", "cloudformation/resource": "Report"}


def test_a_created_job_that_is_due_soon_is_dispatched_at_once(region: Region, resource: Resource) -> None:
    resource.create(schedule="@every 10s")
    assert region.state.messages


def test_a_job_created_with_labels_keeps_them(region: Region, resource: Resource) -> None:
    resource.create(labels={"team": "web"})
    assert region.labels()["team"] == "web"


def test_an_update_replaces_the_definition(region: Region, resource: Resource) -> None:
    resource.create()
    answered = resource.update(schedule="0 9 * * *")
    assert (answered["Status"], answered["PhysicalResourceId"]) == ("SUCCESS", "shop/report")
    assert region.schedule() == "0 9 * * *"


def test_an_update_keeps_a_pause_that_its_properties_do_not_mention(region: Region, resource: Resource) -> None:
    resource.create()
    manage.pause(region.ports, JobKey("shop", "report"), who=Actor("ada"))
    resource.update(schedule="0 9 * * *")
    found = region.job()
    assert found is not None
    assert found.job.paused
    resource.update(paused=False)
    found = region.job()
    assert found is not None
    assert not found.job.paused


def test_an_update_creates_a_job_again_that_somebody_has_deleted(region: Region, resource: Resource) -> None:
    resource.create()
    region.delete_by_hand()
    assert resource.update(schedule="0 9 * * *")["Status"] == "SUCCESS"
    assert region.schedule() == "0 9 * * *"


def test_the_rollback_of_an_update_restores_the_old_job(region: Region, resource: Resource) -> None:
    resource.create(payload='{"day": 1}')
    resource.update(schedule="0 9 * * *", payload='{"day": 2}')
    assert resource.roll_back()["Status"] == "SUCCESS"
    found = region.job()
    assert found is not None
    assert (found.job.schedule, found.job.payload) == ("0 * * * *", {"day": 1})


def test_a_new_name_is_a_replacement_whose_old_job_is_cleaned_up(region: Region, resource: Resource) -> None:
    resource.create()
    answered = resource.update(name="summary")
    assert answered["PhysicalResourceId"] == "shop/summary"
    assert region.job("report"), "it stays until CloudFormation deletes it"
    assert resource.clean_up()["Status"] == "SUCCESS"
    assert not region.job("report")
    assert region.job("summary")


def test_the_rollback_of_a_replacement_keeps_the_old_job_and_deletes_the_new_one(
    region: Region, resource: Resource
) -> None:
    resource.create()
    resource.update(name="summary", schedule="0 9 * * *")
    assert resource.roll_back()["PhysicalResourceId"] == "shop/report"
    assert resource.clean_up()["Status"] == "SUCCESS"
    assert region.schedule("report") == "0 * * * *"
    assert not region.job("summary")


def test_a_delete_deletes_the_job(region: Region, resource: Resource) -> None:
    resource.create()
    answered = resource.delete()
    assert (answered["Status"], answered["PhysicalResourceId"]) == ("SUCCESS", "shop/report")
    assert not region.job()


def test_a_delete_of_a_job_that_somebody_has_deleted_succeeds(region: Region, resource: Resource) -> None:
    resource.create()
    region.delete_by_hand()
    assert resource.delete()["Status"] == "SUCCESS"


def test_a_create_that_was_refused_leaves_nothing_and_its_delete_succeeds(region: Region, resource: Resource) -> None:
    answered = resource.create(schedule="99 * * * *")
    assert (answered["Status"], answered["PhysicalResourceId"]) == ("FAILED", "shop/report")
    assert resource.delete()["Status"] == "SUCCESS"
    assert not region.state.definitions


@pytest.mark.parametrize("changes", [{"name": ""}, {"name": "no name at all"}, {"namespace": "../ops"}, {"name": {}}])
def test_a_create_without_a_valid_name_is_refused_and_its_delete_succeeds(
    region: Region, resource: Resource, changes: dict[str, Any]
) -> None:
    answered = resource.create(**changes)
    assert (answered["Status"], answered["PhysicalResourceId"]) == ("FAILED", "not-created")
    assert resource.delete()["Status"] == "SUCCESS"
    assert not region.state.definitions


def test_a_create_whose_answer_never_came_is_deleted_by_its_properties(region: Region, resource: Resource) -> None:
    """CloudFormation then makes up a physical id."""
    resource.create()
    resource.physical = "web-Report-1A2B3C4D5E6F"
    assert resource.delete()["Status"] == "SUCCESS"
    assert not region.job()


def test_a_create_that_comes_twice_gets_the_same_answer(region: Region, resource: Resource) -> None:
    answered = resource.create()
    assert resource.send(resource.last) == answered
    found = region.job()
    assert found is not None
    assert found.revision == 1


def test_an_update_that_comes_again_later_does_not_undo_what_followed(region: Region, resource: Resource) -> None:
    resource.create()
    first = resource.update(schedule="0 1 * * *")
    late = resource.last
    resource.update(schedule="0 2 * * *")
    assert resource.send(late) == first
    assert region.schedule() == "0 2 * * *"


def test_a_delete_that_comes_again_later_does_not_delete_the_job_of_a_later_create(
    region: Region, resource: Resource
) -> None:
    resource.create()
    resource.delete()
    late = resource.last
    resource.create()
    assert resource.send(late)["Status"] == "SUCCESS"
    assert region.job()


def test_a_request_that_failed_midway_is_done_when_it_comes_again(region: Region, resource: Resource) -> None:
    saving = region.ports.definitions.save

    def broken(*_: Any) -> bool:
        raise Unavailable("the table does not answer")

    region.ports.definitions.save = broken  # type: ignore[method-assign]
    failed = resource.create()
    assert failed["Status"] == "FAILED"
    assert "may or may not have been changed: Unavailable: the table does not answer; deploy again" in failed["Reason"]
    region.ports.definitions.save = saving  # type: ignore[method-assign]
    assert resource.send(resource.last)["Status"] == "SUCCESS"
    assert region.job()


def test_without_the_store_of_answers_requests_are_handled_all_the_same(region: Region, resource: Resource) -> None:
    class Away:
        def get(self, digest: str) -> None:
            raise Unavailable("away")

        def put(self, digest: str, answer: str, **_: Any) -> None:
            raise Unavailable("away")

    region.answers = Away()
    assert resource.create()["Status"] == "SUCCESS"
    assert resource.update(schedule="99 * * * *")["Status"] == "FAILED"
    assert resource.roll_back()["Status"] == "SUCCESS"
    assert resource.delete()["Status"] == "SUCCESS"
    assert not region.job()


def test_an_update_that_was_refused_is_rolled_back_without_a_check(region: Region, resource: Resource) -> None:
    """The old properties may be refused by now, and a rollback that fails blocks the whole stack."""
    resource.create(paused={"until": "2026-11-20T13:00:00Z"})
    region.now = region.now.replace(hour=14)
    refused = resource.update(schedule="99 * * * *")
    assert refused["Status"] == "FAILED"
    assert resource.roll_back()["Status"] == "SUCCESS"
    assert region.schedule() == "0 * * * *"


def test_the_same_change_of_properties_takes_effect_later(region: Region, resource: Resource) -> None:
    resource.create()
    region.namespaces = ()
    assert resource.update(schedule="0 9 * * *")["Status"] == "FAILED"
    region.namespaces = ("shop",)
    resource.tried = {}
    assert resource.update(schedule="0 9 * * *")["Status"] == "SUCCESS"
    assert resource.update()["Status"] == "SUCCESS"
    assert region.schedule() == "0 * * * *", "the way back is no rollback of the update that was refused"


@pytest.mark.parametrize(
    "changes",
    [
        {"StackId": None},
        {"StackId": "web"},
        {"LogicalResourceId": 3},
        {"ResourceProperties": "none"},
        {"ResourceProperties": None},
        {"RequestType": "Read"},
        {"RequestId": {"a": 1}},
    ],
)
def test_a_damaged_event_gets_an_answer_and_changes_nothing_wrong(
    region: Region, resource: Resource, changes: dict[str, Any]
) -> None:
    event = resource.event("Create", HOURLY)
    for name, value in changes.items():
        event[name] = value
    answered = answer(event, region.deployment)
    assert answered["Status"] == ("SUCCESS" if "RequestId" in changes else "FAILED")
    assert json.dumps(answered)
    assert answer({}, region.deployment)["Status"] == "FAILED"


def test_settings_that_are_missing_are_answered(resource: Resource) -> None:
    def unset() -> Any:
        raise KeyError("JOBS_TABLE")

    answered = answer(resource.event("Create", HOURLY), unset)
    assert (answered["Status"], answered["PhysicalResourceId"]) == ("FAILED", "shop/report")
    assert "KeyError: 'JOBS_TABLE'; the log of Minutehand's resource function has more" in answered["Reason"]


def test_two_resources_of_a_stack_have_a_job_each(region: Region, resource: Resource) -> None:
    resource.create()
    other = replace(resource, logical="Other", physical="", properties={}, tried={}, last={})
    assert other.create(name="other")["Status"] == "SUCCESS"
    resource.delete()
    assert region.job("other")
