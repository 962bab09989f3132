"""Bulk save and delete of jobs. The API validates all jobs before any is saved, and all its errors are raised as one failure.
Parents are saved before their children."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from minutehand.cli.command import exit_code, problem_of
from minutehand.cli.documents.dependency_order import parents_in, save_order
from minutehand.cli.documents.files import Document
from minutehand.cli.failures import Exit, Failure, field_lines
from minutehand.cli.parallel import Outcomes, parallel_map, parallel_parts
from minutehand.cli.screen.render import Screen
from minutehand.client import Applied, Client, FieldError, MinutehandError, NotFound, Refused, SavedJob
from minutehand.client.bulk import calls_for
from minutehand.client.errors import BY_STATUS

T = TypeVar("T")

WOULD = {"created": "create", "updated": "update", "deleted": "delete"}
"""The verb of each result that changes something, for a dry run."""
_TOO_LARGE = 413
_LONGEST_RESULT = len("unchanged")
_LONGEST_WOULD = len("would create")


@dataclass(frozen=True, kw_only=True)
class Changes(Generic[T]):
    """The result of bulk calls: the items `done`, the number of items in `total`, and the outcomes of the `last` parallel calls."""

    done: Sequence[T]
    total: int
    last: Outcomes[T]

    @property
    def complete(self) -> bool:
        """Whether all items were saved or deleted."""
        return len(self.done) == self.total

    def end(self) -> None:
        """Raise what stopped the calls; to be called after the result is printed."""
        self.last.end()


def check_all(
    screen: Screen,
    client: Client,
    documents: Sequence[Document],
    *,
    shared_field: str | None = None,
    preview: bool = False,
) -> list[Applied]:
    """Validate each document with a dry run. Raises Failure with all errors; an error that several documents have in
    `shared_field` is listed once. preview: whether the results have the next runs."""
    save_order(documents)
    jobs = {document.job: document for document in documents}

    def check(places: Sequence[int]) -> list[Applied | MinutehandError]:
        known = {parent for place in places for parent in parents_in(documents[place], jobs)}
        contents = [documents[place].content for place in places]
        if len(documents) == 1:
            return [client.apply_job(contents[0], dry_run=True)]
        found = client.apply_jobs(contents, dry_run=True, preview=preview, expected=known)
        return [_refused(each) or _planned(each) for each in found]

    parts = list(calls_for([document.content for document in documents]))
    with screen.progress("checking", len(documents)) as step:
        outcomes = parallel_parts(check, parts, step=step, stops_at=lambda error: not is_validation_error(error))
    if outcomes.interrupted:
        raise KeyboardInterrupt
    plans: list[Applied] = []
    refused: list[tuple[Document, Refused]] = []
    for document, outcome in zip(documents, outcomes.each, strict=True):
        if isinstance(outcome, Refused) and is_validation_error(outcome):
            refused.append((document, outcome))
        elif isinstance(outcome, MinutehandError):
            raise outcome
        elif outcome is not None:
            plans.append(outcome)
    if refused:
        raise refusal(refused, total=len(documents), noun="job", shared_field=shared_field) from refused[0][1]
    return plans


def save_all(
    screen: Screen, client: Client, documents: Sequence[Document], plans: Sequence[Applied]
) -> Changes[Applied]:
    """Save the documents that change anything, up to the first failure or Ctrl-C."""

    def save(places: Sequence[int]) -> list[Applied | MinutehandError]:
        changing = [place for place in places if plans[place]["result"] != "unchanged"]
        contents = [documents[place].content for place in changing]
        if len(documents) == 1:
            return [client.apply_job(contents[0]) if contents else plans[0]]
        saved = dict(zip(changing, client.apply_jobs(contents), strict=True)) if changing else {}
        return [
            _refused(saved[place]) or _saved(plans[place], saved[place]) if place in saved else plans[place]
            for place in places
        ]

    done: dict[int, Applied] = {}
    with screen.progress("saving", len(documents)) as step:
        for wave in save_order(documents):
            parts = [[wave[n] for n in part] for part in calls_for([documents[place].content for place in wave])]
            outcomes = parallel_parts(save, parts, step=step)
            results = list(zip(wave, outcomes.each, strict=True))
            done |= {n: each for n, each in results if each is not None and not isinstance(each, MinutehandError)}
            if len(outcomes.results()) < len(wave) or outcomes.interrupted:
                break
    return Changes(done=[done[n] for n in sorted(done)], total=len(documents), last=outcomes)


def _refused(saved: SavedJob) -> Refused | None:
    if "problem" not in saved:
        return None
    status = saved["problem"].get("status", 0)
    return BY_STATUS.get(status, Refused)(status, saved["problem"])


def _planned(saved: SavedJob) -> Applied:
    """What a bulk dry run says of a job, as the dry run of that job says it."""
    job: dict[str, Any] = {**saved["job"]}
    beside = {key: job.pop(key) for key in ("warnings", "preview") if key in job}
    return cast("Applied", {"result": saved["result"], "job": job, "warnings": [], **beside})


def _saved(plan: Applied, saved: SavedJob) -> Applied:
    """What became of a job that was saved as planned."""
    status = {**plan["job"]["status"], "revision": saved["revision"]}
    job = {**plan["job"], "status": status}
    return cast("Applied", {"result": saved["result"], "job": job, "warnings": saved["warnings"]})


def delete_all(screen: Screen, client: Client, jobs: Sequence[str]) -> Changes[str]:
    """Delete jobs by full name, up to the first failure or Ctrl-C; one that is already deleted is no failure."""

    def delete(job: str) -> str:
        with suppress(NotFound):
            client.delete_job(job)
        return job

    with screen.progress("deleting", len(jobs)) as step:
        outcomes = parallel_map(delete, jobs, step=step)
    return Changes(done=outcomes.results(), total=len(jobs), last=outcomes)


def result_cell(result: str, *, dry_run: bool = False) -> str:
    """A result as the first cell of a line: what a save did, or what it would do."""
    return (
        f"would {WOULD[result]}"
        if dry_run and result in WOULD
        else result.ljust(_LONGEST_WOULD if dry_run else _LONGEST_RESULT)
    )


def results_document(items: Sequence[Mapping[str, Any]], *, dry_run: bool) -> dict[str, Any]:
    """The JSON of the results. That of a dry run says so: its results are what a save would do."""
    return {"items": items, **({"dry_run": True} if dry_run else {})}


def print_items(screen: Screen, noun: str, items: Sequence[Mapping[str, Any]], *, dry_run: bool = False) -> None:
    """Print the results of an import or a save. `noun` is the key under which an item has its name."""
    if screen.as_json:
        screen.data(results_document(items, dry_run=dry_run))
        return
    for item in items:
        screen.line(result_cell(item["result"], dry_run=dry_run), item[noun], f"revision {item['revision']}")


def print_warnings(screen: Screen, done: Sequence[Applied], documents: Sequence[Document]) -> None:
    """Print the warnings, each with its place and a caret under the text."""
    by_name = {document.job: document for document in documents}
    for applied in done:
        for warning in applied["warnings"]:
            document = by_name[f"{applied['job']['namespace']}/{applied['job']['name']}"]
            text = text_at(document.content, str(warning["path"]))
            fields = {"file": document.at(str(warning["path"])), "job": document.job, **warning}
            for line in field_lines(fields, text if isinstance(text, str) else None, kind="warning"):
                screen.note(line[2:])


def is_validation_error(error: MinutehandError) -> bool:
    """Whether an error means that the API refused the document, rather than that the API failed."""
    return isinstance(error, Refused) and error.status < 500


def refusal(
    refused: Sequence[tuple[Document, Refused]], *, total: int, noun: str, shared_field: str | None = None
) -> Failure:
    """The failure that lists all validation errors with their places. Its exit code is 2 if a document is invalid.

    shared_field: a field that all documents have from one template; an error in it that several documents have is listed once.
    """
    often = Counter(_identity(field) for _, error in refused for field in error.errors)
    once: set[tuple[str, str]] = set()
    errors: list[dict[str, Any]] = []
    texts: dict[int, str] = {}
    for document, error in refused:
        for field in error.errors or [{"path": "", "message": error.message, "hint": _hint(error, noun)}]:
            shared = str(field["path"]).partition(".")[0] == shared_field and often[_identity(field)] > 1
            if shared and _identity(field) in once:
                continue
            text = text_at(document.content, str(field["path"]))
            if isinstance(text, str):
                texts[len(errors)] = text
            if shared:
                once.add(_identity(field))
            place = {"file": document.at(str(field["path"])), noun: document.job}
            errors.append({**field} if shared else place | field)
    nouns, were = noun if total == 1 else f"{noun}s", "was" if len(refused) == 1 else "were"
    codes = [exit_code(error) for _, error in refused]
    return Failure(
        {
            "title": refused[0][1].title,
            "status": refused[0][1].status,
            "detail": f"{len(refused)} of {total} {nouns} {were} refused; nothing was saved",
            "errors": errors,
        },
        exit_code=Exit.USAGE if Exit.USAGE in codes else codes[0],
        texts=texts,
    )


def _hint(error: Refused, noun: str) -> str | None:
    if error.status == _TOO_LARGE:
        return f"the size is that of the {noun} as it is sent, in compact JSON, not of its file"
    return problem_of(error).get("hint")


def _identity(field: FieldError) -> tuple[str, str]:
    return str(field["path"]), str(field["message"])


def text_at(content: Any, path: str) -> Any:
    """The value at a path such as `target.url` or `dates[3]`; None if there is none."""
    for part in re.findall(r"[^.\[\]]+", path):
        if isinstance(content, list):
            content = content[int(part)] if part.isdecimal() and int(part) < len(content) else None
        else:
            content = content.get(part) if isinstance(content, dict) else None
    return content
