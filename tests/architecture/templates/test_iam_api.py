"""The API of principals of AWS IAM, which a parameter adds, and the parameters of people."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from infra.deploy.parameters import holds

from minutehand.domain.role_map import parse_principals, parse_role_map
from minutehand.entrypoints.api.callers import IAM_STAGE
from minutehand.entrypoints.api.route import Route
from minutehand.entrypoints.api.routes import ROUTES
from tests.architecture.templates.loaded import FUNCTIONS, MAIN
from tests.architecture.templates.test_gateway import uri_of
from tests.unit.deploy.expansion import expand, long_forms, of_type

PARAMETERS = MAIN["Parameters"]
ADA = "arn:aws:iam::111122223333:user/ops/ada"
OURS = ("IamApi", "IamApiPermission", "IamAccessPermission", "IamAgentsPermission", "IamApiWebAcl")


@pytest.fixture(scope="module")
def expanded() -> dict[str, Any]:
    return expand(long_forms())


def test_the_default_is_a_stack_without_this_api() -> None:
    values = {name: str(one.get("Default", "")) for name, one in PARAMETERS.items()}
    assert not holds(MAIN["Conditions"]["HasIam"], values)
    assert holds(MAIN["Conditions"]["HasIam"], values | {"IamRoles": f"{ADA}=admin:*"})


@pytest.mark.thorough
def test_everything_of_this_api_depends_on_the_parameter(expanded: dict[str, Any]) -> None:
    named = {name: one for name, one in expanded.items() if name.startswith("Iam")}
    assert set(OURS) < set(named)
    assert {one["Condition"] for one in named.values()} == {"HasIam", "HasAgentsAndIam", "HasIamWebAcl"}
    assert MAIN["Outputs"]["IamApiUrl"]["Condition"] == "HasIam"


def test_every_method_of_this_api_needs_a_signature(expanded: dict[str, Any]) -> None:
    body = expanded["IamApi"]["Properties"]["Body"]
    [(scheme, declared)] = body["components"]["securitySchemes"].items()
    assert declared["x-amazon-apigateway-authtype"] == "awsSigv4"
    for methods in body["paths"].values():
        for one in methods.values():
            assert one["security"] == [{scheme: []}]
            assert "credentials" not in one["x-amazon-apigateway-integration"]


@pytest.mark.parametrize("route", [one for one in ROUTES if one.role], ids=lambda one: f"{one.method} {one.path}")
def test_every_route_that_needs_a_role_is_served_by_its_own_function(expanded: dict[str, Any], route: Route) -> None:
    paths = expanded["IamApi"]["Properties"]["Body"]["paths"]
    greedy = [
        path for path in paths if path.endswith("{proxy+}") and route.path.startswith(path.removesuffix("{proxy+}"))
    ]
    path = route.path if route.path in paths else max(greedy, key=len)
    assert paths[path][route.method.lower()]["x-amazon-apigateway-integration"]["uri"] == uri_of(route.function)


def test_an_unsigned_request_and_a_missing_route_have_an_answer_that_names_both(expanded: dict[str, Any]) -> None:
    """API Gateway cannot tell them apart."""
    responses = expanded["IamApi"]["Properties"]["Body"]["x-amazon-apigateway-gateway-responses"]
    answer = responses["MISSING_AUTHENTICATION_TOKEN"]
    problem = json.loads(answer["responseTemplates"]["application/json"])
    assert int(answer["statusCode"]) == problem["status"] == 403
    assert problem["detail"].startswith("The request is not signed (SigV4), or there is no such route")


def test_no_resource_policy_allows_what_the_principals_own_policy_does_not(expanded: dict[str, Any]) -> None:
    statements = expanded["IamApi"]["Properties"]["Body"]["x-amazon-apigateway-policy"]["Statement"]
    assert '"Allow"' not in json.dumps(statements)
    condition, private, otherwise = statements[1]["Fn::If"]
    assert (condition, otherwise) == ("PrivateApi", {"Ref": "AWS::NoValue"})
    assert list(private["Condition"]["StringNotEquals"]) == ["aws:SourceVpce"]


def test_a_function_is_invoked_with_the_name_of_this_stage_by_this_api_alone(expanded: dict[str, Any]) -> None:
    """The functions believe the stage: so no permission of the other API may cover a stage of this name, nor the reverse."""
    stages = {name: one["Properties"]["StageName"] for name, one in of_type(expanded, "AWS::ApiGateway::Stage").items()}
    assert sorted(stages.values()) == [IAM_STAGE, "prod"]
    sources = [
        one["Properties"]["SourceArn"]["Fn::Sub"]
        for one in of_type(expanded, "AWS::Lambda::Permission").values()
        if "execute-api" in json.dumps(one["Properties"].get("SourceArn", ""))
        and "authorizers" not in json.dumps(one["Properties"]["SourceArn"])
    ]
    by_api = {re.search(r"\$\{(\w*Api)\}/([^/]+)/", source).groups() for source in sources}  # type: ignore[union-attr]  # each names one
    assert by_api == {("Api", "prod"), ("IamApi", IAM_STAGE)}


def test_signed_requests_share_the_limits_of_the_stage(expanded: dict[str, Any]) -> None:
    [stage] = [one for one in of_type(expanded, "AWS::ApiGateway::Stage").values() if one.get("Condition") == "HasIam"]
    [setting] = stage["Properties"]["MethodSettings"]
    assert (setting["HttpMethod"], setting["ResourcePath"]) == ("*", "/*")
    assert setting["ThrottlingRateLimit"] == {"Ref": "ApiRateLimit"}


def test_the_functions_that_identify_callers_have_the_same_settings_of_them() -> None:
    def settings(name: str) -> dict[str, Any]:
        variables = FUNCTIONS[name]["Properties"]["Environment"]["Variables"]
        return {key: value for key, value in variables.items() if key.startswith(("OIDC_", "IAM_"))}

    assert settings("ApiFunction") == settings("AccessFunction") == settings("AgentsFunction")
    assert settings("ApiFunction") == settings("AuthorizerFunction") | {"IAM_ROLES": {"Ref": "IamRoles"}}
    assert not [name for name in FUNCTIONS if settings(name) and name[:3] not in ("Api", "Acc", "Age", "Aut")]


@pytest.mark.parametrize(
    "given",
    [
        "",
        "platform=admin:*",
        "team a=operator:team-a,team-b;cn=x,ou=y=viewer:shop",
        "/staff/ops=agent:shop.eu",
        "=admin:*",
        "platform=owner:*",
        "platform=admin:*,a",
        "platform=admin:A",
        "platform=admin:",
        "platform",
        "a=admin:*;",
        "a=admin:*;;b=admin:*",
    ],
)
def test_what_the_template_accepts_as_roles_of_groups_the_functions_can_read(given: str) -> None:
    accepted = re.fullmatch(PARAMETERS["OidcRoles"]["AllowedPattern"], given) is not None
    assert accepted or not given or "owner" in given or given.startswith("=") or given[-1] in "aA:;m*"
    if accepted:
        assert len(parse_role_map(given)) == given.count(";") + bool(given)


@pytest.mark.parametrize(
    ("given", "accepted"),
    [
        (f"{ADA}=admin:*", True),
        ("arn:aws:iam::111122223333:role/ci/deploy=admin:shop;arn:aws:sts::111122223333:assumed-role/on-call/*=viewer:*", True),
        ("arn:aws-us-gov:iam::111122223333:root=viewer:shop", True),
        ("arn:aws:iam::111122223333:role/ci-*=admin:shop", True),
        ("arn:aws:iam::111122223333:role/ops/*=admin:*", False),
        ("arn:aws:iam::111122223333:role/*/deploy=admin:*", False),
        (f"{ADA}=admin:*;arn:aws:iam::111122223333:role/ops/deploy?=admin:*", False),
        ("arn:aws:iam::*:role/deploy=admin:*", False),
        ("arn:aws:iam::111122223333:*=admin:*", False),
        ("arn:aws:sts::111122223333:assumed-role/deploy=admin:*", False),
        ("arn:aws:sts::111122223333:assumed-role/*=admin:*", False),
        ("*=admin:*", False),
        ("deploy=admin:*", False),
    ],
)  # fmt: skip
def test_what_the_template_accepts_as_roles_of_principals_the_functions_can_read(given: str, accepted: bool) -> None:
    assert (re.fullmatch(PARAMETERS["IamRoles"]["AllowedPattern"], given) is not None) is accepted
    if accepted:
        assert parse_principals(given)


@pytest.mark.parametrize(
    ("issuer", "accepted"),
    [
        ("https://accounts.google.com", True),
        ("https://login.microsoftonline.com/0a1b-2c/v2.0", True),
        ("https://dev-1.us.auth0.com/", True),
        ("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbC", True),
        ("http://login.example.com", False),
        ("https://login.example.com/?a=b", False),
        ("login.example.com", False),
    ],
)
def test_an_issuer_is_an_address_of_https(issuer: str, accepted: bool) -> None:
    assert (re.fullmatch(PARAMETERS["OidcIssuer"]["AllowedPattern"], issuer) is not None) is accepted
