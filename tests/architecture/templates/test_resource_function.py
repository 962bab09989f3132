"""The function for jobs that stacks declare, which a parameter adds."""

from __future__ import annotations

import re
from typing import Any

from infra.deploy.parameters import holds
from infra.template import load

from tests.architecture.templates.loaded import FUNCTIONS, MAIN, NESTED, ROOT

ON = "HasResources"
FUNCTION = FUNCTIONS["ResourceFunction"]


def test_the_default_is_a_stack_without_the_function() -> None:
    values = {name: str(one.get("Default", "")) for name, one in MAIN["Parameters"].items()}
    assert not holds(MAIN["Conditions"][ON], values)
    for given in ("*", "shop", "shop,billing-eu"):
        assert holds(MAIN["Conditions"][ON], values | {"ResourceNamespaces": given})
        assert re.fullmatch(MAIN["Parameters"]["ResourceNamespaces"]["AllowedPattern"], given)


def test_everything_of_the_function_depends_on_the_parameter() -> None:
    for template in (MAIN, NESTED["access"], NESTED["logs"]):
        for kind in ("Resources", "Outputs"):
            named = {name: one for name, one in template[kind].items() if name.startswith("Resource")}
            assert named
            assert {one.get("Condition") for one in named.values()} == {ON}


def test_the_function_has_the_limits_and_targets_of_the_api() -> None:
    def variables(name: str) -> dict[str, Any]:
        found: dict[str, Any] = FUNCTIONS[name]["Properties"]["Environment"]["Variables"]
        return found

    own, api = variables("ResourceFunction"), variables("ApiFunction")
    assert own.pop("RESOURCE_NAMESPACES") == {"Ref": "ResourceNamespaces"}
    assert own.pop("POWERTOOLS_SERVICE_NAME") == "resource"
    assert own == {
        name: value
        for name, value in api.items()
        if name not in ("POWERTOOLS_SERVICE_NAME", "OUTPUT_BUCKET", "TOKEN_RATE", "TOKEN_BURST", "WATCHED_QUEUES")
        and not name.startswith(("OIDC_", "IAM_"))
    }


def test_lambda_repeats_no_request_after_cloudformation_has_given_it_up() -> None:
    """Such a request could change a job after the stack has been rolled back."""
    properties = FUNCTION["Properties"]
    config = properties["EventInvokeConfig"]
    assert config["MaximumRetryAttempts"] == 0
    example = load(ROOT / "examples" / "job-in-sam" / "template.yml")["Resources"]["NightlyReport"]["Properties"]
    assert config["MaximumEventAgeInSeconds"] + properties["Timeout"] < example["ServiceTimeout"]


def test_only_cloudformation_and_this_account_may_invoke_the_function() -> None:
    permissions = [
        one["Properties"]
        for one in MAIN["Resources"].values()
        if one["Type"] == "AWS::Lambda::Permission" and one["Properties"]["FunctionName"] == {"Ref": "ResourceFunction"}
    ]
    assert permissions == [
        {
            "Action": "lambda:InvokeFunction",
            "FunctionName": {"Ref": "ResourceFunction"},
            "Principal": "cloudformation.amazonaws.com",
            "SourceAccount": {"Ref": "AWS::AccountId"},
        }
    ]
    assert "Events" not in FUNCTION["Properties"]
    assert "FunctionUrlConfig" not in FUNCTION["Properties"]


def test_other_stacks_find_the_service_token_by_the_name_of_the_stack() -> None:
    output = MAIN["Outputs"]["ResourceServiceToken"]
    assert output["Value"] == {"Fn::GetAtt": "ResourceFunction.Arn"}
    assert output["Export"] == {"Name": {"Fn::Sub": "${AWS::StackName}-ResourceServiceToken"}}


def test_the_function_reads_neither_tokens_nor_records_of_changes() -> None:
    [policy] = NESTED["access"]["Resources"]["ResourceRole"]["Properties"]["Policies"]
    of_jobs = [one for one in policy["PolicyDocument"]["Statement"] if one.get("Resource") == {"Ref": "JobsTableArn"}]
    reads = [one for one in of_jobs if re.search(r"Get|Query|Scan|Select", str(one["Action"]))]
    assert len(reads) == 2
    for one in reads:
        keys = one["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        assert not [key for key in keys if key.startswith(("TOKEN", "AUDIT", "*"))]
        assert one["Condition"]["Null"] == {"dynamodb:LeadingKeys": "false"}
