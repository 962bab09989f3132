"""Targets of type `command`: a run is one command on a machine of one's own, which an agent there runs.

Their worker is `agents`, which a stack has if `Agents` is true. It calls nothing: it makes the order that an agent gets, and the agent
reports later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from minutehand.targets.target_type import TargetType

if TYPE_CHECKING:
    from minutehand.domain.errors import FieldProblem
    from minutehand.targets.command.fields import CommandTarget
    from minutehand.targets.terms import TargetTerms
    from minutehand.usecases.ports.target import TargetCaller


def _load_fields() -> type[CommandTarget]:
    from minutehand.targets.command.fields import CommandTarget  # noqa: PLC0415 - only a function that meets such a target needs it

    return CommandTarget


def _check(target: CommandTarget, _terms: TargetTerms) -> Iterator[FieldProblem]:
    from minutehand.targets.command.checks import check  # noqa: PLC0415 - only saving a job needs it

    return check(target)


def _templates(target: CommandTarget) -> Iterator[tuple[str, Any]]:
    yield "target.environment", dict(target.environment)


def _load_caller() -> Callable[[TargetTerms], TargetCaller[CommandTarget]]:
    from minutehand.targets.command.caller import CommandCaller  # noqa: PLC0415 - only the worker needs it

    return lambda terms: CommandCaller(terms.take_order)


COMMAND = TargetType(
    name="command",
    worker="agents",
    load_fields=_load_fields,
    example={"pool": "web", "command": "backup --all"},
    check=_check,
    load_caller=_load_caller,
    to_answer_later="use a target of type command, which may run as long as timeout allows",
    parameter="Agents",
    templates=_templates,
)
