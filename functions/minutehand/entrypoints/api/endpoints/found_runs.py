"""The endpoint of runs across jobs."""

from __future__ import annotations

from datetime import datetime

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.declaration.checks import NAME
from minutehand.domain.instants import from_text, to_text
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import Role
from minutehand.entrypoints.api.call import Call, page
from minutehand.entrypoints.api.documents.requests import RUN_ID
from minutehand.entrypoints.api.documents.run import FoundRunsDocument
from minutehand.entrypoints.api.forms.filters import (
    cursor_at,
    interval_of,
    labels_of,
    no_cursor,
    place_of,
    target_of,
)
from minutehand.entrypoints.api.forms.invalid import name_problem
from minutehand.entrypoints.api.forms.request import limit_of, states_of
from minutehand.entrypoints.api.problems import BadRequest, invalid_as_bad_request
from minutehand.entrypoints.api.rendering.run import run_document
from minutehand.usecases.authorize import require
from minutehand.usecases.queries.find_runs import Place, RunQuery, find_runs

_LISTING = "runs across jobs"


def list_runs_of_all(call: Call) -> Response[str]:
    """List the runs of all jobs, or of a namespace, newest first; by default of the last 24 hours."""
    limit = limit_of(call.query, 50)
    start, end = interval_of(call.query, call.ports.clock())
    query = RunQuery(
        namespaces=_namespaces(call),
        start=start,
        end=end,
        states=states_of(call.query),
        labels=labels_of(call.event),
        target=target_of(call.query),
    )
    after = None
    if (place := place_of(call.event, call.query, _LISTING)) is not None:
        start, end, after = _read(place, by_end=query.by_end)
        query = query._replace(start=start, end=end)
    with invalid_as_bad_request():
        found = find_runs(call.ports, call.run_lists, query, after=after, limit=limit, unreadable=call.unreadable)
    following = cursor_at(_written(query, found.after), call.event, call.query, _LISTING)
    return page(map(run_document, found.runs), following, FoundRunsDocument(looked_until=found.looked_until))


def _namespaces(call: Call) -> tuple[str, ...]:
    """The namespaces whose runs are wanted."""
    name = call.query.get("namespace")
    if name is None:
        return tuple(call.visible())
    require(call.caller, Role.VIEWER, name)
    if problem := name_problem("namespace", name):
        raise BadRequest(problem)
    return (name,)


def _written(query: RunQuery, place: Place | None) -> str | None:
    """A place in the list of a query, with the query's interval, since a default one moves with the time."""
    if place is None:
        return None
    parts = [to_text(query.start), to_text(query.end), place.at]
    if place.run is not None:
        parts += [str(place.run.job)] + ([place.run.run_id] if query.by_end else [])
    return ",".join(parts)


def _read(text: str, *, by_end: bool) -> tuple[datetime, datetime, Place]:
    """The interval and the place of a cursor."""
    try:
        start, end, at, job, run_id = (*text.split(","), *("",) * (4 - text.count(",")))
        key = None
        if job:
            key = RunKey(JobKey.of(job), run_id if by_end else at)
            if not (all(map(NAME.fullmatch, key.job)) and RUN_ID.fullmatch(key.run_id)):
                raise no_cursor()
        place = Place(at, key)
        if by_end is not ("-" in at.partition("~")[0]) or place.instant.tzinfo is None:
            raise no_cursor()
        return from_text(start), from_text(end), place
    except ValueError:
        raise no_cursor() from None
