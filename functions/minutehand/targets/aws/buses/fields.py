"""The fields of a target of type `eventbridge`."""

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

check_bus = arn_check(
    "events", r"event-bus/[/.A-Za-z0-9_-]{1,256}", "arn:aws:events:eu-west-1:111122223333:event-bus/default"
)
_SOURCE = re.compile(r"(?!aws\.)[A-Za-z0-9_.-]{1,256}", re.ASCII)
_DETAIL_TYPE = re.compile(r"[ -~]{1,128}", re.ASCII)


def check_source(text: str) -> None:
    """Refuse what cannot be the source of a program's event."""
    if not _SOURCE.fullmatch(text):
        raise Refused(
            f"{text!r:.60} is not a source",
            "write letters, digits, dots, - and _, such as com.example.reports; aws. at the beginning is for AWS",
        )


def check_detail_type(text: str) -> None:
    """Refuse what cannot be the type of an event."""
    if not _DETAIL_TYPE.fullmatch(text):
        raise Refused(f"{text!r:.60} is not a detail type", "write 1 to 128 ASCII characters in one line")


@dataclass(frozen=True, kw_only=True, slots=True)
class EventBridgeTarget:
    """An event on an EventBridge bus."""

    type: ClassVar[str] = "eventbridge"
    taken_over_when_silent: ClassVar[bool] = False
    may_answer_later: ClassVar[bool] = False
    heartbeat: ClassVar[timedelta | None] = None

    bus: Annotated[str, Field("The ARN of the event bus.", most=400, check=check_bus)]
    source: Annotated[str, Field("The event's source, not one of AWS.", most=256, check=check_source)]
    detail_type: Annotated[str, Field("The event's type.", most=128, check=check_detail_type)]
    send: Annotated[
        Send,
        Field(
            "The event's detail: the run's payload, which must be an object; or a document about the run with its payload (run)."
        ),
    ] = Send.PAYLOAD
    role_arn: Annotated[
        str | None, Field("A role to put it with, in this or another account.", most=600, check=check_role)
    ] = None

    @property
    def reaches(self) -> tuple[str, str]:
        """The field with the ARN that the call reaches, and this ARN."""
        return "bus", self.bus

    def problems(self) -> Iterator[FieldProblem]:
        """Nothing is wrong with fields that are each valid."""
        return iter(())


TARGET = EventBridgeTarget
