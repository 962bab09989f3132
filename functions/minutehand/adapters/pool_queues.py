"""The queues of pools and nodes in SQS, made when an agent registers, and the credentials with which an agent reads its own two."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.adapters.sqs import message_body
from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import SECOND
from minutehand.domain.node import NodeKey
from minutehand.usecases.ports.nodes import QueueCredentials, Served

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from minutehand.usecases.ports.messages import Message

VISIBILITY = timedelta(minutes=2)
"""How long a message is hidden that an agent received: enough to ask for a start, which takes 29 seconds at most, and to delete it."""
RETENTION = timedelta(days=14)
"""How long a message is kept; the most that SQS allows."""
MOST_RECEIVES = 1000
"""Receives after which a message becomes a dead letter. An agent hides a message often if its run has to wait."""
VALID_FOR = timedelta(minutes=15)
"""How long credentials are valid; the least that STS allows."""
ACTIONS = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility")
"""What an agent may do with its two queues."""
OF_EMULATORS = ("sqs:DeleteMessageBatch", "sqs:ChangeMessageVisibilityBatch")
"""The same for several messages at once. AWS has no such actions; MiniStack judges batches by their own names."""
_GONE = "NonExistentQueue"
_OTHERWISE = ("QueueAlreadyExists", "QueueNameExists")
"""Codes of a queue of the same name that has other attributes: those of an earlier version, or of an earlier KMS key."""


class Naming(NamedTuple):
    """How the queues of a stack's agents are named.

    Attributes:
        prefix: what their names begin with.
        sibling_url: URL of another queue of the stack, in the same account and region.
        dead_letters_arn: ARN of the queue for messages that were received too often.
        key: ARN of the KMS key that encrypts them; empty for SQS's own.
    """

    prefix: str
    sibling_url: str
    dead_letters_arn: str
    key: str = ""

    def name(self, served: Served) -> str:
        """The name of a queue: at most 80 characters, as SQS demands, whatever pool and node are called."""
        kind = "node" if isinstance(served, NodeKey) else "pool"
        return f"{self.prefix}-{kind}-{hashlib.sha256(str(served).encode()).hexdigest()[:24]}"

    def url(self, served: Served) -> str:
        """The URL of a queue."""
        return f"{self.sibling_url.rpartition('/')[0]}/{self.name(served)}"

    def arn(self, served: Served) -> str:
        """The ARN of a queue."""
        return f"{self.dead_letters_arn.rpartition(':')[0]}:{self.name(served)}"


class SqsPoolQueues:
    """SQS implementation of the port `PoolQueues`."""

    def __init__(self, client: SQSClient, naming: Naming) -> None:
        self._client = client
        self._naming = naming

    def ensure(self, served: Served) -> str:
        """Make the queue if it is missing. An existing one gets the attributes of this version, such as another KMS key.

        Raises:
            Unavailable: also within a minute after the queue was deleted, when SQS makes none of its name.
        """
        pool = served.pool if isinstance(served, NodeKey) else served
        tags = {"minutehand:namespace": pool.namespace, "minutehand:pool": pool.name}
        if isinstance(served, NodeKey):
            tags["minutehand:node"] = served.name
        attributes = self._attributes(served)
        try:
            self._client.create_queue(QueueName=self._naming.name(served), Attributes=attributes, tags=tags)
        except ClientError as error:
            if error.response["Error"]["Code"].rpartition(".")[2] not in _OTHERWISE:
                raise self._unavailable("CreateQueue", served, error) from error
            self._call(
                "SetQueueAttributes",
                served,
                lambda url: self._client.set_queue_attributes(QueueUrl=url, Attributes=_changing(attributes)),
            )
        except BotoCoreError as error:
            raise self._unavailable("CreateQueue", served, error) from error
        return self._naming.url(served)

    def _attributes(self, served: Served) -> Any:
        over_http = {
            "Sid": "OnlyOverTls",
            "Effect": "Deny",
            "Principal": "*",
            "Action": "sqs:*",
            "Resource": self._naming.arn(served),
            # As the other queues of the stack: an emulator serves plain HTTP on the loopback interface.
            "Condition": {
                "Bool": {"aws:SecureTransport": "false"},
                "NotIpAddress": {"aws:SourceIp": "127.0.0.0/8"},
            },
        }
        redrive = {"deadLetterTargetArn": self._naming.dead_letters_arn, "maxReceiveCount": MOST_RECEIVES}
        encrypted = {"KmsMasterKeyId": self._naming.key} if self._naming.key else {"SqsManagedSseEnabled": "true"}
        return {
            "VisibilityTimeout": str(VISIBILITY // SECOND),
            "MessageRetentionPeriod": str(RETENTION // SECOND),
            "Policy": json.dumps({"Version": "2012-10-17", "Statement": [over_http]}),
            "RedrivePolicy": json.dumps(redrive),
            **encrypted,
        }

    def send(self, served: Served, message: Message) -> None:
        body = message_body(message)
        self._call("SendMessage", served, lambda url: self._client.send_message(QueueUrl=url, MessageBody=body))

    def is_empty(self, served: Served) -> bool:
        counts = [f"ApproximateNumberOfMessages{kind}" for kind in ("", "Delayed", "NotVisible")]
        try:
            found: Any = self._call(
                "GetQueueAttributes",
                served,
                lambda url: self._client.get_queue_attributes(QueueUrl=url, AttributeNames=counts),  # type: ignore[arg-type]  # three names of attributes
            )
        except _NoQueue:
            return True
        return not any(int(found["Attributes"][count]) for count in counts)

    def delete(self, served: Served) -> None:
        try:
            self._call("DeleteQueue", served, lambda url: self._client.delete_queue(QueueUrl=url))
        except _NoQueue:
            return

    def _call(self, operation: str, served: Served, call: Callable[[str], object]) -> Any:
        try:
            return call(self._naming.url(served))
        except (BotoCoreError, ClientError) as error:
            if isinstance(error, ClientError) and error.response["Error"]["Code"].endswith(_GONE):
                raise _NoQueue(f"there is no queue of {served}; it is made when an agent registers") from error
            raise self._unavailable(operation, served, error) from error

    def _unavailable(self, operation: str, served: Served, error: Exception) -> Unavailable:
        return Unavailable(f"{operation} on the queue of {served} failed: {error}")


def _changing(attributes: Any) -> Any:
    """The attributes for a queue that exists. One without a KMS key gives up the key that it may have: SQS allows one kind of encryption."""
    return {"KmsMasterKeyId": "", **attributes}


class _NoQueue(Unavailable):
    """The queue does not exist."""


class StsCredentialIssuer:
    """Implementation of the port `CredentialIssuer` with STS: a role for all queues of agents, narrowed by a session policy.

    Args:
        client: makes the client when it is first needed.
        role: ARN of the role.
        actions: what agents may do with their queues.
    """

    def __init__(
        self, client: Callable[[], Any], naming: Naming, role: str, *, actions: tuple[str, ...] = ACTIONS
    ) -> None:
        self._client = client
        self._naming = naming
        self._role = role
        self._actions = actions

    def issue(self, node: NodeKey) -> QueueCredentials:
        try:
            found = self._client().assume_role(
                RoleArn=self._role,
                RoleSessionName=_session_name(node),
                Policy=self._policy(node),
                DurationSeconds=VALID_FOR // SECOND,
            )["Credentials"]
        except (BotoCoreError, ClientError) as error:
            raise Unavailable(f"AssumeRole for node {node} failed: {error}") from error
        return QueueCredentials(
            access_key_id=found["AccessKeyId"],
            secret_access_key=found["SecretAccessKey"],
            session_token=found["SessionToken"],
            expires_at=found["Expiration"],
        )

    def _policy(self, node: NodeKey) -> str:
        queues = [self._naming.arn(node.pool), self._naming.arn(node)]
        statements = [{"Effect": "Allow", "Action": self._actions, "Resource": queues}]
        if self._naming.key:
            statements.append({"Effect": "Allow", "Action": ("kms:Decrypt",), "Resource": [self._naming.key]})
        return json.dumps({"Version": "2012-10-17", "Statement": statements}, separators=(",", ":"))


def _session_name(node: NodeKey) -> str:
    """The name of the node for CloudTrail: at most 64 characters, of those that STS allows."""
    return re.sub(r"[^\w+=,.@-]", "-", str(node), flags=re.ASCII)[-64:]
