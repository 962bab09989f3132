"""What the jobs of the exercises reach in AWS: functions, queues and a role, which the parameters of the stack or a tag allow."""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from typing import Any, NamedTuple

NAMED, TAGGED = "named", "tagged"
"""How a target is allowed: its name begins with this."""
PARAMETERS = {
    "AwsTargets": "true",
    "AwsTargetArns": f"arn:aws:lambda:*:*:function:{NAMED}-*,arn:aws:sqs:*:*:{NAMED}-*",
    "AwsTargetRoles": f"arn:aws:iam::*:role/{NAMED}-*",
    "AwsTaggedTargets": "true",
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
    """The ARNs of what jobs may reach, by how it is allowed."""

    functions: dict[str, str]
    queues: dict[str, str]
    urls: dict[str, str]
    iam: Any

    @property
    def names(self) -> dict[str, str]:
        """For each function and queue, the resource of the statement that allows it."""
        resource = {NAMED: "AwsTargetArns", TAGGED: "*"}
        return {arn: resource[how] for each in (self.functions, self.urls) for how, arn in each.items()}

    def new_role(self) -> str:
        """A role that a parameter names, and that may send messages. A worker keeps the session of a role that it has assumed."""
        return _role(self.iam, f"{NAMED}-{uuid.uuid4().hex}")


def make_targets(functions: Any, sqs: Any, iam: Any) -> Targets:
    """Make a function and a queue that a parameter names, another of each with the tag."""
    role = _role(iam, "role-of-functions")
    made_functions, queues, urls = {}, {}, {}
    for how, tags in ((NAMED, {}), (TAGGED, TAG)):
        made_functions[how] = functions.create_function(
            FunctionName=f"{how}-function",
            Runtime="python3.13",
            Role=role,
            Handler="index.handler",
            Code={"ZipFile": _zipped(_CODE)},
            Tags=tags,
        )["FunctionArn"]
        urls[how] = sqs.create_queue(QueueName=f"{how}-queue", tags=tags)["QueueUrl"]
        attributes = sqs.get_queue_attributes(QueueUrl=urls[how], AttributeNames=["QueueArn"])["Attributes"]
        queues[how] = attributes["QueueArn"]
    return Targets(made_functions, queues, urls, iam)


def _role(iam: Any, name: str) -> str:
    role: str = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(TRUST))["Role"]["Arn"]
    iam.put_role_policy(RoleName=name, PolicyName="send", PolicyDocument=json.dumps(ALLOWED))
    return role


def _zipped(code: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("index.py", code)
    return data.getvalue()
