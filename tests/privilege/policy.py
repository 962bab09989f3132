"""Permissions granted by the roles of infra/access.yaml, and whether they meet those that a call needs (`needs.py`).

Resources have the templates' names: `JobsTableArn`, `JobsTableArn/index/due`, `HttpQueueArn`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
SECRETS, WITH_A_KEY = "/secrets/", "/with-a-key"
"""How the names of the secrets of the exercises begin, and of those with a KMS key of their own end."""
ACCESS = ROOT / "infra" / "access.yaml"


class Grant(NamedTuple):
    """One action on one resource, granted by a statement (`sid`) of a function's role.

    Attributes:
        keys: patterns of the table's partition keys to which the grant is limited; empty for all. A request without a key is refused.
        attributes: the attributes of items to which the grant is limited, keys included; empty for all. A request that returns others
            is refused.
        limited: whether a condition limits it to what jobs may reach: by a tag, or by the names of namespaces in Cloud Map.
    """

    role: str
    sid: str
    action: str
    resource: str
    keys: tuple[str, ...] = ()
    attributes: frozenset[str] = frozenset()
    limited: bool = False

    def allows(self, need: Need) -> bool:
        """Whether this grant meets the need."""
        key_matches = not self.keys or any(fnmatchcase(need.key, pattern) for pattern in self.keys)
        if self.attributes and (
            need.returns != "NONE" or not need.attributes or not need.attributes <= self.attributes
        ):
            return False
        return key_matches and (self.action, self.resource) == (need.action, need.resource)


class Need(NamedTuple):
    """A permission that AWS requires for a call; for an item of a table, with its partition key.

    Attributes:
        attributes: those that an update of an item names, its key included.
        returns: what an update answers of the item.
    """

    action: str
    resource: str
    key: str = ""
    attributes: frozenset[str] = frozenset()
    returns: str = "NONE"


class _Template(yaml.SafeLoader):
    """YAML with CloudFormation's short forms: a reference becomes its name, a condition the list of its values."""


def _intrinsic(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return re.sub(r"\$\{([\w:]+)\}", r"\1", str(loader.construct_scalar(node)))
    if isinstance(node, yaml.SequenceNode):
        values = loader.construct_sequence(node, deep=True)
        return {"If": values[1:]} if tag == "If" else values[1] if tag == "Split" else values[0]
    return None


_Template.add_multi_constructor("!", _intrinsic)


def read(path: Path) -> Any:
    """Read a template, with references as names."""
    return yaml.load(path.read_text(encoding="utf-8"), _Template)  # noqa: S506 - a SafeLoader


def grants() -> list[Grant]:
    """All grants of infra/access.yaml."""
    return [
        Grant(
            name.removesuffix("Role"),
            statement["Sid"],
            action,
            resource,
            _keys(statement),
            _attributes(statement),
            _is_limited(statement),
        )
        for name, role in read(ACCESS)["Resources"].items()
        if role["Type"] == "AWS::IAM::Role"
        for policy in role["Properties"]["Policies"]
        for statement in _chosen(policy["PolicyDocument"]["Statement"])
        if statement["Effect"] == "Allow"
        for action in _listed(statement["Action"])
        for resource in _listed(statement["Resource"])
    ]


LEADING_KEYS = ("ForAllValues:StringLike", "dynamodb:LeadingKeys")
"""The condition of the statements about tables: on the partition keys of items. (DynamoDB's guide, "Using IAM policy conditions for
fine-grained access control".) Since it also holds for a request without keys, a `Null` condition excludes that. (IAM's guide,
"Set operators for multivalued context keys".)"""


ALWAYS_WITH_A_KEY = "dynamodb:PutItem"
"""A statement that allows this action alone needs no condition `Null`: the item to put has a key."""


ATTRIBUTES = ("ForAllValues:StringEquals", "dynamodb:Attributes")
"""The condition on the attributes that a request names, keys included. It comes with one on the answer, which would have the others.
(The same guide, "Specifying conditions: using condition keys".)"""


TAGGED = {"StringEquals": {"aws:ResourceTag/minutehand": "allowed"}}
"""The condition for what jobs may reach by its tag. (IAM's guide, "Controlling access to AWS resources using tags".)"""


DISCOVERED = {"StringLike": {"servicediscovery:NamespaceName": "CloudMapNamespaces"}}
"""The condition for where in Cloud Map jobs may look for endpoints. (Service Authorization Reference of AWS Cloud Map.)"""


PASSED = {"StringEquals": {"iam:PassedToService": "ecs-tasks.amazonaws.com"}}
"""The condition for roles that tasks get. (IAM's guide, "Grant a user permissions to pass a role to an AWS service".)"""


VIA_STORES = {
    "StringEquals": {"kms:ViaService": ["secretsmanager.AWS::Region.AWS::URLSuffix", "ssm.AWS::Region.AWS::URLSuffix"]}
}
"""The condition for the keys of secrets: only the stores of secrets use them, for the worker. (KMS's guide, "kms:ViaService".)"""


def _is_limited(statement: dict[str, Any]) -> bool:
    return statement.get("Condition") in (TAGGED, DISCOVERED)


def _keys(statement: dict[str, Any]) -> tuple[str, ...]:
    if "Condition" not in statement or statement["Condition"] in (TAGGED, DISCOVERED, PASSED, VIA_STORES):
        return ()
    operator, key = LEADING_KEYS
    condition = statement["Condition"]
    patterns = tuple(_listed(condition[operator][key]))
    known: dict[str, Any] = {operator: {key: [*patterns]}}
    if statement["Action"] != ALWAYS_WITH_A_KEY:
        known["Null"] = {key: "false"}
    if attributes := _attributes(statement):
        of, named = ATTRIBUTES
        known |= {
            of: {named: condition[of][named]},
            "Null": {key: "false", named: "false"},
            "StringEqualsIfExists": {"dynamodb:ReturnValues": "NONE"},
        }
        assert len(attributes) == len(condition[of][named])
    assert condition == known, f"this module does not evaluate the condition {condition}"
    return patterns


def _attributes(statement: dict[str, Any]) -> frozenset[str]:
    operator, key = ATTRIBUTES
    return frozenset(statement.get("Condition", {}).get(operator, {}).get(key, ()))


def _chosen(values: Any) -> Iterator[dict[str, Any]]:
    """The statements of a list, conditional ones included."""
    for value in _listed(values):
        if isinstance(value, dict) and "If" in value:
            yield from _chosen(value["If"])
        elif isinstance(value, dict):
            yield value


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def refused(wanted: Iterable[Need], granted: Iterable[Grant]) -> list[Need]:
    """The needs that no grant allows."""
    allowed = list(granted)
    return [need for need in wanted if not any(grant.allows(need) for grant in allowed)]
