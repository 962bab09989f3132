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
    """A type of target. Nothing else is loaded with it: a function loads the fields of the types that it meets, and a worker the callers
    of the types that it calls.

    Attributes:
        name: the `type` of its targets.
        worker: the worker that calls them: a function with a queue and a role of its own. Several types may share a worker.
        load_fields: imports the frozen dataclass with the fields of such a target.
        example: the fields of a valid target, as a document, for hints.
        check: finds what is wrong with a target that is being saved, beyond what each field shows by itself.
        load_caller: imports the caller of this type, and returns a function that makes one under the terms of a deployment.
        to_answer_later: for hints: what the owner of a job does for longer work, such as "use a target of type http".
        templates: the parts of a target that are templates, JSON values, each with its path, such as `target.body.json`.
        references: the parts of a target that are references to secrets, each with its path; empty texts for none.
        parameter: the parameter of the template that gives a stack this worker; empty if every stack has it.
    """

    name: str
    worker: str
    load_fields: Callable[[], type[T]]
    example: Mapping[str, str]
    check: Callable[[T, TargetTerms], Iterator[FieldProblem]]
    load_caller: Callable[[], Callable[[TargetTerms], TargetCaller[T]]]
    to_answer_later: str
    parameter: str = ""
    templates: Callable[[T], Iterable[tuple[str, Any]]] = lambda _: ()
    references: Callable[[T], Iterable[tuple[str, str]]] = lambda _: ()

    @property
    def fields(self) -> type[T]:
        """The frozen dataclass with the fields of such a target."""
        return self.load_fields()


def to_add_worker(kind: TargetType[Any]) -> str:
    """What the operator of a stack without the worker of a type does to have it, for hints."""
    return f"its operator can add that worker ({kind.parameter}=true)"
