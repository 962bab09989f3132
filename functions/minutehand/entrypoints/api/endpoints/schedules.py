"""The endpoints of schedules that no job has yet. They read no table."""

from __future__ import annotations

from datetime import timedelta

from aws_lambda_powertools.event_handler import Response

from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.schedule import (
    DescribedScheduleDocument,
    PreviewedScheduleDocument,
    ScheduleDiffDocument,
    ScheduleDiffRequest,
    SchedulePreviewRequest,
    ScheduleRequest,
)
from minutehand.entrypoints.api.forms.request import json_object
from minutehand.entrypoints.api.forms.schedules import near, read_request, rules_of, warnings_about
from minutehand.entrypoints.api.rendering.schedule import coming_document, edit_document, edit_in_words, meaning_of
from minutehand.usecases.queries.preview import ahead_of_rule, difference_of_rules


def describe_schedule(call: Call) -> Response[str]:
    """Describe a schedule in words, with its warnings."""
    document = json_object(call.event)
    [rule] = rules_of({"": read_request(document, ScheduleRequest)})
    warnings = warnings_about(rule, document, now=call.deployment.clock())
    return answered(200, DescribedScheduleDocument(meaning=meaning_of(rule.schedule), warnings=warnings))


def preview_schedule(call: Call) -> Response[str]:
    """List the next runs of a schedule, and the times that clock changes skip."""
    document, now = json_object(call.event), call.deployment.clock()
    request = read_request(document, SchedulePreviewRequest)
    [rule] = rules_of({"": request.given})
    ahead = ahead_of_rule(rule, after=near("after", request.after, now), count=request.count)
    answer = PreviewedScheduleDocument(
        meaning=meaning_of(rule.schedule),
        coming=coming_document(ahead),
        warnings=warnings_about(rule, document, now=now),
    )
    return answered(200, answer)


def diff_schedules(call: Call) -> Response[str]:
    """Compare two schedules: which runs an edit adds and removes, and how many a day."""
    document, now = json_object(call.event), call.deployment.clock()
    request = read_request(document, ScheduleDiffRequest, "old", "new")
    old, new = rules_of({"old": request.old, "new": request.new})
    span = timedelta(days=request.days)
    start = near("from", request.start, now, lasts=span)
    found = difference_of_rules(old, new, start, start + span, first=request.count)
    edit = edit_document(start, found)
    answer = ScheduleDiffDocument(
        summary=edit_in_words(found, edit),
        old=meaning_of(old.schedule),
        new=meaning_of(new.schedule),
        edit=edit,
        added=found.added,
        removed=found.removed,
        kept=found.kept,
        first_added=found.first_added,
        first_removed=found.first_removed,
        cut=found.cut,
        warnings=warnings_about(new, document, now=now, within="new"),
    )
    return answered(200, answer)
