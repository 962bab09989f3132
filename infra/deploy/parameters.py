"""Checks of the values for the parameters of ``template.yaml``, before AWS is called.

CloudFormation makes the same checks, but only after a build and an upload, and reports one mistake at a time.
"""

import difflib
import re
from collections.abc import Mapping
from typing import Any

from infra.deploy.errors import DeployError


def parse(text: str) -> dict[str, str]:
    """Parse ``"DueShards=16 AlarmEmail=ops@example.com"``; raises ``DeployError`` for a word without ``=``."""
    pairs = [word.partition("=") for word in text.split()]
    for name, equals, _ in pairs:
        if not equals:
            raise DeployError(
                f"{name!r} is not NAME=value.", hints=['For instance: PARAMETERS="DueShards=16 WorkerMemory=1024"']
            )
    return {name: value for name, _, value in pairs}


def check(template: Mapping[str, Any], values: Mapping[str, str]) -> None:
    """Raise ``DeployError`` with every value that the template does not allow."""
    declared = template["Parameters"]
    wrong = [f"{name}: {problem}" for name, value in values.items() if (problem := _problem(declared, name, value))]
    if not wrong:
        wrong = _broken_rules(template, {name: str(one["Default"]) for name, one in declared.items()} | dict(values))
    if wrong:
        raise DeployError(
            "These parameters are invalid:\n" + "\n".join(f"  {line}" for line in wrong),
            hints=["Correct them in samconfig.local.toml or in PARAMETERS=…; docs/how-to/deploy.md lists all of them."],
        )


def _problem(declared: Mapping[str, Any], name: str, value: str) -> str | None:
    if name not in declared:
        near = difflib.get_close_matches(name, declared, n=1)
        return f"no such parameter{f'; did you mean {near[0]}?' if near else ''}"
    rule = declared[name]
    if allowed := [str(one) for one in rule.get("AllowedValues", [])]:
        return None if value in allowed else f"{value!r} is not one of {', '.join(allowed)}"
    if rule["Type"] == "Number":
        low, high = rule["MinValue"], rule["MaxValue"]
        fits = re.fullmatch(r"\d{1,9}", value) and low <= int(value) <= high
        return None if fits else f"{value!r} is not a whole number from {low} to {high}"
    if len(value) > rule.get("MaxLength", 4096):
        return f"{len(value)} characters; the maximum is {rule.get('MaxLength', 4096)}"
    if not re.fullmatch(rule["AllowedPattern"], value):
        return f"{value!r} {rule['ConstraintDescription']}"
    return None


def _broken_rules(template: Mapping[str, Any], values: Mapping[str, str]) -> list[str]:
    """The messages of the rules in the template (section Rules) that these parameter values break in combination."""
    return [
        assertion["AssertDescription"]
        for rule in template.get("Rules", {}).values()
        if holds(rule["RuleCondition"], values)
        for assertion in rule["Assertions"]
        if not holds(assertion["Assert"], values)
    ]


def holds(condition: Mapping[str, Any], values: Mapping[str, str]) -> bool:
    """Whether a condition of the template holds with these values.

    Raises:
        ValueError: for a function other than ``Fn::Equals``, ``Fn::Not`` and ``Fn::Or``.
    """
    [(function, arguments)] = condition.items()
    if function == "Fn::Not":
        return not holds(arguments[0], values)
    if function == "Fn::Or":
        return any(holds(each, values) for each in arguments)
    if function == "Fn::Equals":
        left, right = (values[one["Ref"]] if isinstance(one, dict) else str(one) for one in arguments)
        return left == right
    raise ValueError(f"a condition uses {function}, which infra/deploy/parameters.py does not evaluate")
