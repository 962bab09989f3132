"""The parameters of ``template.yaml``: what may be given, checked here before AWS is asked anything.

CloudFormation checks the same, but only after a build and an upload, and it names one mistake at a time.
"""

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from infra.deploy.errors import DeployError


class _Template(yaml.SafeLoader):
    """YAML with CloudFormation's short forms, which are kept as what they are applied to."""


def _short_form(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)  # noqa: S101 (YAML has no fourth kind)
        value = loader.construct_mapping(node, deep=True)
    return {tag if tag in {"Ref", "Condition"} else f"Fn::{tag}": value}


_Template.add_multi_constructor("!", _short_form)


def load(template: Path) -> dict[str, Any]:
    """A template as plain dictionaries and lists, its short forms written out (``{"Ref": …}``, ``{"Fn::If": …}``)."""
    loaded: dict[str, Any] = yaml.load(template.read_text(encoding="utf-8"), Loader=_Template)  # noqa: S506 (a safe loader)
    return loaded


def parse(text: str) -> dict[str, str]:
    """``"DueShards=16 AlarmEmail=ops@example.com"`` as a dictionary; raises ``DeployError`` for a word without ``=``."""
    pairs = [word.partition("=") for word in text.split()]
    for name, equals, _ in pairs:
        if not equals:
            raise DeployError(
                f"{name!r} is not NAME=value.", how=['As in: PARAMETERS="DueShards=16 WorkerMemory=1024"']
            )
    return {name: value for name, _, value in pairs}


def check(template: Mapping[str, Any], given: Mapping[str, str]) -> None:
    """Raise ``DeployError`` with every value that the template would refuse."""
    declared = template["Parameters"]
    wrong = [f"{name}: {problem}" for name, value in given.items() if (problem := _problem(declared, name, value))]
    if not wrong:
        wrong = _together(template, {name: str(one["Default"]) for name, one in declared.items()} | dict(given))
    if wrong:
        raise DeployError(
            "These parameters cannot be used:\n" + "\n".join(f"  {line}" for line in wrong),
            how=["Correct them in samconfig.local.toml or in PARAMETERS=…; docs/how-to/deploy.md lists all of them."],
        )


def _problem(declared: Mapping[str, Any], name: str, value: str) -> str | None:
    if name not in declared:
        near = difflib.get_close_matches(name, declared, n=1)
        return f"there is no such parameter{f'; did you mean {near[0]}?' if near else ''}"
    rule = declared[name]
    if allowed := [str(one) for one in rule.get("AllowedValues", [])]:
        return None if value in allowed else f"{value!r} is not one of {', '.join(allowed)}"
    if rule["Type"] == "Number":
        low, high = rule["MinValue"], rule["MaxValue"]
        fits = re.fullmatch(r"\d{1,9}", value) and low <= int(value) <= high
        return None if fits else f"{value!r} is not a whole number from {low} to {high}"
    if len(value) > rule.get("MaxLength", 4096):
        return f"it has {len(value)} characters; {rule.get('MaxLength', 4096)} are the most"
    if not re.fullmatch(rule["AllowedPattern"], value):
        return f"{value!r} {rule['ConstraintDescription']}"
    return None


def _together(template: Mapping[str, Any], values: Mapping[str, str]) -> list[str]:
    """What the template's rules say about values that are right one by one."""
    return [
        assertion["AssertDescription"]
        for rule in template.get("Rules", {}).values()
        if holds(rule["RuleCondition"], values)
        for assertion in rule["Assertions"]
        if not holds(assertion["Assert"], values)
    ]


def holds(condition: Mapping[str, Any], values: Mapping[str, str]) -> bool:
    """Whether a condition of the template's rules holds with these values.

    Raises:
        ValueError: for a function that no rule has used so far.
    """
    [(function, arguments)] = condition.items()
    if function == "Fn::Not":
        return not holds(arguments[0], values)
    if function == "Fn::Equals":
        left, right = (values[one["Ref"]] if isinstance(one, dict) else str(one) for one in arguments)
        return left == right
    raise ValueError(f"a rule uses {function}; teach it to infra/deploy/parameters.py")
