"""The endpoint of logs."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.instants import SECOND
from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.run import LogDocument, LogEntryDocument
from minutehand.entrypoints.api.endpoints.runs import run_of
from minutehand.entrypoints.api.forms.request import limit_of, number_of
from minutehand.entrypoints.api.problems import invalid_as_bad_request
from minutehand.usecases.queries.read_log import MOST_ENTRIES, read_cursor, read_log


def get_log(call: Call) -> Response[str]:
    """Get what an attempt has written since a cursor, also while it goes on."""
    limit = limit_of(call.query, MOST_ENTRIES, MOST_ENTRIES)
    given = number_of(call.query, "attempt", 1, "not an attempt number") if "attempt" in call.query else None
    with invalid_as_bad_request():
        cursor = read_cursor(call.query.get("cursor"))
    run = run_of(call)
    page = read_log(call.ports, run, given, cursor, limit)
    document = LogDocument(
        run_id=run.key.run_id,
        job=run.key.job,
        attempt=page.attempt,
        state=run.state,
        entries=tuple(LogEntryDocument(**entry._asdict()) for entry in page.entries),
        cursor=page.cursor,
        ended=page.ended,
        cut=page.cut,
        next_in=page.next_in // SECOND,
    )
    return answered(200, document)
