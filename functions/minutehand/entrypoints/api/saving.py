"""Saves of jobs: one document is read, checked, saved or only tried, and answered. Used by each route that saves a job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.declaration.conversion import shown
from minutehand.domain.definition import Definition
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.precondition import ALWAYS, Precondition
from minutehand.domain.token import Role
from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.job import JobStatusDocument
from minutehand.entrypoints.api.forms.accept import accept
from minutehand.entrypoints.api.problems import FieldErrorDocument
from minutehand.entrypoints.api.rendering.job import job_document, status_of
from minutehand.entrypoints.api.rendering.schedule import meaning_of, preview_document
from minutehand.entrypoints.api.rendering.warnings import limit_warnings, schedule_warnings, shadow_warnings
from minutehand.usecases.authorize import require
from minutehand.usecases.definitions import manage
from minutehand.usecases.definitions.asked import version_of
from minutehand.usecases.definitions.named_limits import Others, disagreements
from minutehand.usecases.queries.next_run import NextRunFacts, next_run_facts, rule_of_definition
from minutehand.usecases.queries.preview import edit_of

COMING = 10
"""Number of next runs in an answer, unless the request gives one."""


class SaveOptions(NamedTuple):
    """How a job is saved.

    Attributes:
        dry_run: only answer what would be saved.
        expected: in a dry run, parents that count as existing.
        preview: whether the answer to a dry run has the runs to come.
        keep_shadow: keep a stored job in shadow, unless the document says that it is not.
        restored: see `manage.save`.
        others: the other jobs that limits are compared with; by default, they are read.
    """

    only_if: Precondition = ALWAYS
    dry_run: bool = False
    expected: frozenset[JobKey] = frozenset()
    preview: bool = True
    keep_shadow: bool = False
    restored: int | None = None
    others: Others | None = None


class SavedJob(NamedTuple):
    """A saved job, or one that would be saved, with its warnings; `document` is what was sent."""

    call: Call
    document: Mapping[str, Any]
    saved: manage.Saved
    warnings: Sequence[FieldErrorDocument]
    how: SaveOptions

    def shown(self) -> dict[str, Any]:
        """The document that answers the save."""
        answer = described_job(self.call, self.saved.definition, preview=self.how.dry_run)
        answer["warnings"] = list(map(shown, self.warnings))
        if self.how.dry_run and self.how.preview:
            answer["preview"] = shown(preview_document(edit_of(self.call.ports, self.saved, count=COMING)))
        return answer


def save_job(call: Call, document: dict[str, Any], key: JobKey, how: SaveOptions) -> SavedJob:
    """Check a job's document and save it, or find out what would be saved.

    Raises:
        Invalid: with every problem of every field.
        NotAllowed: when the caller may not see a parent.
    """
    job = accept(document, key, call.deployment.terms, now=call.ports.clock())
    for parent in job.depends_on:  # the job's target receives the results of its parents' runs
        require(call.caller, Role.VIEWER, parent.job.namespace)
    # Without a field `paused`, the stored job's pause is kept.
    keep_paused = "paused" not in document
    keep_shadow = how.keep_shadow and "shadow" not in document
    if how.dry_run:
        saved = manage.preview(
            call.ports,
            job,
            keep_paused=keep_paused,
            keep_shadow=keep_shadow,
            who=call.actor,
            only_if=how.only_if,
            expected=how.expected,
        )
    else:
        saved = manage.save(
            call.ports,
            job,
            keep_paused=keep_paused,
            keep_shadow=keep_shadow,
            who=call.actor,
            only_if=how.only_if,
            restored=how.restored,
        )
    if saved.changed and not how.dry_run:
        about: dict[str, Any] = {"revision": saved.definition.revision, "new": saved.created}
        if how.restored is None:
            call.log("save", named=str(key), **about)
        else:
            call.log("restore", named=str(key), **about, restored=how.restored)
    kept = shadow_warnings(document) if saved.definition.job.shadow and not job.shadow else []
    return SavedJob(call, document, saved, [*_warnings(call, job, document, how), *kept], how)


def answered_save(done: SavedJob) -> Response[str]:
    """The answer to a save, or to a dry run."""
    saved, dry_run = done.saved, done.how.dry_run
    status = 201 if saved.created and not dry_run else 200
    return answered(status, done.shown(), None if dry_run else version_of(saved.definition))


def _warnings(call: Call, job: Job, document: Mapping[str, Any], how: SaveOptions) -> list[FieldErrorDocument]:
    others = Others(call.ports) if how.others is None else how.others
    found = disagreements(others, job)
    others.saw(job)
    return [*schedule_warnings(job, document, now=call.ports.clock()), *limit_warnings(found, document)]


def described_job(
    call: Call, definition: Definition, facts: NextRunFacts | None = None, *, preview: bool = False
) -> dict[str, Any]:
    """A job with its status and the meaning of its schedule. facts: what its next run depends on; by default they are read."""
    if facts is None:
        facts = next_run_facts(call.ports, [definition], timers=not preview)[definition.job.key]
    if preview:  # the stored timer belongs to the stored definition, not to the previewed one
        facts = facts._replace(timer=None)
    now = call.ports.clock()
    try:
        meaning = meaning_of(rule_of_definition(definition).schedule)
    except ValueError:  # the schedule cannot be read; the status says so in idle_because
        meaning = meaning_of(None)
    status = JobStatusDocument(
        summary=status_of(definition, facts, now),
        meaning=meaning,
        children=tuple(child for child in sorted(definition.children) if call.caller.may(Role.VIEWER, child.namespace)),
        deleted_parents=tuple(sorted(facts.deleted_parents)),
    )
    return job_document(definition.job, status, now)
