"""Parameters and names of the stack."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.architecture.templates.loaded import MAIN, NESTED, intrinsics


def test_two_stacks_in_one_account_share_no_names() -> None:
    for template in (MAIN, *NESTED.values()):
        resources = template["Resources"]
        for logical, one in resources.items():
            names = [
                value
                for key, value in one.get("Properties", {}).items()
                if re.fullmatch(
                    r"(Table|Bucket|Queue|Function|Role|LogGroup|Topic|Alarm|ManagedPolicy|Dashboard)?Name", key
                )
            ]
            for value in names:
                own = isinstance(value, dict) and value.get("Ref") in resources
                given = json.dumps(value)
                assert own or "AWS::StackName" in given or "${Stack}" in given or value == {"Ref": "Stack"}, logical


def test_the_parameter_stack_of_a_nested_template_is_the_name_of_the_stack() -> None:
    given = {
        name: one["Properties"]["Parameters"]["Stack"]
        for name, one in MAIN["Resources"].items()
        if "Stack" in one.get("Properties", {}).get("Parameters", {})
    }
    name = {"Ref": "AWS::StackName"}
    assert given == {"Monitoring": name, "MonitoringDashboard": name}


def test_every_parameter_is_described_grouped_bounded_and_used() -> None:
    groups = MAIN["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    grouped = [name for group in groups for name in group["Parameters"]]
    assert sorted(grouped) == sorted(MAIN["Parameters"])
    used = set(intrinsics({key: MAIN[key] for key in ("Resources", "Globals", "Conditions")}))
    for name, one in MAIN["Parameters"].items():
        assert one["Description"].endswith("."), name
        assert "Default" in one, name
        assert f"Ref {name}" in used, name
        bounded = {"AllowedValues", "AllowedPattern", "MinValue"} & one.keys()
        assert bounded, f"{name} accepts any value"
        assert ("ConstraintDescription" in one) == ("AllowedPattern" in one), name
        if "AllowedPattern" in one:
            assert re.fullmatch(one["AllowedPattern"], one["Default"]), name


@pytest.mark.parametrize("name", NESTED)
def test_a_nested_parameter_that_may_be_empty_has_an_empty_default(name: str) -> None:
    """LocalStack passes an empty parameter without a default as nothing, which it then refuses in `Fn::Equals`."""
    compared = {
        operand["Ref"]
        for operands in _values_of("Fn::Equals", NESTED[name].get("Conditions", {}))
        if "" in operands
        for operand in operands
        if isinstance(operand, dict) and "Ref" in operand
    }
    used = [one["Properties"] for one in MAIN["Resources"].values() if _is_stack_of(one, name)]
    assert used
    empty = {
        inner
        for properties in used
        for inner, value in properties.get("Parameters", {}).items()
        if isinstance(value, dict) and MAIN["Parameters"].get(value.get("Ref"), {}).get("Default") == ""
    }
    parameters = NESTED[name]["Parameters"]
    assert compared | empty or name == "dashboard"
    assert {parameter: parameters[parameter].get("Default") for parameter in compared | empty} == dict.fromkeys(
        compared | empty, ""
    )


def _is_stack_of(resource: dict[str, Any], name: str) -> bool:
    return bool(resource.get("Properties", {}).get("TemplateURL") == f"./infra/{name}.yaml")


def _values_of(key: str, value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == key:
                yield inner
            yield from _values_of(key, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values_of(key, inner)
