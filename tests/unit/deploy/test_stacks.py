from __future__ import annotations

from typing import Any, cast

import pytest
from botocore.exceptions import ClientError
from infra.deploy.account import Account
from infra.deploy.errors import DeployError
from infra.deploy.stacks import OURS, explain, look

ID = "arn:aws:cloudformation:eu-west-1:111122223333:stack/cron/1"
NESTED = "arn:aws:cloudformation:eu-west-1:111122223333:stack/cron-Storage/2"


class FakeCloudFormation:
    """One stack with a nested one, in whatever state, after an operation that failed over the nested stack's table."""

    def __init__(self, status: str | None, description: str = f"{OURS} And more.", refusal: str = "") -> None:
        self.status, self.description, self.refusal = status, description, refusal

    def describe_stacks(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803
        if self.refusal:
            raise ClientError(
                {"Error": {"Code": "AccessDenied", "Message": self.refusal}},  # type: ignore[typeddict-item]
                "DescribeStacks",
            )
        if self.status is None:
            message = f"Stack with id {StackName} does not exist"
            raise ClientError({"Error": {"Code": "ValidationError", "Message": message}}, "DescribeStacks")
        return {"Stacks": [{"StackStatus": self.status, "Description": self.description}]}

    def get_template_summary(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803
        return {}

    def describe_stack_events(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803
        def event(stack: str, name: str, physical: str, status: str, kind: str = "", why: str = "") -> dict[str, str]:
            told = {"StackId": stack, "LogicalResourceId": name, "PhysicalResourceId": physical}
            return told | {"ResourceStatus": status, "ResourceType": kind, "ResourceStatusReason": why}

        if StackName == NESTED:
            return {
                "StackEvents": [
                    event(
                        NESTED,
                        "Jobs",
                        "jobs-1",
                        "CREATE_FAILED",
                        why="is not authorized to perform: dynamodb:CreateTable",
                    ),
                    event(NESTED, "cron-Storage", NESTED, "CREATE_IN_PROGRESS"),
                    event(NESTED, "Old", "old-1", "CREATE_FAILED", why="an older story"),
                ]
            }
        return {
            "StackEvents": [
                event(ID, "Other", "other", "CREATE_FAILED", why="Resource creation cancelled"),
                event(ID, "Storage", NESTED, "CREATE_FAILED", "AWS::CloudFormation::Stack", "Embedded stack failed"),
                event(ID, "cron", ID, "CREATE_IN_PROGRESS"),
                event(ID, "Old", "old-1", "UPDATE_FAILED", why="an older story"),
            ]
        }

    def describe_stack_resources(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803
        kind, physical = ("DynamoDB::Table", "jobs-1") if StackName == NESTED else ("CloudFormation::Stack", NESTED)
        one = {"ResourceType": f"AWS::{kind}", "PhysicalResourceId": physical, "ResourceStatus": "DELETE_FAILED"}
        return {"StackResources": [one]}


def _account(cloudformation: FakeCloudFormation) -> Account:
    return Account(number="111122223333", caller="me", region="eu-west-1", cloudformation=cast("Any", cloudformation))


@pytest.mark.parametrize(
    ("status", "fate"),
    [
        (None, "will be created"),
        ("REVIEW_IN_PROGRESS", "will be created"),
        ("CREATE_COMPLETE", "will be updated"),
        ("UPDATE_ROLLBACK_COMPLETE", "will be updated"),
    ],
)
def test_a_stack_that_can_be_deployed_to_is_told_its_fate(status: str | None, fate: str) -> None:
    assert fate in look(_account(FakeCloudFormation(status)), "cron")


@pytest.mark.parametrize(
    ("status", "on"),
    [
        ("ROLLBACK_COMPLETE", ["delete-stack", "stack-delete-complete", "make deploy"]),
        ("ROLLBACK_FAILED", ["update-table --table-name jobs-1", "delete-stack", "make deploy"]),
        ("CREATE_FAILED", ["--no-deletion-protection-enabled", "delete-stack"]),
        ("UPDATE_ROLLBACK_FAILED", ["continue-update-rollback", "--resources-to-skip", "make deploy"]),
        ("UPDATE_FAILED", ["rollback-stack"]),
        ("DELETE_FAILED", ["delete-stack"]),
    ],
)
def test_a_stack_that_is_stuck_comes_with_its_reason_and_the_way_on(status: str, on: list[str]) -> None:
    with pytest.raises(DeployError) as before:
        look(_account(FakeCloudFormation(status)), "cron")
    after = explain(_account(FakeCloudFormation(status)), "cron")
    for stuck in (before.value, after):
        assert status in str(stuck)
        assert "Jobs: is not authorized to perform: dynamodb:CreateTable" in str(stuck)
        assert "older story" not in str(stuck)
        assert "cancelled" not in str(stuck)
        told = "\n".join(stuck.how)
        assert all(word in told for word in on)
        assert "--region eu-west-1" in told


def test_a_stack_that_is_being_changed_is_waited_for() -> None:
    with pytest.raises(DeployError, match="being changed right now") as busy:
        look(_account(FakeCloudFormation("UPDATE_IN_PROGRESS")), "cron")
    assert "Wait" in busy.value.how[0]


def test_a_name_that_is_in_use_by_something_else_is_not_touched_whatever_its_state() -> None:
    for description in ("Payroll", ""):
        with pytest.raises(DeployError, match="not Minutehand's") as taken:
            look(_account(FakeCloudFormation("ROLLBACK_COMPLETE", description)), "cron")
        assert "STACK=" in taken.value.how[0]


def test_who_may_not_look_is_told_who_they_are_and_what_deploying_needs() -> None:
    with pytest.raises(DeployError, match="me may not look at stacks: not authorized to perform") as refused:
        look(
            _account(FakeCloudFormation(None, refusal="not authorized to perform: cloudformation:DescribeStacks")),
            "cron",
        )
    assert "docs/how-to/deploy.md" in refused.value.how[0]


def test_an_update_that_was_undone_says_that_all_is_as_before() -> None:
    told = explain(_account(FakeCloudFormation("UPDATE_ROLLBACK_COMPLETE")), "cron")
    assert "as it was before" in str(told)
    assert "dynamodb:CreateTable" in str(told)
