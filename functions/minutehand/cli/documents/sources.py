"""Jobs that a source manages, such as a folder of files or a package with handlers: a label on each job names its source."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from minutehand.cli.documents.bulk_apply import result_cell
from minutehand.cli.documents.files import Document
from minutehand.cli.failures import Exit, failure
from minutehand.cli.parallel import parallel_results
from minutehand.cli.screen.render import Screen
from minutehand.client import Applied, Client, JobSummary

APPLIED = "apply/source"
"""Label of the jobs that `apply --source` saved, with the name that was given."""
MARKS = {
    APPLIED: "apply --source",
    "sync/app": "sync",
    "crontab/source": "crontab import",
    "cloudformation/stack": "a CloudFormation stack",
}
"""The labels that name a job's source, and the commands that write them."""
_LONGEST_VALUE = 200
_NOT_COMPARED = ("status", "warnings", "preview", "backfill")
_NOTHING = object()

Items = list[dict[str, Any]]
Changes = Mapping[str, Mapping[str, list[Any]]]


class Source(NamedTuple):
    """A source of jobs: its label, and the value that names it."""

    label: str
    value: str

    def owns(self, job: JobSummary) -> bool:
        """Whether the job came from this source."""
        return (job.get("labels") or {}).get(self.label) == self.value

    def other_of(self, job: JobSummary) -> str | None:
        """The label and the value of another source from which a job came; None without one."""
        labels = job.get("labels") or {}
        marks = [f"{mark}: {labels[mark]}" for mark in MARKS if mark in labels]
        return None if self.owns(job) or not marks else marks[0]

    def marked(self, document: Document) -> Document:
        """The document with the label. Malformed labels stay as they are, since the API reports them."""
        labels = document.content.get("labels") or {}
        if not isinstance(labels, dict):
            return document
        return replace(document, content={**document.content, "labels": {**labels, self.label: self.value}})


def stored_jobs(client: Client, namespaces: set[str]) -> dict[str, JobSummary]:
    """The jobs of namespaces, by full name."""
    jobs = [job for namespace in sorted(namespaces) for job in client.list_jobs(namespace)]
    return {f"{job['namespace']}/{job['name']}": job for job in jobs}


def check_sources(source: Source, documents: Sequence[Document], stored: Mapping[str, JobSummary]) -> None:
    """Refuse to change a job that came from another source. Raises Failure."""
    errors = []
    for document in documents:
        other = source.other_of(stored[document.job]) if document.job in stored else None
        if other is not None:
            message = f"this job came from {MARKS[other.partition(': ')[0]]} and has the label {other}"
            hint = "rename or delete one of the two, or remove the label with `minutehand edit` to take the job over"
            errors.append({"file": document.place, "job": document.job, "message": message, "hint": hint})
    if errors:
        detail = "--source changes no job that came from elsewhere; nothing was saved"
        raise failure("jobs from elsewhere", detail, errors=errors, exit_code=Exit.CONFLICT)


def with_kept_source(
    screen: Screen, client: Client, documents: Sequence[Document], plans: Sequence[Applied]
) -> list[Document]:
    """The documents, in which each job stays with the source it was applied from: its label stays, unless the file has another."""
    updated = [document for document, plan in zip(documents, plans, strict=True) if plan["result"] == "updated"]
    asked = [document.job for document in updated if APPLIED not in (document.content.get("labels") or {})]
    stored = dict(zip(asked, parallel_results(screen, "comparing", client.get_job, asked), strict=True))
    values = {name: labels[APPLIED] for name, job in stored.items() if APPLIED in (labels := job.get("labels") or {})}
    return [
        Source(APPLIED, values[document.job]).marked(document) if document.job in values else document
        for document in documents
    ]


def gone_items(
    source: Source, documents: Sequence[Document], stored: Mapping[str, JobSummary], *, prune: bool
) -> Items:
    """The stored jobs of a source that it no longer has: to be deleted with `prune`, else `gone`."""
    names = {name for name, job in stored.items() if source.owns(job)} - {document.job for document in documents}
    return [
        {
            "job": name,
            "result": "deleted" if prune else "gone",
            "revision": stored[name]["status"]["revision"],
            "warnings": [],
        }
        for name in sorted(names)
    ]


def field_changes(screen: Screen, client: Client, plans: Sequence[Applied]) -> Changes:
    """The fields that each update changes, by their paths, with the values before and after; by job."""
    updated = [plan["job"] for plan in plans if plan["result"] == "updated"]
    names = [f"{job['namespace']}/{job['name']}" for job in updated]
    before = parallel_results(screen, "comparing", client.get_job, names)
    return {
        name: {
            path: pair
            for field in {**new, **old}
            if field not in _NOT_COMPARED
            for path, pair in _differences(field, old.get(field, _NOTHING), new.get(field, _NOTHING))
        }
        for name, old, new in zip(names, before, updated, strict=True)
    }


def _differences(path: str, before: Any, after: Any) -> Iterator[tuple[str, list[Any]]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            yield from _differences(f"{path}.{key}", before.get(key, _NOTHING), after.get(key, _NOTHING))
    elif before != after:
        yield path, [None if each is _NOTHING else each for each in (before, after)]


def print_changes(screen: Screen, changes: Mapping[str, list[Any]]) -> None:
    """Print each changed field of a job with its values before and after."""
    for path, (before, after) in changes.items():
        screen.line(f"  {path}: {_value(before)} -> {_value(after)}")


def print_gone(screen: Screen, items: Items, *, dry_run: bool) -> None:
    """Print the jobs that are deleted, or that their source no longer has."""
    for item in items:
        screen.line(result_cell(item["result"], dry_run=dry_run), item["job"], f"revision {item['revision']}")


def note_gone(screen: Screen, items: Items, what: str) -> None:
    """Name the jobs that are not deleted although their source, such as `its file`, is gone."""
    left = [item["job"] for item in items if item["result"] == "gone"]
    if left:
        one, several = f"its {what} is gone, but the job still runs", f"their {what}s are gone, but the jobs still run"
        screen.note(f"{', '.join(left)}: {one if len(left) == 1 else several}; --prune deletes such jobs")


def _value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
