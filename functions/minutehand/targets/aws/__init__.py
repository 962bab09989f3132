"""Targets in AWS: a run calls one service of AWS. Their worker is `aws`, which a stack has if `AwsTargets` is true.

Each type has a folder with its fields and its caller, which are loaded only where they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from minutehand.targets.target_type import TargetType

if TYPE_CHECKING:
    from minutehand.domain.errors import FieldProblem
    from minutehand.targets.terms import TargetTerms
    from minutehand.usecases.ports.target import TargetCaller


def _check(target: Any, terms: TargetTerms) -> Iterator[FieldProblem]:
    from minutehand.targets.aws.checks import check_end_is_seen, check_no_secrets, check_reach  # noqa: PLC0415 - only saving a job needs it

    yield from check_reach(target, terms.aws)
    yield from check_end_is_seen(target, terms.aws)
    yield from check_no_secrets(target)
    yield from target.problems()


def _type(name: str, folder: str, example: Mapping[str, str], to_answer_later: str) -> TargetType[Any]:
    """A type of target in AWS. Its folder's modules `fields` and `caller` have the attributes `TARGET` and `CALLER`."""

    def load_fields() -> type[Any]:
        fields: type[Any] = import_module(f"minutehand.targets.aws.{folder}.fields").TARGET
        return fields

    def load_caller() -> Callable[[TargetTerms], TargetCaller[Any]]:
        from minutehand.targets.aws.caller import AwsCaller  # noqa: PLC0415 - only a worker needs it

        make = import_module(f"minutehand.targets.aws.{folder}.caller").CALLER
        return lambda terms: AwsCaller(make, terms.aws, executions=terms.executions)

    return TargetType(
        name=name,
        worker="aws",
        load_fields=load_fields,
        example=example,
        check=_check,
        load_caller=load_caller,
        to_answer_later=to_answer_later,
        parameter="AwsTargets",
    )


_FUNCTION = "use a target of type lambda with mode callback, whose function reports later"

AWS = (
    _type(
        "lambda",
        "functions",
        {"function": "arn:aws:lambda:eu-west-1:111122223333:function:report"},
        "make target.mode callback, and let the function report later",
    ),
    _type("sqs", "queues", {"queue": "arn:aws:sqs:eu-west-1:111122223333:reports"}, _FUNCTION),
    _type("sns", "topics", {"topic": "arn:aws:sns:eu-west-1:111122223333:reports"}, _FUNCTION),
    _type(
        "eventbridge",
        "buses",
        {
            "bus": "arn:aws:events:eu-west-1:111122223333:event-bus/default",
            "source": "com.example.reports",
            "detail_type": "report due",
        },
        _FUNCTION,
    ),
    _type(
        "stepfunctions",
        "executions",
        {"state_machine": "arn:aws:states:eu-west-1:111122223333:stateMachine:report"},
        "make target.mode wait, so that the end of the execution ends the run",
    ),
    _type(
        "ecs",
        "tasks",
        {
            "cluster": "arn:aws:ecs:eu-west-1:111122223333:cluster/jobs",
            "task_definition": "arn:aws:ecs:eu-west-1:111122223333:task-definition/report",
            "container": "report",
        },
        "make target.mode wait, so that the stop of the task ends the run",
    ),
)
