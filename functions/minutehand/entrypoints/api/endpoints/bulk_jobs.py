"""The endpoint of bulk saves of jobs."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.job_key import JobKey
from minutehand.domain.precondition import ALWAYS, Precondition
from minutehand.entrypoints.api.bulk import Budget, Change, Entry, jobs_in_order, of_change
from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.bulk import BulkRequest
from minutehand.entrypoints.api.forms.invalid import read_body
from minutehand.entrypoints.api.forms.request import dry_run_of, flag_of
from minutehand.entrypoints.api.problems import bad_request
from minutehand.entrypoints.api.saving import SaveOptions, save_job
from minutehand.usecases.definitions.named_limits import Others
from minutehand.usecases.definitions.read_ahead import read_ahead, remembering


def save_jobs(call: Call) -> Response[str]:
    """Save as many jobs as fit into a body, each as a `PUT` saves it, or with `dry_run` answer what would be saved.

    The answer is 200 even if jobs are refused: each has a result. Sending the request again changes nothing more.
    """
    how = _options(call)
    request = read_body(call.event, BulkRequest)
    entries = [Entry(each.job, n) for n, each in enumerate(request.jobs)]
    known: frozenset[JobKey] = frozenset()
    if how.dry_run:
        known = _expected(request.expected) | {each.key for each in entries}
    elif request.expected:
        raise Invalid(FieldProblem("expected", "this requires dry_run=true", "save those jobs first, and leave it out"))

    def save(over: Call, entry: Entry) -> Change:
        only_if = condition_of(request.jobs[entry.place].if_revision)
        done = save_job(over, entry.document, entry.key, how._replace(expected=known, only_if=only_if))
        saved = done.saved
        beside: dict[str, Any] = {}
        if how.dry_run:
            beside["job"] = done.shown()
        result = of_change(created=saved.created, changed=saved.changed)
        return Change(result, saved.definition.revision, done.warnings, beside)

    budget = Budget(call)
    found = jobs_in_order(call, entries, save, budget, ahead=remembering if how.dry_run else read_ahead)
    items = [found[n] for n in range(len(entries))]
    refused = sum(item["result"] == "refused" for item in items)
    return answered(200, {"items": items, "refused": refused, "left": budget.left})


def condition_of(revision: int | None) -> Precondition:
    """The condition that a field `if_revision` sets."""
    if revision is None:
        return ALWAYS
    return Precondition(tags=frozenset((str(revision),))) if revision else Precondition(absent=True)


def _options(call: Call) -> SaveOptions:
    dry_run, preview = dry_run_of(call.query), flag_of(call.query, "preview") or False
    if preview and not dry_run:
        raise bad_request("preview", "this requires dry_run=true", "add it, or leave preview out")
    return SaveOptions(dry_run=dry_run, preview=preview, others=Others(call.ports))


def _expected(names: tuple[str, ...]) -> frozenset[JobKey]:
    try:
        return frozenset(map(JobKey.of, names))
    except ValueError:
        hint = "write each as namespace/name"
        raise Invalid(FieldProblem("expected", "this is not a list of jobs", hint)) from None
