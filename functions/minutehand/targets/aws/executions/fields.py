"""The fields of a target of type `stepfunctions`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Annotated, ClassVar

from minutehand.domain.declaration.field import Field
from minutehand.domain.errors import FieldProblem
from minutehand.targets.aws.arns import arn_check, check_role
from minutehand.targets.aws.content import Send

check_state_machine = arn_check(
    "states",
    r"stateMachine:[A-Za-z0-9_-]{1,80}(:[A-Za-z0-9_.-]{1,80})?",
    "arn:aws:states:eu-west-1:111122223333:stateMachine:report",
)


def unqualified(machine: str) -> str:
    """The ARN of a state machine, from that of a version or of an alias."""
    return ":".join(machine.split(":")[:7])


class Mode(Enum):
    """What ends the attempt."""

    START = "start"
    """The answer that the execution has started."""
    WAIT = "wait"
    """The end of the execution. An event tells it; no worker waits."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StepFunctionsTarget:
    """An execution of a state machine."""

    type: ClassVar[str] = "stepfunctions"
    taken_over_when_silent: ClassVar[bool] = False
    heartbeat: ClassVar[timedelta | None] = None
    needs_callback: ClassVar[bool] = False

    state_machine: Annotated[
        str,
        Field("The ARN of the state machine, of a version or of an alias.", most=400, check=check_state_machine),
    ]
    mode: Annotated[
        Mode,
        Field(
            "What ends the attempt: the start of the execution (start), or its end (wait), which an event tells: only of a standard workflow, "
            "in the account and region of the stack."
        ),
    ] = Mode.START
    send: Annotated[
        Send,
        Field(
            "The execution's input: the run's payload, or a document about the run with its payload (run). With mode wait always the document."
        ),
    ] = Send.PAYLOAD
    role_arn: Annotated[
        str | None, Field("A role to start it with, in this or another account.", most=600, check=check_role)
    ] = None

    @property
    def may_answer_later(self) -> bool:
        """Whether the attempt ends after the call."""
        return self.mode is Mode.WAIT

    @property
    def reaches(self) -> tuple[str, str]:
        """The field with the ARN that the call reaches, and this ARN as IAM judges it: without a version or an alias
        (Step Functions' guide, "Versions and aliases: authorization")."""
        return "state_machine", unqualified(self.state_machine)

    def problems(self) -> Iterator[FieldProblem]:
        """Nothing is wrong with fields that are each valid."""
        return iter(())


TARGET = StepFunctionsTarget
