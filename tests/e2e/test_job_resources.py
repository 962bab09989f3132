"""Jobs that stacks declare, on the emulator's CloudFormation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError
from localstack.clients import Clients

from tests.e2e.conftest import Stack, eventually

pytestmark = pytest.mark.services


class Cloud:
    """CloudFormation, and the stacks of one test."""

    def __init__(self, stack: Stack, namespace: str) -> None:
        self._client = Clients(stack.record.endpoint_url).cloudformation
        self._token = stack.record.outputs["ResourceServiceToken"]
        self._namespace = namespace
        self.made: set[str] = set()

    def deploy(self, name: str, **resources: dict[str, Any]) -> str:
        """Create or update a stack with a job for each resource; returns its state."""
        stack = f"{self._namespace}-{name}"
        base = {"ServiceToken": self._token, "ServiceTimeout": 60, "namespace": self._namespace}
        made = {
            each: {"Type": "Custom::MinutehandJob", "Properties": base | properties}
            for each, properties in resources.items()
        }
        body = json.dumps({"Resources": made | {"Topic": {"Type": "AWS::SNS::Topic"}}})
        call: Any = self._client.update_stack if stack in self.made else self._client.create_stack
        call(StackName=stack, TemplateBody=body)
        self.made.add(stack)
        return self._state(stack)

    def delete(self, name: str) -> str:
        stack = f"{self._namespace}-{name}"
        self._client.delete_stack(StackName=stack)
        return self._state(stack)

    def reasons(self, name: str) -> str:
        """Why resources failed."""
        events = self._client.describe_stack_events(StackName=f"{self._namespace}-{name}")["StackEvents"]
        return "\n".join(each.get("ResourceStatusReason", "") for each in events)

    def _state(self, stack: str) -> str:
        def settled() -> str | None:
            try:
                [found] = self._client.describe_stacks(StackName=stack)["Stacks"]
            except ClientError:
                return "GONE"
            return None if found["StackStatus"].endswith("_IN_PROGRESS") else found["StackStatus"]

        state = eventually(settled, seconds=60, what=f"{stack} settles")
        return "GONE" if state == "DELETE_COMPLETE" else state


@pytest.fixture
def cloud(stack: Stack, namespace: str) -> Iterator[Cloud]:
    cloud = Cloud(stack, namespace)
    yield cloud
    for made in cloud.made:
        cloud.delete(made.removeprefix(f"{namespace}-"))


def _job(stack: Stack, **fields: Any) -> dict[str, Any]:
    return {
        "name": "report",
        "schedule": "0 4 * * *",
        "target": {"type": "http", "url": stack.record.echo_url},
    } | fields


def _jobs(stack: Stack, namespace: str) -> dict[str, Any]:
    return {job["name"]: job["schedule"] for job in stack.client.list_jobs(namespace)}


def test_a_stack_creates_changes_renames_and_deletes_its_job(stack: Stack, cloud: Cloud, namespace: str) -> None:
    assert cloud.deploy("web", Report=_job(stack, max_runs=3, record_units=True)) == "CREATE_COMPLETE"
    job = stack.client.get_job(f"{namespace}/report")
    assert (job["max_runs"], job["record_units"]) == (3, True)
    assert job["status"]["updated_by"] == f"cloudformation:{namespace}-web"
    assert job["labels"] == {"cloudformation/stack": f"{namespace}-web", "cloudformation/resource": "Report"}
    assert cloud.deploy("web", Report=_job(stack, schedule="0 5 * * *")) == "UPDATE_COMPLETE"
    assert _jobs(stack, namespace) == {"report": "0 5 * * *"}
    assert cloud.deploy("web", Report=_job(stack, name="summary")) == "UPDATE_COMPLETE"
    eventually(lambda: _jobs(stack, namespace) == {"summary": "0 4 * * *"}, seconds=20, what="the old job is deleted")
    assert cloud.delete("web") == "GONE"
    assert _jobs(stack, namespace) == {}


def test_a_wrong_property_fails_the_stack_with_a_reason_and_leaves_nothing(
    stack: Stack, cloud: Cloud, namespace: str
) -> None:
    state = cloud.deploy("web", Report=_job(stack, schedule="0 25 * * *"), Fine=_job(stack, name="fine"))
    assert state == "ROLLBACK_COMPLETE"
    assert "schedule: hour" in cloud.reasons("web")
    assert _jobs(stack, namespace) == {}


def test_a_failed_update_restores_the_jobs_of_before(stack: Stack, cloud: Cloud, namespace: str) -> None:
    before = {"First": _job(stack), "Second": _job(stack, name="second")}
    assert cloud.deploy("web", **before) == "CREATE_COMPLETE"
    wrong = {"First": _job(stack, schedule="0 5 * * *"), "Second": _job(stack, name="second", max_runs="many")}
    wrong["Second"]["description"] = "needs First"
    assert cloud.deploy("web", **wrong) == "UPDATE_ROLLBACK_COMPLETE"
    assert "max_runs: 'many' is not a whole number" in cloud.reasons("web")
    assert _jobs(stack, namespace) == {"report": "0 4 * * *", "second": "0 4 * * *"}


def test_a_stack_neither_takes_nor_deletes_the_job_of_another(stack: Stack, cloud: Cloud, namespace: str) -> None:
    assert cloud.deploy("web", Report=_job(stack)) == "CREATE_COMPLETE"
    assert cloud.deploy("billing", Report=_job(stack, schedule="0 5 * * *")) == "ROLLBACK_COMPLETE"
    assert f"of the stack {namespace}-web manages the job" in cloud.reasons("billing")
    assert cloud.delete("billing") == "GONE"
    assert _jobs(stack, namespace) == {"report": "0 4 * * *"}
