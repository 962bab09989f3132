"""The documents of exports, and of imports into another stack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from minutehand.domain.declaration.field import LEFT_OUT, Field
from minutehand.entrypoints.api.problems import FieldErrorDocument, ProblemDocument

KINDS = ("namespace", "calendar", "job")
RESULTS = ("created", "updated", "unchanged", "over", "refused", "left")


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportedDocument:
    """One exported thing."""

    kind: Annotated[str, Field("What it is.", choices=KINDS)]
    document: Annotated[
        Any,
        Field(
            "The document that saves it: of a job or a calendar that of its `PUT`, of a namespace also with `paused`, as jobs have it. "
            "Secrets are references, as the job has them."
        ),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportItemRequest:
    """One thing to import, as an export has it."""

    kind: Annotated[str, Field("What it is.", choices=KINDS)]
    document: Annotated[Any, Field("Its document.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportRequest:
    """Exported things to save, as many as fit into a body."""

    items: Annotated[
        tuple[ImportItemRequest, ...],
        Field("The things, in any order: settings and calendars are saved before jobs, parents before their children."),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportResultDocument:
    """What became of one thing of an import."""

    kind: Annotated[str, Field("What it is.", choices=KINDS)]
    namespace: Annotated[str, Field("Its namespace.")]
    name: Annotated[str, Field("Its name; empty for a namespace.")]
    result: Annotated[
        str,
        Field(
            "What was done. `over`: the job has no run any more, so it was not saved. `refused`: `problem` says why, and nothing was saved. "
            "`left`: the request had no time left; send it again.",
            choices=RESULTS,
        ),
    ]
    revision: Annotated[int | None, Field("Its revision; null if it was not saved.")] = None
    warnings: Annotated[tuple[FieldErrorDocument, ...], Field("What is valid, but probably not meant.")] = ()
    problem: Annotated[
        ProblemDocument, Field("Why it was not saved; its pointers are those of its document.", optional=True)
    ] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedDocument:
    """What became of the things of an import."""

    items: Annotated[tuple[ImportResultDocument, ...], Field("A result for each, in the order of the request.")]
    refused: Annotated[int, Field("How many were refused.")]
    left: Annotated[int, Field("How many were left for another request.")]
