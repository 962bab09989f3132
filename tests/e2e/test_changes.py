"""What CloudFormation says it would do, asked with change sets."""

from __future__ import annotations

from typing import Any

import pytest
from localstack.clients import Clients

from tests.e2e.conftest import Stack, eventually, root

DEFAULTS = {"DeletionProtection": "true", "PointInTimeRecovery": "true", "KmsKeyArn": ""}
OTHERS = {
    "DeletionProtection": "false",
    "PointInTimeRecovery": "false",
    "KmsKeyArn": "arn:aws:kms:us-east-1:000000000000:key/11111111-2222-3333-4444-555555555555",
}
NAME = "storage-of-its-own"


def _given(values: dict[str, str]) -> list[Any]:
    return [{"ParameterKey": key, "ParameterValue": value} for key, value in values.items()]


@pytest.mark.services
def test_no_parameter_replaces_a_table_and_another_key_would(stack: Stack) -> None:
    cloudformation = Clients(stack.record.endpoint_url).cloudformation
    body = (root() / "infra" / "storage.yaml").read_text(encoding="utf-8")
    cloudformation.create_stack(StackName=NAME, TemplateBody=body, Parameters=_given(DEFAULTS))
    eventually(
        lambda: cloudformation.describe_stacks(StackName=NAME)["Stacks"][0]["StackStatus"] == "CREATE_COMPLETE",
        seconds=30,
        what="the tables are there",
    )

    def change_set(name: str, template: str, values: dict[str, str]) -> dict[str, str]:
        cloudformation.create_change_set(
            StackName=NAME, ChangeSetName=name, TemplateBody=template, Parameters=_given(values)
        )
        described = eventually(
            lambda: (
                found
                if (found := cloudformation.describe_change_set(StackName=NAME, ChangeSetName=name))["Status"]
                in {"CREATE_COMPLETE", "FAILED"}
                else None
            ),
            seconds=30,
            what="a change set",
        )
        changes = [change["ResourceChange"] for change in described["Changes"]]
        return {
            change["LogicalResourceId"]: change.get("Replacement", "")
            for change in changes
            if change["ResourceType"]
            == "AWS::DynamoDB::Table"  # of a bucket the emulator does not know what replaces it
        }

    assert change_set("all", body, OTHERS) == {"JobsTable": "False", "RunsTable": "False"}
    for name, value in OTHERS.items():
        assert change_set(f"one-{name}", body, DEFAULTS | {name: value}) == {"JobsTable": "False", "RunsTable": "False"}
    other_key = body.replace("AttributeName: pk,", "AttributeName: key,")
    assert change_set("other-key", other_key, DEFAULTS)["JobsTable"] in {"True", "Conditional"}
