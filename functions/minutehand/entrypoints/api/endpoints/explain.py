"""The endpoint that explains why a job ran or did not run."""

from __future__ import annotations

from datetime import timedelta

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.findings import Finding
from minutehand.domain.instants import EARLIEST, SECOND, floor
from minutehand.domain.revision_history import PastRevision
from minutehand.domain.shadow import shadow_of
from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.explanation import (
    ExplanationDocument,
    FindingDocument,
    PastRevisionDocument,
    TicksAroundDocument,
)
from minutehand.entrypoints.api.endpoints.revisions import revision_summary
from minutehand.entrypoints.api.forms.request import instant_of
from minutehand.entrypoints.api.problems import bad_request
from minutehand.entrypoints.api.rendering.run import run_document
from minutehand.entrypoints.api.rendering.run_sentences import Context
from minutehand.entrypoints.api.rendering.sentences import sentence
from minutehand.usecases.operations.redrive import lost_runs_of
from minutehand.usecases.queries.explain import explain_instant, explain_range
from minutehand.usecases.queries.lock_waits import lock_waits
from minutehand.usecases.queries.run_nodes import nodes_of_waiting
from minutehand.usecases.queries.slot_holders import slot_holders


def explain_job(call: Call) -> Response[str]:
    """Explain what happened at an instant or in a range; by default, in the last day."""
    at, start, end = (instant_of(call.query, name, earliest=EARLIEST) for name in ("at", "from", "to"))
    if at is not None and (start or end):
        raise bad_request("at", "at cannot be combined with from or to", "leave out from and to, or at")
    if at is not None:
        found = explain_instant(call.ports, call.key, at)
    else:
        if end is not None and start is None:
            raise bad_request("from", "this is missing", "give the start of the range; `to` is its end")
        now = floor(call.ports.clock())
        start = start or now - timedelta(days=1)
        end = end or max(now, start + SECOND)
        if floor(end) <= floor(start):
            raise bad_request("to", "the range ends before it begins", "give the earlier instant as from")
        found = explain_range(call.ports, call.key, start, floor(end) - SECOND)
    runs = [finding.run for finding in (*found.findings, *found.beside) if finding.run]
    context = Context(
        definition=found.definition,
        deleted_parents=found.gone,
        look_ahead=call.ports.look_ahead,
        namespace=found.namespace,
        now=call.ports.clock(),
        holders=slot_holders(call.ports, runs),
        shadow_of=shadow_of(found.definition.job, found.namespace, stack=call.ports.shadow),
        lost=lost_runs_of({run.key for run in runs}),
        nodes=nodes_of_waiting(call.ports, runs),
        lock_waits=lock_waits(call.ports, call.key, runs, found.definition),
    )
    document = ExplanationDocument(
        job=call.key,
        start=found.first,
        end=found.last + SECOND,
        items=tuple(_finding(finding, context) for finding in found.findings),
        beside=tuple(_finding(finding, context) for finding in found.beside),
        next=found.more_from,
    )
    return answered(200, document)


def _finding(finding: Finding, context: Context) -> FindingDocument:
    run = finding.run if finding.times == 1 else None
    return FindingDocument(
        kind=finding.kind,
        first=finding.first,
        last=finding.last,
        times=finding.times,
        text=sentence(finding, context),
        run=run_document(run, context.holders.get(run.key), context.lock_waits.get(run.key)) if run else None,
        revision=_revision(finding.pause.begun if finding.pause else finding.revision),
        until=finding.pause.until if finding.pause else None,
        ended_by=_revision(finding.pause.ended) if finding.pause else None,
        policy=str(finding.policy) if finding.policy else None,
        calendar=finding.calendar or None,
        moved_to=finding.moved_to,
        before=finding.before,
        after=finding.after,
        ticks=TicksAroundDocument(last=finding.ticks.last, next=finding.ticks.next) if finding.ticks else None,
    )


def _revision(revision: PastRevision | None) -> PastRevisionDocument | None:
    return None if revision is None else revision_summary(revision)
