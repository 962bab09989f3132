"""The documents of bulk saves: many jobs in one request, and a result for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from minutehand.domain.declaration.field import LEFT_OUT, Field
from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.problems import FieldErrorDocument, ProblemDocument

RESULTS = ("created", "updated", "unchanged", "refused", "left")


@dataclass(frozen=True, kw_only=True, slots=True)
class BulkJobRequest:
    """A job of a bulk save."""

    job: Annotated[
        Any, Field("The job, as a `PUT` takes it, with its `name`; its `namespace` is `default` unless it is given.")
    ]
    if_revision: Annotated[
        int | None,
        Field("Save the job only if this is its stored revision; 0 only creates.", least=0, most=9_999_999),
    ] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BulkRequest:
    """Jobs to save, as many as fit into a body."""

    jobs: Annotated[tuple[BulkJobRequest, ...], Field("The jobs, in any order: parents are saved first.")]
    expected: Annotated[
        tuple[str, ...],
        Field(
            "With `dry_run=true`: jobs, as `namespace/name`, that `depends_on` may name before they exist. The jobs of the request need "
            "not be named."
        ),
    ] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class BulkResultDocument:
    """What became of one job of a bulk save."""

    namespace: Annotated[str, Field("The job's namespace.")]
    name: Annotated[str, Field("The job's name; empty if it has none.")]
    result: Annotated[
        str,
        Field(
            "What was done, or would be in a dry run. `refused`: `problem` says why, and nothing was saved. `left`: the request had no "
            "time left; send the job again.",
            choices=RESULTS,
        ),
    ]
    revision: Annotated[int | None, Field("The job's revision; null if it was refused or left.")] = None
    warnings: Annotated[tuple[FieldErrorDocument, ...], Field("What is valid, but probably not meant.")] = ()
    problem: Annotated[
        ProblemDocument,
        Field("The answer that a single save would have had; its pointers are those of this job.", optional=True),
    ] = LEFT_OUT
    job: Annotated[JobDocument, Field("In a dry run, the job as it would be saved.", optional=True)] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class BulkDocument:
    """What became of the jobs of a bulk save."""

    items: Annotated[tuple[BulkResultDocument, ...], Field("A result for each job, in the order of the request.")]
    refused: Annotated[int, Field("How many jobs were refused.")]
    left: Annotated[int, Field("How many jobs were left for another request.")]
