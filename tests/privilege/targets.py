"""What the jobs of the exercises reach in AWS: a target of each type, and roles, which the parameters of the stack or a tag allow."""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from minutehand.domain.job import Target
from minutehand.targets import TYPES
from minutehand.targets.http.endpoint_fields import CloudMap

NAMED, TAGGED = "named", "tagged"
"""How a target is allowed: its name begins with this."""
PARAMETERS = {
    "AwsTargets": "true",
    "AwsTargetArns": ",".join(
        f"arn:aws:{each}{NAMED}-*"
        for each in (
            "ecs:*:*:task-definition/",
            "ecs:*:*:cluster/",  # by which the emulator judges RunTask, and not by the task definition
            "events:*:*:event-bus/",
            "lambda:*:*:function:",
            "sns:*:*:",
            "sqs:*:*:",
            "states:*:*:stateMachine:",
        )
    ),
    "AwsTaskRoles": "arn:aws:iam::*:role/role-of-tasks",
    "AwsTargetRoles": f"arn:aws:iam::*:role/{NAMED}-*",
    "AwsTaggedTargets": "true",
    "CloudMapNamespaces": f"{NAMED}-*",
    "SecretPrefixes": "*=ssm:/secrets/{namespace}/,*=secretsmanager:secrets/{namespace}/",
    "SecretArns": "arn:aws:ssm:*:*:parameter/secrets/*,arn:aws:secretsmanager:*:*:secret:secrets/*",
    "ResourceNamespaces": "*",
    "SecretKeyArns": "arn:aws:kms:us-east-1:000000000000:key/1a2b3c4d",
}
TAG = {"minutehand": "allowed"}
_CODE = """
def handler(event, context):
    if event == "fail":
        raise ValueError("as asked")
    return event
"""
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}],
}
ALLOWED = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": "*"}],
}


class Targets(NamedTuple):
    """What jobs may reach, by how it is allowed.

    Attributes:
        targets: for each way, the target of each type.
        named: for each ARN and queue's URL, the resource of the statement that allows it.
    """

    targets: dict[str, dict[str, Target]]
    named: dict[str, str]
    iam: Any

    def of(self, type_: str, how: str = NAMED, **fields: Any) -> Target:
        """A target of a type, with other values of some fields."""
        found: Any = self.targets[how][type_]
        return replace(found, **fields) if fields else found

    def new_role(self) -> str:
        """A role that a parameter names, and that may send messages. A worker keeps the session of a role that it has assumed."""
        return _role(self.iam, f"{NAMED}-{uuid.uuid4().hex}")


def make_targets(client: Callable[[str], Any]) -> Targets:
    """Make a target of each type that a parameter names, and another of each with the tag.

    Args:
        client: makes a client of a service.
    """
    iam, sqs = client("iam"), client("sqs")
    named: dict[str, str] = {}
    _role(iam, "role-of-tasks")
    targets = {how: _made(client, iam, how, tags) for how, tags in ((NAMED, {}), (TAGGED, TAG))}
    for how, resource in ((NAMED, "AwsTargetArns"), (TAGGED, "*")):
        named |= {target.reaches[1]: resource for target in targets[how].values()}
        named[sqs.get_queue_url(QueueName=f"{how}-queue")["QueueUrl"]] = resource
    return Targets(targets, named, iam)


def register_in_cloud_map(client: Callable[[str], Any], url: str) -> CloudMap:
    """Register the server of a URL as an instance of a service in Cloud Map, in a namespace that a parameter names."""
    cloud_map, parts = client("servicediscovery"), urlsplit(url)
    namespace = f"{NAMED}-{uuid.uuid4().hex}"
    cloud_map.create_http_namespace(Name=namespace)
    [found] = [each["Id"] for each in cloud_map.list_namespaces()["Namespaces"] if each["Name"] == namespace]
    service = cloud_map.create_service(Name="echo", NamespaceId=found)["Service"]["Id"]
    attributes = {"AWS_INSTANCE_IPV4": str(parts.hostname), "AWS_INSTANCE_PORT": str(parts.port)}
    cloud_map.register_instance(ServiceId=service, InstanceId="one", Attributes=attributes)
    return CloudMap(namespace, "echo")


def _made(client: Callable[[str], Any], iam: Any, how: str, tags: dict[str, str]) -> dict[str, Any]:
    role, listed = _role(iam, f"role-of-{how}"), [{"Key": key, "Value": value} for key, value in tags.items()]
    function = client("lambda").create_function(
        FunctionName=f"{how}-function",
        Runtime="python3.13",
        Role=role,
        Handler="index.handler",
        Code={"ZipFile": _zipped(_CODE)},
        Tags=tags,
    )["FunctionArn"]
    sqs, ecs = client("sqs"), client("ecs")
    url = sqs.create_queue(QueueName=f"{how}-queue", tags=tags)["QueueUrl"]
    queue = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    topic = client("sns").create_topic(Name=f"{how}-topic", Tags=listed)["TopicArn"]
    bus = client("events").create_event_bus(Name=f"{how}-bus", Tags=listed)["EventBusArn"]
    machine = client("stepfunctions").create_state_machine(
        name=f"{how}-machine",
        definition=json.dumps({"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}}),
        roleArn=role,
        tags=[{"key": key, "value": value} for key, value in tags.items()],
    )["stateMachineArn"]
    cluster = ecs.create_cluster(clusterName=f"{how}-cluster")["cluster"]["clusterArn"]
    definition = ecs.register_task_definition(
        family=f"{how}-task",
        taskRoleArn="arn:aws:iam::000000000000:role/role-of-tasks",
        containerDefinitions=[{"name": "main", "image": "busybox", "memory": 64, "essential": True}],
        tags=[{"key": key, "value": value} for key, value in tags.items()],
    )["taskDefinition"]["taskDefinitionArn"]
    fields: dict[str, dict[str, Any]] = {
        "lambda": {"function": function},
        "sqs": {"queue": queue},
        "sns": {"topic": topic},
        "eventbridge": {"bus": bus, "source": "test", "detail_type": "exercise"},
        "stepfunctions": {"state_machine": machine},
        "ecs": {"cluster": cluster, "task_definition": definition, "container": "main"},
    }
    return {name: TYPES[name].fields(**given) for name, given in fields.items()}


def _role(iam: Any, name: str) -> str:
    role: str = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(TRUST))["Role"]["Arn"]
    iam.put_role_policy(RoleName=name, PolicyName="send", PolicyDocument=json.dumps(ALLOWED))
    return role


def _zipped(code: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("index.py", code)
    return data.getvalue()
