"""What messages to queues and topics share: their fields for text and attributes, and the group and the identity of those to FIFO ones."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Any

from minutehand.domain.declaration.field import Field, Pairs, Refused
from minutehand.targets.aws.content import Send, content_of, facts_of, key_of, written
from minutehand.usecases.ports.target import Call

MOST_ATTRIBUTES = 6
"""Most attributes that a job may set: SQS allows ten, and the worker sets four."""
_LONGEST_ID = 128
_ATTRIBUTE = re.compile(
    r"(?!(?i:aws\.|amazon\.|minutehand-))[A-Za-z0-9_-]([A-Za-z0-9_.-]{0,254}[A-Za-z0-9_-])?", re.ASCII
)
ATTRIBUTE_PATTERN = "^[A-Za-z0-9_.-]{1,256}$"
_GROUP = re.compile(r"[!-~]{1,128}")
_NOT_IN_VALUE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST_VALUE = 1024


def check_attribute(name: str) -> None:
    """Refuse what cannot be the name of an attribute that a job sets."""
    if not _ATTRIBUTE.fullmatch(name) or ".." in name:
        raise Refused(
            f"{name!r:.60} is not a name that a job may set",
            "write letters, digits, -, _ and single dots; not AWS., Amazon. or Minutehand- at the beginning",
        )


def check_attribute_value(value: str) -> None:
    """Refuse what cannot be the value of an attribute."""
    if not 1 <= len(value) <= _LONGEST_VALUE:
        raise Refused(f"this has {len(value):,} characters", f"write 1 to {_LONGEST_VALUE:,}")
    if found := _NOT_IN_VALUE.search(value):
        raise Refused(f"{found[0]!a} is not allowed here", "leave this character out", found.start())


def check_group(text: str) -> None:
    """Refuse what cannot be the group of a message."""
    if not _GROUP.fullmatch(text):
        raise Refused(f"{text!r:.60} is not a message group", "write 1 to 128 visible ASCII characters, without blanks")


Text = Annotated[
    Send,
    Field(
        "The text of the message: the run's payload, as it is if it is text and otherwise as JSON; or a document about the run with its "
        "payload (run)."
    ),
]
"""The field with the text of a message."""
Attributes = Annotated[
    Pairs,
    Field(
        "Attributes of the message, beside Minutehand-Job, -Run-Id, -Attempt and -Scheduled-For.",
        most=MOST_ATTRIBUTES,
        check=check_attribute,
        check_value=check_attribute_value,
        pattern=ATTRIBUTE_PATTERN,
    ),
]
"""The field with the attributes of a message."""


def is_fifo(arn: str) -> bool:
    """Whether an ARN is that of a FIFO queue or topic."""
    return arn.endswith(".fifo")


def text_of(call: Call, send: Send) -> str:
    """The text of a message: the payload itself if it is text, otherwise JSON."""
    content = content_of(call, send)
    return content if isinstance(content, str) and content else written(content)


def attributes_of(call: Call, own: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """The attributes of a message: those of the job, and the facts about the run."""
    return {name: {"DataType": "String", "StringValue": value} for name, value in (*own, *facts_of(call).items())}


def in_order(call: Call, arn: str, group: str | None) -> dict[str, str]:
    """The group of a message, and for a FIFO queue or topic its identity, by which AWS drops a repeated one for five minutes.

    All attempts of a run have the same identity: only an attempt whose answer was lost has sent a message, and the next attempt must not
    send a second one. Unless the job names a group, that of a FIFO message is the job.
    """
    if not is_fifo(arn):
        return {"MessageGroupId": group} if group else {}
    return {
        "MessageGroupId": group or _short(str(call.run.key.job)),
        "MessageDeduplicationId": _short(key_of(call)),
    }


def _short(text: str) -> str:
    """The text, or its digest if it is longer than AWS allows."""
    return text if len(text) <= _LONGEST_ID else hashlib.sha256(text.encode()).hexdigest()
