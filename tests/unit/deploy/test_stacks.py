from __future__ import annotations

from typing import Any, cast

import pytest
from botocore.exceptions import ClientError
from infra.deploy.account import Account
from infra.deploy.errors import DeployError
from infra.deploy.stacks import OURS, explain, plan

ID = "arn:aws:cloudformation:eu-west-1:111122223333:stack/cron/1"
NESTED = "arn:aws:cloudformation:eu-west-1:111122223333:stack/cron-Storage/2"


class FakeCloudFormation:
    """A stack in any state with a nested stack, after an operation that failed for the nested stack's table."""

    def __init__(self, status: str | None, description: str = f"{OURS} And more.", refusal: str = "") -> None:
        self.status, self.description, self.refusal = status, description, refusal

    def describe_stacks(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803
        if self.refusal:
            raise ClientError(
                {"Error": {"Code": "AccessDenied", "Message": self.refusal}},
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
            ids = {"StackId": stack, "LogicalResourceId": name, "PhysicalResourceId": physical}
            return ids | {"ResourceStatus": status, "ResourceType": kind, "ResourceStatusReason": why}

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
                    event(NESTED, "Old", "old-1", "CREATE_FAILED", why="an older failure"),
                ]
            }
        return {
            "StackEvents": [
                event(ID, "Other", "other", "CREATE_FAILED", why="Resource creation cancelled"),
                event(ID, "Storage", NESTED, "CREATE_FAILED", "AWS::CloudFormation::Stack", "Embedded stack failed"),
                event(ID, "cron", ID, "CREATE_IN_PROGRESS"),
                event(ID, "Old", "old-1", "UPDATE_FAILED", why="an older failure"),
            ]
        }

    def describe_stack_resources(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803
        kind, physical = ("DynamoDB::Table", "jobs-1") if StackName == NESTED else ("CloudFormation::Stack", NESTED)
        one = {"ResourceType": f"AWS::{kind}", "PhysicalResourceId": physical, "ResourceStatus": "DELETE_FAILED"}
        return {"StackResources": [one]}


def _account(cloudformation: FakeCloudFormation) -> Account:
    return Account(number="111122223333", caller="me", region="eu-west-1", cloudformation=cast("Any", cloudformation))


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (None, "will be created"),
        ("REVIEW_IN_PROGRESS", "will be created"),
        ("CREATE_COMPLETE", "will be updated"),
        ("UPDATE_ROLLBACK_COMPLETE", "will be updated"),
    ],
)
def test_the_plan_of_a_deployable_stack_is_to_create_or_update_it(status: str | None, outcome: str) -> None:
    assert outcome in plan(_account(FakeCloudFormation(status)), "cron")


@pytest.mark.parametrize(
    ("status", "commands"),
    [
        ("ROLLBACK_COMPLETE", ["delete-stack", "stack-delete-complete", "make deploy"]),
        ("ROLLBACK_FAILED", ["update-table --table-name jobs-1", "delete-stack", "make deploy"]),
        ("CREATE_FAILED", ["--no-deletion-protection-enabled", "delete-stack"]),
        ("UPDATE_ROLLBACK_FAILED", ["continue-update-rollback", "--resources-to-skip", "make deploy"]),
        ("UPDATE_FAILED", ["rollback-stack"]),
        ("DELETE_FAILED", ["delete-stack"]),
    ],
)
def test_a_stuck_stack_is_an_error_with_the_reason_and_the_commands_to_fix_it(status: str, commands: list[str]) -> None:
    with pytest.raises(DeployError) as before:
        plan(_account(FakeCloudFormation(status)), "cron")
    after = explain(_account(FakeCloudFormation(status)), "cron")
    for stuck in (before.value, after):
        assert status in str(stuck)
        assert "Jobs: is not authorized to perform: dynamodb:CreateTable" in str(stuck)
        assert "older failure" not in str(stuck)
        assert "cancelled" not in str(stuck)
        hints = "\n".join(stuck.hints)
        assert all(word in hints for word in commands)
        assert "--region eu-west-1" in hints


def test_a_stack_in_progress_is_refused_with_the_advice_to_wait() -> None:
    with pytest.raises(DeployError, match="being changed right now") as busy:
        plan(_account(FakeCloudFormation("UPDATE_IN_PROGRESS")), "cron")
    assert "Wait" in busy.value.hints[0]


def test_a_stack_of_another_project_is_refused_whatever_its_state() -> None:
    for description in ("Payroll", ""):
        with pytest.raises(DeployError, match="not Minutehand's") as taken:
            plan(_account(FakeCloudFormation("ROLLBACK_COMPLETE", description)), "cron")
        assert "STACK=" in taken.value.hints[0]


def test_a_missing_permission_names_the_caller_and_the_page_with_the_permissions() -> None:
    with pytest.raises(DeployError, match="me may not describe stacks: not authorized to perform") as refused:
        plan(
            _account(FakeCloudFormation(None, refusal="not authorized to perform: cloudformation:DescribeStacks")),
            "cron",
        )
    assert "docs/how-to/deploy.md" in refused.value.hints[0]


def test_a_rolled_back_update_says_that_the_stack_is_unchanged() -> None:
    error = explain(_account(FakeCloudFormation("UPDATE_ROLLBACK_COMPLETE")), "cron")
    assert "the stack is unchanged" in str(error)
    assert "dynamodb:CreateTable" in str(error)
