"""Types of results that SDK methods return and that are not documents of the API."""

from typing import Generic, Literal, NotRequired, TypedDict, TypeVar

from minutehand.client.models import Calendar, FieldError, Job, Preview, Run

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


class RunPage(Page[Run]):
    """Part of a list of runs across jobs. Every wanted run later than `looked_until` is in this part or an earlier one."""

    looked_until: str


class Applied(TypedDict):
    """What `Client.apply_job` did, or with `dry_run` would do: the result, the job as the API answers it, and warnings about its
    schedule. A dry run adds a preview of the next runs."""

    result: Literal["created", "updated", "unchanged"]
    job: Job
    warnings: list[FieldError]
    preview: NotRequired[Preview]


class SavedJob(TypedDict):
    """What `Client.apply_jobs` did with one job. `revision` is null, and `problem` says why, if the job was refused. A dry run has the job
    as it would be saved, on request with a preview of the next runs."""

    namespace: str
    name: str
    result: Literal["created", "updated", "unchanged", "refused"]
    revision: int | None
    warnings: list[FieldError]
    problem: NotRequired[Problem]
    job: NotRequired[Job]


class AppliedCalendar(TypedDict):
    """What `Client.apply_calendar` did, or with `dry_run` would do: the result, and the calendar as the API answers it."""

    result: Literal["created", "updated", "unchanged"]
    calendar: Calendar
