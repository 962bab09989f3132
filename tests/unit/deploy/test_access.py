from __future__ import annotations

from typing import Any

import pytest

from tests.unit.deploy.expansion import expand, long_forms, of_type

ENDPOINT = "vpce-0a1b2c3d4e5f6a7b8"


def _deployed(access: str, endpoint: str = ENDPOINT) -> tuple[str, Any]:
    """The id of the API's deployment, and the resource policy that it publishes. CloudFormation makes a new one only for a new id."""
    resources = expand(long_forms(), {"ApiAccess": access, "ApiVpcEndpointId": endpoint})
    [identity] = of_type(resources, "AWS::ApiGateway::Deployment")
    [stage] = of_type(resources, "AWS::ApiGateway::Stage").values()
    assert stage["Properties"]["DeploymentId"] == {"Ref": identity}
    return identity, resources["Api"]["Properties"]["Body"]["x-amazon-apigateway-policy"]


@pytest.mark.parametrize(("before", "after"), [("public", "private"), ("private", "public")])
def test_a_change_of_access_alone_deploys_the_api_again_so_that_its_policy_applies(before: str, after: str) -> None:
    assert _deployed(before)[0] != _deployed(after)[0]
    assert _deployed(before) == _deployed(before), "and without a change nothing is deployed"


def test_another_endpoint_deploys_the_api_again() -> None:
    assert _deployed("private")[0] != _deployed("private", "vpce-0b0b0b0b0b0b0b0b0")[0]


@pytest.mark.parametrize("access", ["public", "private"])
def test_only_a_private_api_refuses_whatever_comes_by_another_way_than_its_endpoint(access: str) -> None:
    statements = _deployed(access)[1]["Statement"]
    [(condition, denial, otherwise)] = [one["Fn::If"] for one in statements if "Fn::If" in one]
    assert (condition, otherwise) == ("PrivateApi", {"Ref": "AWS::NoValue"})
    assert (denial["Effect"], denial["Condition"]) == ("Deny", {"StringNotEquals": {"aws:SourceVpce": ENDPOINT}})
