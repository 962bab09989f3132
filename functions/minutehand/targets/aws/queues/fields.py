"""The fields of a target of type `sqs`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, ClassVar

from minutehand.domain.declaration.field import Field
from minutehand.domain.errors import FieldProblem
from minutehand.targets.aws.arns import arn_check, check_role
from minutehand.targets.aws.content import Send
from minutehand.targets.aws.messages import (
    Attributes,
    Text,
    check_group,
    is_fifo,
)

check_queue = arn_check(
    "sqs", r"[A-Za-z0-9_-]{1,80}|[A-Za-z0-9_-]{1,75}\.fifo", "arn:aws:sqs:eu-west-1:111122223333:reports"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class SqsTarget:
    """A message to an SQS queue."""

    type: ClassVar[str] = "sqs"
    taken_over_when_silent: ClassVar[bool] = False
    may_answer_later: ClassVar[bool] = False
    heartbeat: ClassVar[timedelta | None] = None

    queue: Annotated[str, Field("The ARN of the queue.", most=300, check=check_queue)]
    send: Text = Send.PAYLOAD
    delay: Annotated[
        timedelta, Field("How long SQS hides the message. Not with a FIFO queue.", least="0s", most="15m")
    ] = timedelta(0)
    group: Annotated[
        str | None,
        Field(
            "The message group. By default the job's name for a FIFO queue, and none for another.",
            most=128,
            check=check_group,
        ),
    ] = None
    attributes: Attributes = ()
    role_arn: Annotated[
        str | None, Field("A role to send it with, in this or another account.", most=600, check=check_role)
    ] = None

    @property
    def reaches(self) -> tuple[str, str]:
        """The field with the ARN that the call reaches, and this ARN."""
        return "queue", self.queue

    def problems(self) -> Iterator[FieldProblem]:
        """What is wrong with fields that are each valid."""
        if self.delay and is_fifo(self.queue):
            yield FieldProblem(
                "target.delay",
                "SQS delays no single message of a FIFO queue",
                "leave it out, or set the delay of the queue itself",
            )


TARGET = SqsTarget
