"""The form of a namespace's settings: the JSON document as people send it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.namespace import MOST_AT_ONCE
from minutehand.entrypoints.api.forms.invalid import Forms, name_problem, problems_of
from minutehand.entrypoints.api.forms.types import Name


class NamespaceForm(BaseModel):
    """What is set for all jobs of a namespace together. Whether it is paused is no setting: that is done, and undone."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, title="Minutehand namespace")

    namespace: Name = Field(default="default", description="Its name; the same as in the path, or left out.")
    max_concurrency: int | None = Field(
        default=None,
        ge=1,
        le=MOST_AT_ONCE,
        description="How many attempts of its jobs' runs may be under way at once; null for any number.",
    )
    status: Any = Field(
        default_factory=dict,
        description="What the service says about the namespace; ignored when sent back.",
        json_schema_extra={"readOnly": True},
    )


_FORMS = Forms(by_place={(): NamespaceForm})


def accept_namespace(document: Mapping[str, Any], name: str) -> NamespaceForm:
    """What a document says that was sent to the path of a namespace, whose name need not be valid.

    Raises:
        Invalid: with every problem of every field.
    """
    form = None
    problems: list[FieldProblem] = []
    try:
        form = NamespaceForm.model_validate(document)
    except ValidationError as error:
        problems = list(problems_of(error, _FORMS))
    problems += [problem for problem in _path_problems(document, name) if problem not in problems]
    if problems or form is None:
        raise Invalid(*problems)
    return form


def _path_problems(document: Mapping[str, Any], name: str) -> Iterator[FieldProblem]:
    wrong = name_problem("namespace", name)
    if wrong:
        yield wrong
    elif document.get("namespace", name) != name:
        message = f"the document says {document['namespace']!r:.60}, the path {name!r}"
        yield FieldProblem("namespace", message, "make them the same, or leave it out of the document")
