"""Inputs of a cost estimate: jobs and calendars from files, or from the API with their runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, BinaryIO, TypeVar

from minutehand.cli.documents.bulk_apply import text_at
from minutehand.cli.documents.calendar_files import read_calendars
from minutehand.cli.documents.files import job_kind, read_documents
from minutehand.cli.failures import failure
from minutehand.cli.parallel import parallel_results
from minutehand.cli.screen.render import Screen
from minutehand.cli.screen.times import parse_instant
from minutehand.client import Client, Namespace, Run, is_due
from minutehand.schedule import ScheduleError
from minutehand.tools.costs.definition import Calendars, Definition, DefinitionError, calendar_of, definition_of
from minutehand.tools.costs.forecast import ActualRun, actual_month, answers_later
from minutehand.tools.costs.model import Month
from minutehand.tools.costs.timetable import Timetable, is_packed, rate

T = TypeVar("T")
_REFUSAL = "invalid files; no estimate was made"

SAMPLE = 500
"""Maximum number of runs of a job that are sampled, newest first."""
ALWAYS_KEPT = timedelta(days=1)
"""Minimum age at which `retention_count` removes runs (docs/reference/api.md)."""


def definitions_in(files: Sequence[str], stdin: BinaryIO, *, namespace: str | None) -> list[Definition]:
    """The jobs in files, as `apply` reads them. Raises Failure (exit 2) with all errors."""
    kind = job_kind(other="name calendars with --calendars", refusal=_REFUSAL)
    documents = read_documents(files, stdin, namespace=namespace, kind=kind)
    # The documents' `status` is left out, so that the jobs are priced as if they were saved now.
    fresh = [(each.place, {key: value for key, value in each.content.items() if key != "status"}) for each in documents]
    return _understood(fresh, definition_of, "job")


def calendars_in(
    files: Sequence[str],
    stdin: BinaryIO,
    *,
    namespace: str | None,
    timezone: str | None,
    now: datetime,
    note: Callable[[str], None],
) -> Calendars:
    """The calendars in files by full name, as `calendar apply` reads them. Raises Failure (exit 2) with all errors."""
    if not files:
        return {}
    documents = read_calendars(
        files,
        stdin,
        namespace=namespace,
        name=None,
        timezone=timezone,
        now=now,
        note=note,
        other="name jobs without --calendars",
        refusal=_REFUSAL,
    )
    found = _understood([(each.place, each.content) for each in documents], calendar_of, "calendar")
    return {str(calendar.key): calendar for calendar in found}


def jobs_of(screen: Screen, client: Client, namespaces: Sequence[str]) -> list[Definition]:
    """All jobs of these namespaces from the API. In a namespace with a concurrency limit, an attempt takes one slot more."""
    unique = list(dict.fromkeys(namespaces))
    named = chain.from_iterable(client.list_jobs(namespace) for namespace in unique)
    names = [f"{job['namespace']}/{job['name']}" for job in named]
    jobs = parallel_results(screen, "reading", client.get_job, names)
    limited = {name for name in unique if _limits(client.get_namespace(name))}
    return [
        replace(job, slots=job.slots + 1) if job.namespace in limited else job
        for job in _understood([("", job) for job in jobs], definition_of, "job")
    ]


def _limits(namespace: Namespace) -> bool:
    """Whether a namespace limits the attempts in progress, itself or by its quota."""
    quota = namespace["status"]["quota"]
    return namespace["max_concurrency"] is not None or (quota is not None and quota["concurrency"] is not None)


def calendars_of(screen: Screen, client: Client, jobs: Sequence[Definition]) -> Calendars:
    """The calendars of these jobs from the API, by full name."""
    names = sorted({name for job in jobs for name in job.calendars})
    found = parallel_results(screen, "reading", client.get_calendar, names)
    calendars = _understood([("", calendar) for calendar in found], calendar_of, "calendar")
    return {str(calendar.key): calendar for calendar in calendars}


def actual_months(
    screen: Screen, client: Client, jobs: Sequence[Definition], past: timedelta, now: datetime
) -> dict[str, Month]:
    """Each job's runs in a month, extrapolated from its runs in the span `past` before `now` (aware)."""

    def month_of(job: Definition) -> Month:
        span = min(past, timedelta(seconds=job.retention))
        runs: list[Run] = []
        for page in client.run_pages(job.job):
            due = [run for run in page["items"] if is_due(run, now)]
            recent = [run for run in due if parse_instant(run["scheduled_for"]) > now - span]
            runs += recent
            if len(recent) < len(due) or len(runs) >= SAMPLE:
                break
        if len(runs) >= SAMPLE:
            runs = runs[:SAMPLE]
            span = max(timedelta(seconds=1), now - parse_instant(runs[-1]["scheduled_for"]))
        elif job.retention_count is not None and len(runs) >= job.retention_count:
            span = min(span, max(ALWAYS_KEPT, now - parse_instant(runs[-1]["scheduled_for"])))
        together = rate(Timetable(schedule=job.schedule), now - span).together
        return actual_month(
            map(_actual, runs), span, together=together, waits=job.waits, packed=is_packed(job, now - span)
        )

    months = parallel_results(screen, "counting", month_of, jobs)
    return {job.job: month for job, month in zip(jobs, months, strict=True)}


def _actual(run: Run) -> ActualRun:
    took, noted = run["duration_ms"], run.get("units")
    # A later API may record other values than numbers.
    figures = {name: float(value) for name, value in (noted or {}).items() if isinstance(value, int | float)}
    return ActualRun(
        run_id=run["run_id"],
        state=run["state"],
        attempt=run["attempt"],
        seconds=None if took is None else took / 1000,
        later=answers_later(run),
        units=None if noted is None else figures,
    )


def _understood(
    documents: Sequence[tuple[str, Mapping[str, Any]]], read: Callable[[Mapping[str, Any]], T], noun: str
) -> list[T]:
    """Parse documents, given as pairs of place and content, with `read`. Raises Failure (exit 2) with all errors."""
    found: list[T] = []
    errors: list[dict[str, Any]] = []
    texts: dict[int, str] = {}
    for place, content in documents:
        try:
            found.append(read(content))
        except (DefinitionError, ScheduleError) as error:
            details = _details(error)
            text = text_at(content, details["path"])
            if isinstance(text, str):
                texts[len(errors)] = text
            name = f"{content['namespace']}/{content['name']}"
            errors.append(({"file": place} if place else {}) | {noun: name} | details)
    if errors:
        were = "was" if len(errors) == 1 else "were"
        nouns = noun if len(documents) == 1 else f"{noun}s"
        detail = f"{len(errors)} of {len(documents)} {nouns} {were} invalid"
        raise failure(f"invalid {noun}s", detail, errors=errors, texts=texts)
    return found


def _details(error: DefinitionError | ScheduleError) -> dict[str, Any]:
    """An error in a document, in the form in which the API reports an invalid field."""
    if isinstance(error, DefinitionError):
        return {"path": error.path, "message": error.message, "hint": error.hint}
    details = {"hint": error.hint, "column": error.column}
    if error.field in {"timezone", "dialect"} and error.column is None:
        return {"path": error.field, "message": error.message, **details}
    path = "schedule" if error.part is None else f"schedule[{error.part}]"
    message = error.message if error.field == "schedule" else f"{error.field}: {error.message}"
    return {"path": path, "message": message, **details}
