"""Whose job it is: a stack changes and deletes only jobs with its labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.usecases.definitions import manage, stack_jobs
from tests.unit.entrypoints.resource.stacks import Region, Resource

OURS = {"cloudformation/stack": "web", "cloudformation/resource": "Report"}


@pytest.fixture
def region() -> Region:
    return Region()


@pytest.fixture
def resource(region: Region) -> Resource:
    return Resource(region)


def _by_hand(region: Region, *, labels: dict[str, str] | None = None, **fields: Any) -> None:
    """Save the job as somebody does who has read it."""
    found = region.job()
    assert found is not None
    kept = dict(found.job.labels) if labels is None else labels
    job = replace(found.job, labels=tuple(sorted(kept.items())), **fields)
    manage.save(region.ports, job, keep_paused=False, who=Actor("ada"))


def test_a_create_refuses_a_job_that_exists_since_a_rollback_would_delete_it(
    region: Region, resource: Resource
) -> None:
    resource.create()
    _by_hand(region, labels={})
    answered = resource.create(schedule="0 9 * * *")
    assert answered["Status"] == "FAILED"
    assert answered["Reason"] == (
        "the job shop/report exists, and no stack manages it: ada saved it last, at 2026-11-20T12:00:30Z; give this job another "
        "name, delete that one, or let the stack take it over: give it the labels cloudformation/stack: web and "
        "cloudformation/resource: Report"
    )
    assert resource.delete()["Status"] == "SUCCESS"
    assert region.schedule() == "0 * * * *"


def test_a_create_refuses_the_job_of_another_stack(region: Region, resource: Resource) -> None:
    Resource(region, stack="billing", logical="Job").create()
    answered = resource.create(schedule="0 9 * * *")
    assert answered["Reason"] == (
        "the resource Job of the stack billing manages the job shop/report; remove it from that stack first, or give this job "
        "another name"
    )
    assert resource.delete()["Status"] == "SUCCESS"
    assert region.labels()["cloudformation/stack"] == "billing"


def test_a_create_refuses_the_job_of_another_resource_of_its_stack(region: Region, resource: Resource) -> None:
    """If a resource is renamed in the template, CloudFormation first creates the new one, then deletes the old one with its job."""
    resource.create()
    renamed = Resource(region, logical="Renamed")
    answered = renamed.create()
    assert answered["Status"] == "FAILED"
    assert "the resource Report of the stack web manages the job shop/report already" in answered["Reason"]
    assert (
        "give the job the labels cloudformation/stack: web and cloudformation/resource: Renamed" in answered["Reason"]
    )
    assert renamed.delete()["Status"] == "SUCCESS"
    assert region.labels() == OURS


def test_a_job_with_the_resources_labels_is_taken_over(region: Region, resource: Resource) -> None:
    other = Resource(region, stack="billing", logical="Job")
    other.create()
    _by_hand(region, labels=OURS)
    assert resource.create(schedule="0 9 * * *")["Status"] == "SUCCESS"
    assert other.delete()["Status"] == "SUCCESS"
    assert region.schedule() == "0 9 * * *", "the stack that handed it over does not delete it"
    assert resource.delete()["Status"] == "SUCCESS"
    assert not region.job()


def test_a_job_edited_by_hand_still_belongs_to_its_stack(region: Region, resource: Resource) -> None:
    resource.create()
    _by_hand(region, schedule="0 1 * * *")
    assert resource.update(schedule="0 2 * * *")["Status"] == "SUCCESS"
    assert region.schedule() == "0 2 * * *"
    _by_hand(region, schedule="0 1 * * *")
    assert resource.delete()["Status"] == "SUCCESS"
    assert not region.job()


@pytest.mark.parametrize("labels", [{}, {"apply/source": "jobs"}, OURS | {"cloudformation/stack": "billing"}])
def test_a_job_whose_labels_somebody_has_removed_or_changed_is_neither_updated_nor_deleted(
    region: Region, resource: Resource, labels: dict[str, str]
) -> None:
    resource.create()
    _by_hand(region, labels=labels, schedule="0 1 * * *")
    assert resource.update(schedule="0 2 * * *")["Status"] == "FAILED"
    assert resource.roll_back()["Status"] == "SUCCESS", "a rollback that fails would block the stack"
    assert resource.delete()["Status"] == "SUCCESS"
    assert region.schedule() == "0 1 * * *"


def test_a_job_that_changes_hands_between_the_look_and_the_delete_stays(
    region: Region, resource: Resource, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource.create()

    def manages(*given: Any) -> bool:
        _by_hand(region, labels={})
        return True

    monkeypatch.setattr(stack_jobs, "manages", manages)
    assert resource.delete()["Status"] == "SUCCESS"
    assert region.job()


def test_a_stack_writes_no_namespace_that_the_parameter_does_not_name(region: Region, resource: Resource) -> None:
    answered = resource.create(namespace="billing")
    assert answered["Status"] == "FAILED"
    assert answered["Reason"] == (
        "namespace: stacks may not manage jobs in the namespace 'billing' (the parameter ResourceNamespaces of Minutehand's stack "
        "allows shop, ops: add it there)"
    )
    assert resource.delete()["Status"] == "SUCCESS"
    region.namespaces = ("*",)
    assert resource.create(namespace="billing")["Status"] == "SUCCESS"


def test_without_namespaces_every_job_is_refused(region: Region, resource: Resource) -> None:
    region.namespaces = ()
    assert "allows none" in resource.create()["Reason"]


def test_a_stack_follows_no_parent_in_a_namespace_that_it_may_not_write(region: Region, resource: Resource) -> None:
    """The job's target receives the results of its parents' runs."""
    region.namespaces = ("*",)
    Resource(region, logical="Parent").create(namespace="billing", name="parent")
    region.namespaces = ("shop",)
    answered = resource.create(depends_on=[{"job": "billing/parent"}])
    assert "depends_on[0].job: stacks may not manage jobs in the namespace 'billing'" in answered["Reason"]


def test_a_job_in_a_namespace_that_is_no_longer_allowed_is_not_deleted_and_the_stack_is_told(
    region: Region, resource: Resource
) -> None:
    resource.create()
    region.namespaces = ("ops",)
    answered = resource.delete()
    assert answered["Status"] == "FAILED"
    assert "allows ops" in answered["Reason"]
    assert region.job()
    manage.delete(region.ports, JobKey("shop", "report"), who=Actor("ada"))
    assert resource.delete()["Status"] == "SUCCESS"


def test_the_labels_that_name_the_manager_are_not_the_templates_to_set(resource: Resource) -> None:
    answered = resource.create(labels={"cloudformation/stack": "billing"})
    assert answered["Reason"] == "labels.cloudformation/stack: the resource itself sets this label (leave it out)"


def test_the_labels_of_the_resource_count(resource: Resource) -> None:
    answered = resource.create(labels={f"label-{n}": "x" for n in range(31)})
    assert "labels: this has 33 entries; 32 is the most" in answered["Reason"]


def test_a_job_without_the_labels_of_its_resource_cannot_be_saved(region: Region, resource: Resource) -> None:
    resource.create()
    found = region.job()
    assert found is not None
    stack = stack_jobs.StackResource("billing", "Job")
    with pytest.raises(ValueError, match="lacks the labels of the resource Job of the stack billing"):
        stack_jobs.save(region.ports, found.job, keep_paused=False, resource=stack)
