"""The results of SDK methods that are no documents of the API."""

from typing import Generic, Literal, NotRequired, TypedDict, TypeVar

from minutehand.client.models import Calendar, FieldError, Job, Preview

T = TypeVar("T")


class Problem(TypedDict, total=False):
    """An error, in the form of RFC 9457. Any part may be missing in the answer of another server."""

    type: str
    title: str
    status: int
    detail: str
    hint: str
    errors: list[FieldError]


class Page(TypedDict, Generic[T]):
    """Part of a list; `next` is the cursor of the following part, null at the end."""

    items: list[T]
    next: str | None


class Applied(TypedDict):
    """What `Client.apply_job` did (or, with `dry_run`, would do), the job as the service has it, and what its schedule may surprise
    with; of a dry run also what it would run."""

    result: Literal["created", "updated", "unchanged"]
    job: Job
    warnings: list[FieldError]
    preview: NotRequired[Preview]


class AppliedCalendar(TypedDict):
    """What `Client.apply_calendar` did (or, with `dry_run`, would do), and the calendar as the service has it."""

    result: Literal["created", "updated", "unchanged"]
    calendar: Calendar
