"""The endpoints of calendars."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.calendar import Calendar, CalendarKey
from minutehand.domain.calendar_text import format_dates, format_period, format_weekly
from minutehand.domain.errors import Invalid
from minutehand.domain.instants import to_text
from minutehand.domain.token import Role
from minutehand.entrypoints.api.call import Call, Endpoint, answered
from minutehand.entrypoints.api.forms.accept_calendar import accept_calendar
from minutehand.entrypoints.api.forms.reading import flag_of, json_object, limit_of
from minutehand.entrypoints.api.problems import BadRequest
from minutehand.usecases.definitions import calendars

_CALENDARS = "/v1/namespaces/{namespace}/calendars"
_CALENDAR = "/v1/namespaces/{namespace}/calendars/{name}"


def put_calendar(call: Call) -> Response[str]:
    """Save a calendar; with `dry_run`, answer what would be saved."""
    dry_run = flag_of(call.query, "dry_run")
    content = accept_calendar(json_object(call.event), _key(call))
    do = calendars.preview if dry_run else calendars.save
    saved = do(call.ports, _key(call), content, who=call.caller.name)
    if saved.changed and not dry_run:
        call.log("save", what="calendar", revision=saved.calendar.revision, new=saved.created)
    status = 201 if saved.created and not dry_run else 200
    return answered(status, calendar_document(saved.calendar))


def get_calendar(call: Call) -> Response[str]:
    """A calendar whole."""
    return answered(200, calendar_document(calendars.get(call.ports, _key(call))))


def delete_calendar(call: Call) -> Response[str]:
    """Delete a calendar that no job names."""
    calendars.delete(call.ports, _key(call))
    call.log("delete", what="calendar")
    return answered(204)


def list_calendars(call: Call) -> Response[str]:
    """The calendars of a namespace, by name."""
    limit = limit_of(call.query, 50)
    try:
        page = calendars.page(call.ports, call.namespace, limit, call.query.get("cursor"))
    except Invalid as error:
        raise BadRequest(*error.problems) from None
    return answered(200, {"items": [_summary(found) for found in page.items], "next": page.next})


def calendar_document(calendar: Calendar) -> dict[str, Any]:
    """A calendar whole, in its one form: sorted, merged, in upper case and UTC."""
    return {
        "namespace": calendar.key.namespace,
        "name": calendar.key.name,
        "description": calendar.description,
        "dates": [format_dates(dates) for dates in calendar.dates],
        "weekly": [format_weekly(rule) for rule in calendar.weekly],
        "periods": [format_period(period) for period in calendar.periods],
        "status": _status(calendar),
    }


def _summary(calendar: Calendar) -> dict[str, Any]:
    """What a list shows of a calendar: of what it blocks, how many entries there are."""
    return {
        "namespace": calendar.key.namespace,
        "name": calendar.key.name,
        "description": calendar.description,
        "entries": {
            "dates": len(calendar.dates),
            "weekly": len(calendar.weekly),
            "periods": len(calendar.periods),
        },
        "status": _status(calendar),
    }


def _status(calendar: Calendar) -> dict[str, Any]:
    return {
        "revision": calendar.revision,
        "updated_at": to_text(calendar.updated_at),
        "updated_by": calendar.updated_by,
        "jobs": calendar.users,
    }


def _key(call: Call) -> CalendarKey:
    return CalendarKey(namespace=call.namespace, name=call.name)


CALENDARS = (
    Endpoint(
        method="GET", path=_CALENDARS, role=Role.VIEWER, answer=list_calendars, query=frozenset(("limit", "cursor"))
    ),
    Endpoint(method="GET", path=_CALENDAR, role=Role.VIEWER, answer=get_calendar),
    Endpoint(
        method="PUT",
        path=_CALENDAR,
        role=Role.ADMIN,
        answer=put_calendar,
        query=frozenset(("dry_run",)),
        judges_names=True,
    ),
    Endpoint(method="DELETE", path=_CALENDAR, role=Role.ADMIN, answer=delete_calendar),
)
