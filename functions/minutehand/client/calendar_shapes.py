"""The API's JSON about calendars, as types; see `minutehand.client.shapes`."""

from typing import Literal, TypedDict


class CalendarStatus(TypedDict):
    """What the service knows about a calendar; read-only, and ignored when sent back. `jobs` is how many jobs name it."""

    revision: int
    updated_at: str
    updated_by: str
    jobs: int


class Calendar(TypedDict):
    """A whole calendar: what it blocks is sorted and merged."""

    namespace: str
    name: str
    description: str
    dates: list[str]
    weekly: list[str]
    periods: list[str]
    status: CalendarStatus


class CalendarEntries(TypedDict):
    """How many entries of each kind a calendar has."""

    dates: int
    weekly: int
    periods: int


class CalendarSummary(TypedDict):
    """What a list shows of a calendar."""

    namespace: str
    name: str
    description: str
    entries: CalendarEntries
    status: CalendarStatus


class AppliedCalendar(TypedDict):
    """What `Client.apply_calendar` did (or, with `dry_run`, would do), and the calendar as the service has it."""

    result: Literal["created", "updated", "unchanged"]
    calendar: Calendar
