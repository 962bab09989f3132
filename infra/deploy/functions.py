"""Checks of what Lambda limits: the names and the variables of the functions, before AWS is called."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from infra.deploy.errors import DeployError
from infra.deploy.parameters import holds

_FUNCTION = "AWS::Serverless::Function"
_LONGEST_NAME = 64
_SUFFIX = 13
"""Most characters that CloudFormation adds to a function's name, so that no other has it."""
_LONGEST_QUEUE_NAME = 80
_OF_A_POOL = len("-agents-pool-") + 24
"""Characters that follow the stack's name in the names of the queues of pools and nodes (`adapters/pool_queues.py`)."""
_MOST_OF_VARIABLES = 4096
"""Most bytes of a function's variables, which Lambda counts as JSON."""
_QUEUE_URL, _MADE = 140, 80
"""Most characters of a queue's URL, and of other values that only AWS knows, such as a table's name."""
_LONG = 100
"""Characters from which on a parameter is worth shortening."""


def check(template: Mapping[str, Any], given: Mapping[str, str], stack: str) -> None:
    """Raise ``DeployError`` if a function would get too many variables, or a name from which IAM cannot tell that it is the stack's own."""
    values = {name: str(one["Default"]) for name, one in template["Parameters"].items()} | dict(given)
    _check_names(template, values, stack)
    if wrong := [*_too_long(template, values | {"AWS::StackName": stack})]:
        raise DeployError(
            "These variables are too long for Lambda:\n" + "\n".join(f"  {line}" for line in wrong),
            hints=[
                "Name fewer, or cover several with one entry, such as *.example.com; docs/how-to/deploy.md lists them."
            ],
        )


def _check_names(template: Mapping[str, Any], values: Mapping[str, str], stack: str) -> None:
    """With targets in AWS, a policy denies their worker the functions whose names begin with the stack's. With agents, names of queues
    begin with it."""
    most = _LONGEST_QUEUE_NAME - _OF_A_POOL
    if values["Agents"] == "true" and len(stack) > most:
        raise DeployError(
            f"The stack name {stack} has {len(stack)} characters; with Agents=true the maximum is {most}. SQS would refuse the names of the "
            "queues of pools, which begin with it.",
            hints=[f"Choose another: make deploy STACK={stack[:most].rstrip('-')}", "Or deploy with Agents=false."],
        )
    functions = [name for name, one in template["Resources"].items() if one["Type"] == _FUNCTION]
    most = _LONGEST_NAME - len(f"-{max(functions, key=len)}-") - _SUFFIX
    if values["AwsTargets"] == "true" and len(stack) > most:
        raise DeployError(
            f"The stack name {stack} has {len(stack)} characters; with AwsTargets=true the maximum is {most}. CloudFormation would shorten the "
            "names of the functions, and the policy that keeps jobs from calling the stack's own functions would not cover them.",
            hints=[f"Choose another: make deploy STACK={stack[:most].rstrip('-')}", "Or deploy with AwsTargets=false."],
        )


def _too_long(template: Mapping[str, Any], values: Mapping[str, str]) -> Iterator[str]:
    conditions, shared = template["Conditions"], template["Globals"]["Function"]["Environment"]["Variables"]
    for function, one in template["Resources"].items():
        if one["Type"] != _FUNCTION or ("Condition" in one and not holds(conditions[one["Condition"]], values)):
            continue
        variables = shared | one["Properties"]["Environment"]["Variables"]
        given = {name: _chosen(value, conditions, values) for name, value in variables.items()}
        texts = {name: _text(name, value, values) for name, value in given.items() if value != {"Ref": "AWS::NoValue"}}
        over = len(json.dumps(texts, separators=(",", ":"))) - _MOST_OF_VARIABLES
        if over > 0:
            used = {value["Ref"] for value in given.values() if isinstance(value, dict) and "Ref" in value}
            long = [name for name in values if name in used and len(values[name]) >= _LONG]
            yield f"{function}: {', '.join(long)} have {over} characters too many together"


def _chosen(value: Any, conditions: Mapping[str, Any], values: Mapping[str, str]) -> Any:
    while isinstance(value, dict) and "Fn::If" in value:
        condition, then, otherwise = value["Fn::If"]
        value = then if holds(conditions[condition], values) else otherwise
    return value


def _text(name: str, value: Any, values: Mapping[str, str]) -> str:
    """The value of a variable, or as many characters as it may have."""
    if not isinstance(value, dict):
        return str(value)
    return values.get(value.get("Ref", ""), "?" * (_QUEUE_URL if name.endswith("_QUEUE_URL") else _MADE))
