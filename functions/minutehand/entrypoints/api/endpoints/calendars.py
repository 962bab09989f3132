"""The endpoints of calendars."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.calendar_text import format_dates, format_period, format_weekly
from minutehand.entrypoints.api.call import Call, answered, page
from minutehand.entrypoints.api.documents.calendar import (
    CalendarDocument,
    CalendarEntriesDocument,
    CalendarStatusDocument,
    CalendarSummaryDocument,
)
from minutehand.entrypoints.api.forms.accept import accept_calendar
from minutehand.entrypoints.api.forms.request import dry_run_of, json_object, limit_of
from minutehand.entrypoints.api.problems import invalid_as_bad_request
from minutehand.usecases.definitions import calendars


def put_calendar(call: Call) -> Response[str]:
    """Save a calendar, or with `dry_run` answer what would be saved."""
    dry_run = dry_run_of(call.query)
    content = accept_calendar(json_object(call.event), _key(call))
    saved = calendars.save(call.ports, _key(call), content, who=call.actor, only_if=call.only_if, dry_run=dry_run)
    if saved.changed and not dry_run:
        call.log("save", what="calendar", revision=saved.calendar.revision, new=saved.created)
    status = 201 if saved.created and not dry_run else 200
    return answered(
        status, calendar_document(saved.calendar), None if dry_run else calendars.version_of(saved.calendar)
    )


def get_calendar(call: Call) -> Response[str]:
    """Get a calendar."""
    found = calendars.get(call.ports, _key(call))
    return answered(200, calendar_document(found), calendars.version_of(found))


def delete_calendar(call: Call) -> Response[str]:
    """Delete a calendar that no job names."""
    calendars.delete(call.ports, _key(call), who=call.actor, only_if=call.only_if)
    call.log("delete", what="calendar")
    return answered(204)


def list_calendars(call: Call) -> Response[str]:
    """List a namespace's calendars by name."""
    limit = limit_of(call.query, 50)
    with invalid_as_bad_request():
        found = call.ports.calendars.page(call.namespace, limit, call.query.get("cursor"))
    summaries = [
        CalendarSummaryDocument(
            key=each.key,
            description=each.description,
            entries=CalendarEntriesDocument(dates=len(each.dates), weekly=len(each.weekly), periods=len(each.periods)),
            status=_status(each),
        )
        for each in found.items
    ]
    return page(summaries, found.next)


def calendar_document(calendar: Calendar) -> CalendarDocument:
    """A calendar's document in canonical form: entries sorted and merged, weekdays in upper case, instants in UTC."""
    return CalendarDocument(
        key=calendar.key,
        description=calendar.description,
        dates=tuple(map(format_dates, calendar.dates)),
        weekly=tuple(map(format_weekly, calendar.weekly)),
        periods=tuple(map(format_period, calendar.periods)),
        status=_status(calendar),
    )


def _status(calendar: Calendar) -> CalendarStatusDocument:
    return CalendarStatusDocument(
        revision=calendar.revision,
        updated_at=calendar.updated_at,
        updated_by=calendar.updated_by,
        jobs=calendar.users,
    )


def _key(call: Call) -> CalendarKey:
    return CalendarKey(namespace=call.namespace, name=call.name)
