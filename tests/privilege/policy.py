"""Permissions granted by the roles of infra/access.yaml, and permissions that AWS requires for a call.

Resources have the templates' names: `JobsTableArn`, `JobsTableArn/index/due`, `HttpQueueArn`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
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
        limited: whether a condition limits it to what jobs may reach: by a tag, or by the names of namespaces in Cloud Map.
    """

    role: str
    sid: str
    action: str
    resource: str
    keys: tuple[str, ...] = ()
    limited: bool = False

    def allows(self, need: Need) -> bool:
        """Whether this grant meets the need."""
        key_matches = not self.keys or any(fnmatchcase(need.key, pattern) for pattern in self.keys)
        return key_matches and (self.action, self.resource) == (need.action, need.resource)


class Need(NamedTuple):
    """A permission that AWS requires for a call; for an item of a table, with its partition key."""

    action: str
    resource: str
    key: str = ""


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
        Grant(name.removesuffix("Role"), statement["Sid"], action, resource, _keys(statement), _is_limited(statement))
        for name, role in read(ACCESS)["Resources"].items()
        if role["Type"] == "AWS::IAM::Role"
        for policy in role["Properties"]["Policies"]
        for statement in _chosen(policy["PolicyDocument"]["Statement"])
        if statement["Effect"] == "Allow"
        for action in _listed(statement["Action"])
        for resource in _listed(statement["Resource"])
    ]


def denials() -> list[Grant]:
    """What statements of infra/access.yaml deny for items with some partition keys, as if it were granted."""
    return [
        Grant(name.removesuffix("Role"), statement["Sid"], action, resource, tuple(_listed(keys)))
        for name, role in read(ACCESS)["Resources"].items()
        if role["Type"] == "AWS::IAM::Role"
        for policy in role["Properties"]["Policies"]
        for statement in _chosen(policy["PolicyDocument"]["Statement"])
        if statement["Effect"] == "Deny"
        for keys in [statement.get("Condition", {}).get("ForAnyValue:StringLike", {}).get("dynamodb:LeadingKeys")]
        if keys
        for action in _listed(statement["Action"])
        for resource in _listed(statement["Resource"])
    ]


LEADING_KEYS = ("ForAllValues:StringLike", "dynamodb:LeadingKeys")
"""The condition of the statements about tables: on the partition keys of items. (DynamoDB's guide, "Using IAM policy conditions for
fine-grained access control".) Since it also holds for a request without keys, a `Null` condition excludes that. (IAM's guide,
"Set operators for multivalued context keys".)"""


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
    assert condition == {operator: {key: [*patterns]}, "Null": {key: "false"}}, (
        f"this module does not evaluate the condition {condition}"
    )
    return patterns


def _chosen(values: Any) -> Iterator[dict[str, Any]]:
    """The statements of a list, conditional ones included."""
    for value in _listed(values):
        if isinstance(value, dict) and "If" in value:
            yield from _chosen(value["If"])
        elif isinstance(value, dict):
            yield value


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


_PARTS = {
    "Put": "dynamodb:PutItem",
    "Update": "dynamodb:UpdateItem",
    "Delete": "dynamodb:DeleteItem",
    "ConditionCheck": "dynamodb:ConditionCheckItem",
}
"""A transaction has no action of its own; each part is authorized. (DynamoDB's guide, "IAM policy basics for transactions".)"""

_PARTIQL = {
    "INSERT": "dynamodb:PartiQLInsert",
    "UPDATE": "dynamodb:PartiQLUpdate",
    "DELETE": "dynamodb:PartiQLDelete",
    "SELECT": "dynamodb:PartiQLSelect",
}
"""A batch of statements has no action of its own either. (DynamoDB's guide, "IAM security policies with PartiQL".)"""

_BATCHES = {
    "SendMessageBatch": "sqs:SendMessage",
    "ChangeMessageVisibilityBatch": "sqs:ChangeMessageVisibility",
}
"""SQS authorizes a batch by the action of one message. (The service authorization reference of SQS.)"""

_OBJECTS = {"DeleteObjects": "s3:DeleteObject"}
"""S3 authorizes a batch by the action of one object. (The service authorization reference of S3.)"""

TELLS_MISSING = ("GetObject", Need("s3:ListBucket", "OutputBucketArn"))
"""Without this permission, S3 answers a request for a missing object with AccessDenied, not NoSuchKey. (S3's API reference, GetObject.)"""


def needs(service: str, operation: str, request: Mapping[str, Any], named: Mapping[str, str]) -> set[Need]:
    """Permissions that AWS requires for a call; `named` maps tables, queues, buckets and parameters to the templates' names."""
    if (found := _of_target(service, operation, request, named)) is not None:
        return found
    match service, operation, request:
        case "dynamodb", "TransactWriteItems", {"TransactItems": items}:
            return {
                Need(_PARTS[kind], named[part["TableName"]], _partition(part))
                for item in items
                for kind, part in item.items()
            }
        case "dynamodb", "BatchExecuteStatement", {"Statements": statements}:
            return {_of_statement(one["Statement"], one["Parameters"], named) for one in statements}
        case "dynamodb", "BatchGetItem", {"RequestItems": tables}:
            return {
                Need("dynamodb:BatchGetItem", named[table], _partition({"Key": key}))
                for table, wanted in tables.items()
                for key in wanted["Keys"]
            }
        case "dynamodb", _, {"TableName": table, "IndexName": index}:
            return {Need(f"dynamodb:{operation}", f"{named[table]}/index/{index}")}
        case "dynamodb", "Query", {"TableName": table}:
            return {Need("dynamodb:Query", named[table], _queried(request))}
        case "dynamodb", _, {"TableName": table}:
            return {Need(f"dynamodb:{operation}", named[table], _partition(request))}
        case "sqs", _, {"QueueUrl": queue}:
            return {Need(_BATCHES.get(operation, f"sqs:{operation}"), named[queue])}
        case "s3", _, {"Bucket": bucket}:
            return {Need(_OBJECTS.get(operation, f"s3:{operation}"), named[bucket])}
        case "lambda", "Invoke", _:
            return set()  # granted by template.yaml, which test_roles.py checks
        case "ssm", _, {"Name": parameter}:
            return {Need(f"ssm:{operation}", named[parameter])}
    raise AssertionError(f"add the permissions that AWS requires for {service} {operation}")


def _of_target(service: str, operation: str, request: Mapping[str, Any], named: Mapping[str, str]) -> set[Need] | None:
    """The permissions for the call of a job's target; None for another call."""
    match service, operation, request:
        case "ssm", "GetParameter", {"Name": name} if name.startswith(SECRETS):
            return {Need("ssm:GetParameter", "SecretArns")} | _to_decrypt(name)
        case "secretsmanager", "GetSecretValue", {"SecretId": name}:
            return {Need("secretsmanager:GetSecretValue", "SecretArns")} | _to_decrypt(name)
        case "lambda", "Invoke", {"FunctionName": function} if function in named:
            return {Need("lambda:InvokeFunction", named[function])}
        case "sns", "Publish", {"TopicArn": topic}:
            return {Need("sns:Publish", named[topic])}
        case "events", "PutEvents", {"Entries": entries}:
            return {Need("events:PutEvents", named[entry["EventBusName"]]) for entry in entries}
        case "stepfunctions", "StartExecution", {"stateMachineArn": machine}:
            return {Need("states:StartExecution", named[machine])}
        case "ecs", "RunTask", {"taskDefinition": definition}:
            return {Need("ecs:RunTask", named[definition]), Need("iam:PassRole", "AwsTaskRoles")}
        case "servicediscovery", "DiscoverInstances", _:
            return {Need("servicediscovery:DiscoverInstances", "*")}
        case "sts", "AssumeRole", _:
            return {
                Need("sts:AssumeRole", "AwsTargetRoles")
            }  # every role of an exercise is one that this parameter names
    return None


def _to_decrypt(secret: str) -> set[Need]:
    """The permission for a secret with a KMS key of its own. (Parameter Store's and Secrets Manager's guides, on KMS keys.)"""
    return {Need("kms:Decrypt", "SecretKeyArns")} if secret.endswith(WITH_A_KEY) else set()


def _partition(part: Mapping[str, Any]) -> str:
    """The partition key of the item of a request or of one of its parts, in either table."""
    item = part.get("Key") or part["Item"]
    key: str = item["pk" if "pk" in item else "job"]["S"]
    return key


def _queried(request: Mapping[str, Any]) -> str:
    """The partition key that a query of a table names."""
    found = re.match(r"(?:pk|job) = (:\w+)", request["KeyConditionExpression"])
    assert found, request["KeyConditionExpression"]
    key: str = request["ExpressionAttributeValues"][found[1]]["S"]
    return key


def _of_statement(statement: str, parameters: list[Any], named: Mapping[str, str]) -> Need:
    """The permission for a PartiQL statement: by its verb, table and item."""
    found = re.match(r'(?:(UPDATE)|(INSERT) INTO|(DELETE) FROM|(SELECT) .*? FROM) "([^"]+)"', statement)
    key = re.search(r"""['"]?\b(?:pk|job)['"]?(?:=| = |: )\?""", statement)
    assert found, statement
    assert key, statement
    *verbs, table = found.groups()
    value: str = parameters[statement.count("?", 0, key.start())]["S"]
    return Need(_PARTIQL[next(verb for verb in verbs if verb)], named[table], value)


def refused(wanted: Iterable[Need], granted: Iterable[Grant]) -> list[Need]:
    """The needs that no grant allows."""
    allowed = list(granted)
    return [need for need in wanted if not any(grant.allows(need) for grant in allowed)]
