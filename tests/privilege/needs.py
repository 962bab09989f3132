"""The permissions that AWS requires for a call, as its documentation says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tests.privilege.policy import SECRETS, WITH_A_KEY, Need

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
        case "dynamodb", "UpdateItem", {"TableName": table}:
            returns = request.get("ReturnValues", "NONE")
            return {Need("dynamodb:UpdateItem", named[table], _partition(request), _named_by(request), returns)}
        case "dynamodb", _, {"TableName": table}:
            return {Need(f"dynamodb:{operation}", named[table], _partition(request))}
        case "sqs", _, _:
            return _of_queue(operation, request, named)
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
        case "sts", "AssumeRole", {"RoleArn": role} if role in named:
            return set()  # granted by a policy of its own (GiveCredentials), which test_roles.py checks
        case "sts", "AssumeRole", _:
            return {
                Need("sts:AssumeRole", "AwsTargetRoles")
            }  # every role of an exercise is one that this parameter names
    return None


def _of_queue(operation: str, request: Mapping[str, Any], named: Mapping[str, str]) -> set[Need]:
    """The permissions for a call of SQS."""
    if operation == "CreateQueue":
        return {Need(f"sqs:{action}", _of_agents(request["QueueName"])) for action in ("CreateQueue", "TagQueue")}
    queue = request["QueueUrl"]
    return {Need(_BATCHES.get(operation, f"sqs:{operation}"), named.get(queue) or _of_agents(queue))}


def _of_agents(queue: str) -> str:
    """The queues of pools, or those of nodes, of which one has this name or URL. (SQS authorizes a queue that does not exist yet by the ARN
    that it will have; tags need `TagQueue`. Service authorization reference of SQS, and its API reference, CreateQueue.)"""
    found = re.search(r"-agents-(pool|node)-[0-9a-f]{24}$", queue)
    assert found, queue
    return {"pool": "PoolQueuesArn", "node": "InboxesArn"}[found[1]]


def _to_decrypt(secret: str) -> set[Need]:
    """The permission for a secret with a KMS key of its own. (Parameter Store's and Secrets Manager's guides, on KMS keys.)"""
    return {Need("kms:Decrypt", "SecretKeyArns")} if secret.endswith(WITH_A_KEY) else set()


def _partition(part: Mapping[str, Any]) -> str:
    """The partition key of the item of a request or of one of its parts, in either table."""
    item = part.get("Key") or part["Item"]
    key: str = item["pk" if "pk" in item else "job"]["S"]
    return key


def _named_by(request: Mapping[str, Any]) -> frozenset[str]:
    """The attributes that an update names: in its key, and in its expressions."""
    names: Mapping[str, str] = request.get("ExpressionAttributeNames", {})
    expressions = f"{request['UpdateExpression']} {request.get('ConditionExpression', '')}"
    words = re.findall(r"(?<![:\w#.])#?[a-z_]\w*(?![\w(])", expressions)
    return frozenset(names.get(word, word) for word in words) | frozenset(request["Key"])


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
