"""What is wrong with a target that is being saved."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import timedelta

from minutehand.domain.deadlines import LONGEST_CALL
from minutehand.domain.declaration.field import declared
from minutehand.domain.durations import format_duration
from minutehand.domain.errors import FieldProblem
from minutehand.domain.job import Target
from minutehand.targets import TYPES
from minutehand.targets.run_values import template_problems
from minutehand.targets.secret_uses import problems, uses
from minutehand.targets.target_type import to_add_worker
from minutehand.targets.terms import TargetTerms


def check(
    target: Target,
    *,
    timeout: timedelta | None,
    terms: TargetTerms,
    namespace: str,
    parents: Collection[str] | None = None,
) -> Iterator[FieldProblem]:
    """Find what is wrong with a target whose fields are each valid: first by the rules for all types, then by those of its type.

    Args:
        timeout: the limit of one attempt of its job; None if that field is invalid itself.
        terms: what the deployment allows.
        namespace: that of its job, which may use some secrets only.
        parents: the names by which templates may name parents (`names_of`); None if they are not known.
    """
    kind = TYPES[target.type]
    if kind.worker not in terms.workers:
        yield FieldProblem(
            "target.type", f"this stack has no worker for targets of type {target.type}", to_add_worker(kind)
        )
    heartbeat = target.heartbeat
    if target.may_answer_later:
        if (
            heartbeat is not None
            and timeout is not None
            and heartbeat >= timeout
            and not _is_default(heartbeat, target)
        ):
            given, limit = format_duration(heartbeat), format_duration(timeout)
            yield FieldProblem(
                "target.heartbeat",
                f"{given} is not shorter than timeout, which is {limit}: no heartbeat could be missed",
                "give a shorter one, or a longer timeout",
            )
    else:
        if timeout is not None and timeout > LONGEST_CALL:
            longest = format_duration(LONGEST_CALL)
            yield FieldProblem(
                "timeout",
                f"a target that answers with the call has {longest} at most: Lambda ends a worker after 15m, and it needs time to report",
                f"give 1s to {longest}; for longer work, {kind.to_answer_later}",
            )
        if heartbeat is not None:
            yield FieldProblem(
                "target.heartbeat",
                "a target that answers with the call sends no heartbeat",
                f"leave it out, or {kind.to_answer_later}",
            )
    yield from kind.check(target, terms)
    for path, value in kind.templates(target):
        yield from template_problems(value, path, parents)
    yield from problems(uses(kind, target), namespace, terms.secret_prefixes)


def _is_default(heartbeat: timedelta, target: Target) -> bool:
    """Whether a target's heartbeat is the default of its type, which nobody chose for a short job. It does no harm there."""
    return any(each.attribute == "heartbeat" and each.default == heartbeat for each in declared(type(target)))
