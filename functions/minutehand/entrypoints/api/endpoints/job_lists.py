"""The endpoints of lists of jobs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.declaration.checks import NAME
from minutehand.domain.definition import Definition
from minutehand.domain.job_key import JobKey
from minutehand.entrypoints.api.call import MOST_BYTES, Call, page
from minutehand.entrypoints.api.documents.query import LARGEST_LIST
from minutehand.entrypoints.api.forms.filters import cursor_at, job_filter_of, no_cursor, place_of
from minutehand.entrypoints.api.forms.request import flag_of, limit_of
from minutehand.entrypoints.api.rendering.job import job_summary, last_run_document
from minutehand.usecases.queries import list_jobs as listing
from minutehand.usecases.queries.last_runs import last_runs
from minutehand.usecases.queries.next_run import next_run_facts

_LISTING = "jobs"


def list_jobs(call: Call) -> Response[str]:
    """List a namespace's jobs by name, optionally those with labels, a type of target, a part of a name, or a pause."""
    after = place_of(call.event, call.query, _LISTING, call.namespace)
    place = None if after is None else JobKey(call.namespace, after)
    items, place = _page(call, [call.namespace], place)
    name = None if place is None else place.name
    return page(items, cursor_at(name, call.event, call.query, _LISTING, call.namespace))


def list_all_jobs(call: Call) -> Response[str]:
    """List the jobs of all namespaces that the token may see, by namespace and name."""
    after = place_of(call.event, call.query, "jobs of all")
    try:
        place = None if after is None else JobKey.of(after)
    except ValueError:
        raise no_cursor() from None
    items, place = _page(call, call.visible(), place)
    following = None if place is None else str(place)
    return page(items, cursor_at(following, call.event, call.query, "jobs of all"))


def _page(
    call: Call, namespaces: Sequence[str], after: JobKey | None
) -> tuple[Sequence[dict[str, Any]], JobKey | None]:
    """The documents of a page of jobs, and the job after which the next page begins."""
    limit, wants_last = limit_of(call.query, 50, LARGEST_LIST), flag_of(call.query, "last") or False
    chosen = job_filter_of(call.event, call.query)
    if after is not None and not (NAME.fullmatch(after.name) or after.name == listing.WHOLE):
        raise no_cursor()
    now = call.ports.clock()
    found = listing.list_jobs(call.ports, namespaces, chosen=chosen, after=after, limit=limit, now=now)
    return _fitting(_documents(call, found.jobs, wants_last=wants_last), found)


def _documents(call: Call, jobs: Sequence[Definition], *, wants_last: bool) -> list[dict[str, Any]]:
    ports, now = call.ports, call.ports.clock()
    facts = next_run_facts(ports, jobs, timers=False)
    if not wants_last:
        return [job_summary(each, facts[each.job.key], now) for each in jobs]
    calendars = facts[jobs[0].job.key].calendars if jobs else {}
    last = last_runs(ports, jobs, calendars, now=now, unreadable=call.unreadable)
    return [job_summary(each, facts[each.job.key], now, last_run_document(last.get(each.job.key))) for each in jobs]


def _fitting(
    documents: Sequence[dict[str, Any]], found: listing.JobList
) -> tuple[Sequence[dict[str, Any]], JobKey | None]:
    """As many of the documents as fit into an answer, one at least, and the job after which the next page begins."""
    size = 0
    for count, document in enumerate(documents):
        size += len(json.dumps(document))
        if size > MOST_BYTES and count:
            return documents[:count], found.jobs[count - 1].job.key
    return documents, found.after
