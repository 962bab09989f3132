from __future__ import annotations

from typing import Any

import pytest

from tests.unit.deploy.expansion import expand, long_forms, of_type

ENDPOINT = "vpce-0a1b2c3d4e5f6a7b8"


def _deployed(api: str, access: str, endpoint: str = ENDPOINT, agents: str = "false") -> tuple[str, Any]:
    """The id of an API's deployment, and the resource policy that it publishes. CloudFormation makes a new one only for a new id."""
    resources = expand(long_forms(), {"ApiAccess": access, "ApiVpcEndpointId": endpoint, "Agents": agents})
    [identity] = [name for name in of_type(resources, "AWS::ApiGateway::Deployment") if name.startswith(f"{api}Deploy")]
    stages = of_type(resources, "AWS::ApiGateway::Stage").values()
    assert {"Ref": identity} in [stage["Properties"]["DeploymentId"] for stage in stages]
    return identity, resources[api]["Properties"]["Body"]["x-amazon-apigateway-policy"]


@pytest.fixture(params=["Api", "IamApi"])
def api(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize(("before", "after"), [("public", "private"), ("private", "public")])
@pytest.mark.thorough
def test_a_change_of_access_alone_deploys_the_api_again_so_that_its_policy_applies(
    api: str, before: str, after: str
) -> None:
    assert _deployed(api, before)[0] != _deployed(api, after)[0]
    assert _deployed(api, before) == _deployed(api, before), "and without a change nothing is deployed"


@pytest.mark.thorough
def test_another_endpoint_deploys_the_api_again(api: str) -> None:
    assert _deployed(api, "private")[0] != _deployed(api, "private", "vpce-0b0b0b0b0b0b0b0b0")[0]


@pytest.mark.thorough
def test_a_stack_that_begins_to_serve_agents_deploys_the_api_again_so_that_their_routes_lead_to_their_function(
    api: str,
) -> None:
    assert _deployed(api, "public")[0] != _deployed(api, "public", agents="true")[0]


@pytest.mark.parametrize("access", ["public", "private"])
@pytest.mark.thorough
def test_only_a_private_api_refuses_whatever_comes_by_another_way_than_its_endpoint(api: str, access: str) -> None:
    statements = _deployed(api, access)[1]["Statement"]
    [(condition, denial, otherwise)] = [one["Fn::If"] for one in statements if "Fn::If" in one]
    assert (condition, otherwise) == ("PrivateApi", {"Ref": "AWS::NoValue"})
    assert (denial["Effect"], denial["Condition"]) == ("Deny", {"StringNotEquals": {"aws:SourceVpce": ENDPOINT}})
