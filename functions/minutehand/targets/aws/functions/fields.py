"""The fields of a target of type `lambda`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Annotated, ClassVar

from minutehand.domain.declaration.field import Field, Refused
from minutehand.domain.errors import FieldProblem
from minutehand.targets.aws.arns import arn_check, check_role
from minutehand.targets.aws.content import Send

_QUALIFIER = re.compile(r"\$LATEST|[A-Za-z0-9_-]{1,128}", re.ASCII)
check_function = arn_check(
    "lambda",
    r"function:[A-Za-z0-9_-]{1,140}",
    "arn:aws:lambda:eu-west-1:111122223333:function:report, without a version",
)


def check_qualifier(text: str) -> None:
    """Refuse any text but a version or an alias of a function."""
    if not _QUALIFIER.fullmatch(text):
        raise Refused(f"{text!r:.60} is neither a version nor an alias", "write one such as 7, live or $LATEST")


class Mode(Enum):
    """How the function is invoked, and what ends the attempt."""

    REQUEST_RESPONSE = "request_response"
    """The function's answer ends the attempt."""
    EVENT = "event"
    """Lambda's answer that it has queued the event ends the attempt. Nobody waits for the function."""
    CALLBACK = "callback"
    """Lambda queues the event, and the function reports later."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LambdaTarget:
    """An invocation of a Lambda function."""

    type: ClassVar[str] = "lambda"
    taken_over_when_silent: ClassVar[bool] = False

    function: Annotated[
        str, Field("The ARN of the function, without a version or an alias.", most=300, check=check_function)
    ]
    qualifier: Annotated[str | None, Field("The version or the alias to invoke.", most=128, check=check_qualifier)] = (
        None
    )
    mode: Annotated[
        Mode,
        Field(
            "What ends the attempt: the function's answer (request_response); Lambda's answer that it has queued the event (event); "
            "the function's later report (callback)."
        ),
    ] = Mode.REQUEST_RESPONSE
    send: Annotated[
        Send,
        Field(
            "What the function receives: the run's payload, or a document about the run with its payload (run). With mode callback always "
            "the document."
        ),
    ] = Send.PAYLOAD
    log_tail: Annotated[
        bool,
        Field(
            "Whether the last 4 KB of the function's log are also kept if it succeeds. Only with mode request_response."
        ),
    ] = False
    role_arn: Annotated[
        str | None, Field("A role to invoke it with, in this or another account.", most=600, check=check_role)
    ] = None
    heartbeat: Annotated[
        timedelta | None,
        Field(
            "Longest time between heartbeats of a function that reports later; less than timeout. Only with mode callback.",
            least="1s",
            most="7d",
        ),
    ] = None

    @property
    def may_answer_later(self) -> bool:
        """Whether the function reports after it was invoked."""
        return self.mode is Mode.CALLBACK

    @property
    def needs_callback(self) -> bool:
        """Whether it reports through the API."""
        return self.may_answer_later

    @property
    def reaches(self) -> tuple[str, str]:
        """The field with the ARN that the call reaches, and this ARN as IAM judges it: with its qualifier."""
        return "function", f"{self.function}:{self.qualifier}" if self.qualifier else self.function

    def problems(self) -> Iterator[FieldProblem]:
        """What is wrong with fields that are each valid."""
        if self.log_tail and self.mode is not Mode.REQUEST_RESPONSE:
            yield FieldProblem(
                "target.log_tail",
                f"Lambda returns no log with mode {self.mode.value}",
                "leave it out, or make target.mode request_response",
            )


TARGET = LambdaTarget
