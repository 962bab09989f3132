"""The API Gateway: its routes, tokens, throttles and access logs, after the SAM transform."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

import pytest
from infra.deploy.parameters import holds

from minutehand.entrypoints.api.routes import ROUTES
from minutehand.usecases.authorize import authorize, jwt_in
from tests.architecture.templates.loaded import MAIN, NESTED
from tests.unit.deploy.expansion import expand, long_forms, of_type


def uri_of(function: str) -> dict[str, Any]:
    """The address of a function in an integration. In a stack without agents, the API function says that there are none."""
    if function == "Agents":
        return {"Fn::If": ["HasAgents", _uri_of("Agents"), _uri_of("Api")]}
    return _uri_of(function)


def _uri_of(function: str) -> dict[str, str]:
    path = f"lambda:path/2015-03-31/functions/${{{function}Function.Arn}}/invocations"
    return {"Fn::Sub": f"arn:${{AWS::Partition}}:apigateway:${{AWS::Region}}:{path}"}


@pytest.fixture(scope="module")
def expanded() -> dict[str, Any]:
    """The resources after the SAM transform."""
    return expand(long_forms())


@pytest.mark.thorough
def test_the_expanded_gateway_has_every_route_and_asks_for_a_token_where_the_api_needs_a_role(
    expanded: dict[str, Any],
) -> None:
    paths = expanded["Api"]["Properties"]["Body"]["paths"]
    security = {
        (method.upper(), path): operation["security"]
        for path, methods in paths.items()
        for method, operation in methods.items()
    }
    assert security == {(one.method, one.path): [{"Token": []} if one.role else {"NONE": []}] for one in ROUTES}


def test_every_route_of_the_expanded_gateway_calls_the_function_that_serves_it(expanded: dict[str, Any]) -> None:
    paths = expanded["Api"]["Properties"]["Body"]["paths"]
    called = {
        (method.upper(), path): operation["x-amazon-apigateway-integration"]
        for path, methods in paths.items()
        for method, operation in methods.items()
    }
    for route in ROUTES:
        uri = uri_of(route.function)
        assert called[route.method, route.path] == {"type": "aws_proxy", "httpMethod": "POST", "uri": uri}
        assert f"{route.function}Function" in MAIN["Resources"]


def test_the_token_of_a_route_is_checked_by_the_authorizer_function(expanded: dict[str, Any]) -> None:
    schemes = expanded["Api"]["Properties"]["Body"]["components"]["securitySchemes"]
    assert list(schemes) == ["Token"]
    assert (schemes["Token"]["in"], schemes["Token"]["name"]) == ("header", "Authorization")
    assert "AuthorizerFunction" in json.dumps(schemes["Token"]["x-amazon-apigateway-authorizer"]["authorizerUri"])


@pytest.mark.parametrize(
    ("function", "below"),
    [
        ("Api", ("*/v1/*", "GET/docs*")),
        ("Access", ("*/v1/tokens*",)),
        ("Agents", ("*/v1/namespaces/*/pools/*",)),
    ],
)
def test_no_other_permissions_let_the_gateway_call_a_function(
    expanded: dict[str, Any], function: str, below: tuple[str, ...]
) -> None:
    permissions = of_type(expanded, "AWS::Lambda::Permission").values()
    found = [
        one["Properties"]
        for one in permissions
        if f"{function}Function" in json.dumps(one["Properties"]["FunctionName"])
        and one["Properties"]["Principal"] != "events.amazonaws.com"
        and one.get("Condition") not in ("HasIam", "HasAgentsAndIam")
    ]
    for each in found:
        assert each["FunctionName"] == {"Ref": f"{function}Function"}
        assert (each["Action"], each["Principal"]) == ("lambda:InvokeFunction", "apigateway.amazonaws.com")
    # The method may be a wildcard; the API, its stage and the beginning of the path are not.
    api = "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}"
    assert [each["SourceArn"] for each in found] == [{"Fn::Sub": f"{api}/prod/{end}"} for end in below]
    called = [f"{one.method}{one.path}" for one in ROUTES if one.function == function]
    assert all(any(fnmatchcase(one, end) for end in below) for one in called)


def _stage(expanded: dict[str, Any]) -> dict[str, Any]:
    [stage] = [one for one in of_type(expanded, "AWS::ApiGateway::Stage").values() if one.get("Condition") != "HasIam"]
    properties: dict[str, Any] = stage["Properties"]
    return properties


def test_callbacks_and_agents_have_throttles_of_their_own_and_all_other_routes_share_one(
    expanded: dict[str, Any],
) -> None:
    settings = {(one["HttpMethod"], one["ResourcePath"]): one for one in _stage(expanded)["MethodSettings"]}
    own = {
        (route.method, f"/{route.path.replace('/', '~1')}"): "Agent" if route.function == "Agents" else "Callback"
        for route in ROUTES
        if route.path.startswith("/v1/callbacks/") or route.function == "Agents"
    }
    assert set(settings) == own.keys() | {("*", "/*")}
    for key, one in settings.items():
        of = own.get(key, "Api")
        assert one["ThrottlingRateLimit"] == {"Ref": f"{of}RateLimit"}
        assert one["ThrottlingBurstLimit"] == {"Ref": f"{of}BurstLimit"}


@pytest.mark.parametrize(
    ("header", "passes"),
    [
        ("Bearer " + "a" * 40, True),
        ("bearer  " + "aB3-_." * 7, True),
        (" BEARER " + "a" * 40 + " ", True),
        ("Bearer " + "a" * 19, False),
        ("Bearer " + "a" * 513, False),
        ("Bearer eyJ" + "a" * 900 + ".e30" + "_" * 900 + "." + "-" * 300, True),
        ("Bearer eyJ" + "a" * 900 + ".e30" + "_" * 900, False),
        ("Bearer " + "a" * 900 + ".e30" + "_" * 900 + "." + "-" * 300, False),
        ("Bearer eyJ" + "a" * 900 + ".e30=." + "-" * 300, False),
        ("Bearer " + "a" * 20 + " " + "a" * 20, False),
        ("Bearer undefined", False),
        ("Bearer " + "ü" * 40, False),
        ("Basic " + "a" * 40, False),
        ("a" * 40, False),
        ("", False),
    ],
)
def test_the_gateway_calls_the_authorizer_only_for_what_can_be_a_token(
    expanded: dict[str, Any], header: str, passes: bool
) -> None:
    schemes = expanded["Api"]["Properties"]["Body"]["components"]["securitySchemes"]
    expression = schemes["Token"]["x-amazon-apigateway-authorizer"]["identityValidationExpression"]
    assert bool(re.fullmatch(expression, header)) is passes
    accepted: list[str] = []

    class Tokens:
        def get(self, digest: str) -> None:
            accepted.append(digest)

    authorize(Tokens(), header, datetime.now(UTC))
    assert accepted or jwt_in(header) or not passes, "whatever passes, the authorizer can read"


@pytest.mark.parametrize("wanted", ["true", "false"])
def test_access_logs_have_the_request_but_no_header_and_so_no_token(wanted: str, expanded: dict[str, Any]) -> None:
    condition, setting, otherwise = _stage(expanded)["AccessLogSetting"]["Fn::If"]
    assert holds(MAIN["Conditions"][condition], {"ApiAccessLogs": wanted}) is (wanted == "true")
    assert otherwise == {"Ref": "AWS::NoValue"}
    assert setting["DestinationArn"] == {"Fn::GetAtt": ["Logs", "Outputs.AccessLogsArn"]}
    line = json.loads(setting["Format"])
    assert {"request_id", "ip", "method", "path", "token", "status", "refused"} <= line.keys()
    assert line["token"] == "$context.authorizer.principalId"  # the token's name (entrypoints/authorizer.py)
    assert all(value.startswith("$context.") for value in line.values())
    assert not re.search("header|querystring|body", setting["Format"], re.IGNORECASE)
    group = NESTED["logs"]["Resources"]["AccessLogs"]["Properties"]
    assert group["RetentionInDays"] == {"Ref": "RetentionDays"}
