from __future__ import annotations

from tests.unit.deploy.expansion import expand, long_forms, of_type


def _deployment(access: str) -> set[str]:
    """The ids of the API's deployments. CloudFormation makes a new one only for a new id."""
    parameters = {"ApiAccess": access, "ApiVpcEndpointId": "vpce-0a1b2c3d4e5f6a7b8"}
    return set(of_type(expand(long_forms(), parameters), "AWS::ApiGateway::Deployment"))


def test_a_change_of_access_alone_deploys_the_api_again_so_that_its_policy_applies() -> None:
    assert not _deployment("public") & _deployment("private")
    assert _deployment("public") == _deployment("public")
