"""Calendar operations of the client."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from minutehand.client.calls import DEFAULT_NAMESPACE, PAGE_SIZE, Calls, pages, path_of, segment, version_header
from minutehand.client.models import Calendar, CalendarSummary
from minutehand.client.results import AppliedCalendar, Page


class CalendarCalls(Calls):
    """The part of `Client` with the operations on calendars."""

    def apply_calendar(
        self, document: Mapping[str, Any], *, dry_run: bool = False, if_revision: int | None = None
    ) -> AppliedCalendar:
        """Create or update a calendar. With `dry_run` it is only validated.

        `document` is the calendar as JSON, with `name` and optionally `namespace`; `status` is ignored.
        """
        path = path_of("calendars", f"{document.get('namespace') or DEFAULT_NAMESPACE}/{document.get('name') or ''}")
        before, calendar = self._put(
            path, document, {"dry_run": "true"} if dry_run else {}, version_header(if_revision)
        )
        same = before is not None and before["status"]["revision"] == calendar["status"]["revision"]
        result = "created" if before is None else "unchanged" if same else "updated"
        return cast("AppliedCalendar", {"result": result, "calendar": calendar})

    def get_calendar(self, calendar: str) -> Calendar:
        """A calendar with its status."""
        return cast("Calendar", self._definition("GET", path_of("calendars", calendar)))

    def list_calendars(self, namespace: str = DEFAULT_NAMESPACE) -> Iterator[CalendarSummary]:
        """All calendars of the namespace by name; pages are fetched lazily."""
        for page in pages(lambda limit, cursor: self.calendars_page(namespace, limit=limit, cursor=cursor)):
            yield from page["items"]

    def calendars_page(
        self, namespace: str = DEFAULT_NAMESPACE, *, limit: int = PAGE_SIZE, cursor: str | None = None
    ) -> Page[CalendarSummary]:
        """One page of the namespace's calendars; it may hold fewer than `limit`."""
        path = f"/v1/namespaces/{segment(namespace)}/calendars"
        return self._page(path, limit, cursor, "namespace", "name")

    def delete_calendar(self, calendar: str, *, if_revision: int | None = None) -> None:
        """Delete the calendar. Raises Conflict while a job uses it."""
        self._delete(path_of("calendars", calendar), version_header(if_revision))
