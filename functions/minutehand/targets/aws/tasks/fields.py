"""The fields of a target of type `ecs`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Annotated, ClassVar

from minutehand.domain.declaration.field import Field, Pairs, Refused
from minutehand.domain.errors import FieldProblem
from minutehand.targets.aws.arns import Arn, arn_check, check_role

check_cluster = arn_check("ecs", r"cluster/[A-Za-z0-9_-]{1,255}", "arn:aws:ecs:eu-west-1:111122223333:cluster/jobs")
check_task_definition = arn_check(
    "ecs",
    r"task-definition/[A-Za-z0-9_-]{1,255}(:[0-9]{1,9})?",
    "arn:aws:ecs:eu-west-1:111122223333:task-definition/report:7",
)
_VARIABLE = re.compile(r"(?!MINUTEHAND_)[A-Za-z_][A-Za-z0-9_]{0,127}", re.ASCII)
_CONTAINER = re.compile(r"[A-Za-z0-9_-]{1,255}", re.ASCII)


def _id_check(kind: str) -> Callable[[str], None]:
    wanted = re.compile(rf"{kind}-[0-9a-f]{{8,17}}", re.ASCII)

    def check(text: str) -> None:
        if not wanted.fullmatch(text):
            raise Refused(f"{text!r:.60} is not the id of one", f"write one such as {kind}-0a1b2c3d")

    return check


def check_container(text: str) -> None:
    """Refuse what cannot be the name of a container."""
    if not _CONTAINER.fullmatch(text):
        raise Refused(f"{text!r:.60} is not the name of a container", "write letters, digits, - and _")


def check_variable(name: str) -> None:
    """Refuse what cannot be the name of a variable that a job sets."""
    if not _VARIABLE.fullmatch(name):
        raise Refused(
            f"{name!r:.60} is not a name that a job may set",
            "write letters, digits and _; MINUTEHAND_ at the beginning is for the run's own values",
        )


class Mode(Enum):
    """What ends the attempt."""

    START = "start"
    """The answer that ECS starts the task."""
    WAIT = "wait"
    """The stop of the task. An event tells it, with the exit code; no worker waits."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EcsTarget:
    """A task of ECS, on Fargate or on instances."""

    type: ClassVar[str] = "ecs"
    taken_over_when_silent: ClassVar[bool] = False
    heartbeat: ClassVar[timedelta | None] = None
    needs_callback: ClassVar[bool] = False

    cluster: Annotated[str, Field("The ARN of the cluster.", most=400, check=check_cluster)]
    task_definition: Annotated[
        str,
        Field("The ARN of the task definition; without a revision, the latest.", most=400, check=check_task_definition),
    ]
    container: Annotated[
        str,
        Field(
            "The container that gets the run's values and the payload as variables (MINUTEHAND_…), and whose exit code counts.",
            most=255,
            check=check_container,
        ),
    ]
    mode: Annotated[
        Mode,
        Field(
            "What ends the attempt: the start of the task (start), or its stop (wait), which an event tells, in the account and region of the "
            "stack."
        ),
    ] = Mode.START
    launch_type: Annotated[
        str | None,
        Field(
            "By default, the cluster's own capacity provider strategy.", most=16, choices=("FARGATE", "EC2", "EXTERNAL")
        ),
    ] = None
    subnets: Annotated[
        tuple[str, ...],
        Field(
            "Subnets of a task with a network interface of its own, such as any on Fargate.",
            most=16,
            check=_id_check("subnet"),
        ),
    ] = ()
    security_groups: Annotated[
        tuple[str, ...], Field("Its security groups; by default that of the VPC.", most=5, check=_id_check("sg"))
    ] = ()
    public_ip: Annotated[bool, Field("Whether it gets a public address. Only with subnets.")] = False
    command: Annotated[tuple[str, ...], Field("The container's command, in place of that of its image.", most=64)] = ()
    environment: Annotated[
        Pairs,
        Field(
            "Variables of the container, stored and shown as given.",
            most=32,
            check=check_variable,
            pattern="^[A-Za-z_][A-Za-z0-9_]{0,127}$",
        ),
    ] = ()
    role_arn: Annotated[
        str | None, Field("A role to start it with, in this or another account.", most=600, check=check_role)
    ] = None

    @property
    def may_answer_later(self) -> bool:
        """Whether the attempt ends after the call."""
        return self.mode is Mode.WAIT

    @property
    def reaches(self) -> tuple[str, str]:
        """The field with the ARN that the call reaches, and this ARN as IAM judges it: with a revision, of the latest any."""
        arn = self.task_definition
        return "task_definition", arn if ":" in Arn.parse(arn).resource else f"{arn}:*"

    def problems(self) -> Iterator[FieldProblem]:
        """What is wrong with fields that are each valid."""
        if not self.subnets:
            for field, given in (("security_groups", self.security_groups), ("public_ip", self.public_ip)):
                if given:
                    yield FieldProblem(
                        f"target.{field}", "a task without subnets has no network interface", "name target.subnets too"
                    )
            if self.launch_type == "FARGATE":
                yield FieldProblem("target.subnets", "a task on Fargate needs subnets", "name one at least")


TARGET = EcsTarget
