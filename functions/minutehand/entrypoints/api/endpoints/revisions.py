"""The endpoints of earlier revisions of jobs."""

from __future__ import annotations

import re

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.errors import NotFound
from minutehand.domain.job_document import job_document
from minutehand.domain.revision_history import PastRevision
from minutehand.entrypoints.api.call import Call, answered, page
from minutehand.entrypoints.api.documents.audit import RevisionDiffDocument, RevisionDocument
from minutehand.entrypoints.api.documents.explanation import PastRevisionDocument
from minutehand.entrypoints.api.forms.request import limit_of
from minutehand.entrypoints.api.problems import bad_request, invalid_as_bad_request
from minutehand.entrypoints.api.rendering.differences import difference_documents
from minutehand.entrypoints.api.saving import SaveOptions, answered_save, save_job
from minutehand.usecases.queries.revisions import diff_revisions, get_revision, job_of

_NUMBER = re.compile(r"[1-9][0-9]{0,6}", re.ASCII)


def list_revisions(call: Call) -> Response[str]:
    """List a job's revisions, newest first, even after the job was deleted."""
    limit = limit_of(call.query, 20)
    with invalid_as_bad_request():
        found = call.ports.definitions.revisions(call.key, limit, call.query.get("cursor"))
    if not found.items:
        call.require_job()
    return page(map(revision_summary, found.items), found.next)


def show_revision(call: Call) -> Response[str]:
    """Get a job as it was under an earlier revision."""
    found = get_revision(call.ports, call.key, _number(call))
    return answered(
        200,
        RevisionDocument(
            summary=revision_summary(found.past),
            job=None if found.job is None else job_document(found.job),
            missing=found.job is None and not found.past.deleted,
        ),
    )


def diff_revision(call: Call) -> Response[str]:
    """Compare two revisions of a job, the older one first; by default, show what a revision changed."""
    number, text = _number(call), call.query.get("against")
    if text is not None and not _NUMBER.fullmatch(text):
        raise bad_request("against", f"{text!r:.60} is not a revision", "give the number of a revision, such as 3")
    diff = diff_revisions(call.ports, call.key, number, None if text is None else int(text))
    first = text is None and number == 1
    document = RevisionDiffDocument(
        job=call.key,
        before=0 if first else diff.before.number,
        after=diff.after.number,
        items=difference_documents(diff.found),
    )
    return answered(200, document)


def restore_revision(call: Call) -> Response[str]:
    """Save an earlier revision of a job again, as a new revision, with all checks of a save. A paused job stays paused, and one in shadow stays so."""
    number = _number(call)
    job = job_of(call.key, get_revision(call.ports, call.key, number))
    document = job_document(job)
    del document["paused"]
    if not job.shadow:
        del document["shadow"]
    how = SaveOptions(only_if=call.only_if, keep_shadow=True, restored=number)
    return answered_save(save_job(call, document, call.key, how))


def revision_summary(past: PastRevision) -> PastRevisionDocument:
    """A revision in a list."""
    return PastRevisionDocument(
        number=past.number, at=past.effective_from, did=past.did, by=past.who or None, changed=past.changed
    )


def _number(call: Call) -> int:
    text = call.path["revision"]
    if not _NUMBER.fullmatch(text):
        raise NotFound(f"there is no revision {text!r:.60} of job {call.key}; revisions have numbers, such as 3")
    return int(text)
