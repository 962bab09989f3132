"""The fields of a target of type `sns`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, ClassVar

from minutehand.domain.declaration.field import Field, Refused
from minutehand.domain.errors import FieldProblem
from minutehand.targets.aws.arns import arn_check, check_role
from minutehand.targets.aws.content import Send
from minutehand.targets.aws.messages import Attributes, Text, check_group

check_topic = arn_check(
    "sns", r"[A-Za-z0-9_-]{1,256}|[A-Za-z0-9_-]{1,251}\.fifo", "arn:aws:sns:eu-west-1:111122223333:reports"
)
_SUBJECT = re.compile(r"[!-~][ -~]{0,99}", re.ASCII)


def check_subject(text: str) -> None:
    """Refuse what SNS takes for no subject of a message."""
    if not _SUBJECT.fullmatch(text):
        raise Refused("this is not a subject", "write 1 to 100 ASCII characters in one line, the first no blank")


@dataclass(frozen=True, kw_only=True, slots=True)
class SnsTarget:
    """A message to an SNS topic."""

    type: ClassVar[str] = "sns"
    taken_over_when_silent: ClassVar[bool] = False
    may_answer_later: ClassVar[bool] = False
    heartbeat: ClassVar[timedelta | None] = None

    topic: Annotated[str, Field("The ARN of the topic.", most=400, check=check_topic)]
    send: Text = Send.PAYLOAD
    subject: Annotated[str | None, Field("The subject, for e-mails, in ASCII.", most=100, check=check_subject)] = None
    group: Annotated[
        str | None,
        Field(
            "The message group. By default the job's name for a FIFO topic, and none for another, which passes it on to queues (fair queues).",
            most=128,
            check=check_group,
        ),
    ] = None
    attributes: Attributes = ()
    role_arn: Annotated[
        str | None, Field("A role to publish it with, in this or another account.", most=600, check=check_role)
    ] = None

    @property
    def reaches(self) -> tuple[str, str]:
        """The field with the ARN that the call reaches, and this ARN."""
        return "topic", self.topic

    def problems(self) -> Iterator[FieldProblem]:
        """Nothing is wrong with fields that are each valid."""
        return iter(())


TARGET = SnsTarget
