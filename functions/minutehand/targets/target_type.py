"""What makes up a type of target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from minutehand.domain.job import Target

if TYPE_CHECKING:
    from minutehand.domain.errors import FieldProblem
    from minutehand.targets.terms import TargetTerms
    from minutehand.usecases.ports.target import TargetCaller

T = TypeVar("T", bound=Target)


class TargetType(NamedTuple, Generic[T]):
    """A type of target. Only its fields are loaded with it: the tick and the API never call a target.

    Attributes:
        name: the `type` of its targets.
        worker: the worker that calls them: a function with a queue and a role of its own. Several types may share a worker.
        fields: the frozen dataclass with the fields of such a target.
        example: the fields of a valid target, as a document, for hints.
        check: finds what is wrong with a target that is being saved, beyond what each field shows by itself.
        load_caller: imports the caller of this type, and returns a function that makes one under the terms of a deployment.
        to_answer_later: for hints: what the owner of a job does for longer work, such as "use a target of type http".
        templates: the parts of a target that are templates, JSON values, each with its path, such as `target.body.json`.
    """

    name: str
    worker: str
    fields: type[T]
    example: Mapping[str, str]
    check: Callable[[T, TargetTerms], Iterator[FieldProblem]]
    load_caller: Callable[[], Callable[[TargetTerms], TargetCaller[T]]]
    to_answer_later: str
    templates: Callable[[T], Iterable[tuple[str, Any]]] = lambda _: ()
