"""Operations of the client on schedules that no job has yet."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from minutehand.client.calls import Calls, utc_text
from minutehand.client.models import DescribedSchedule, PreviewedSchedule, ScheduleDiff

_PATH = "/v1/schedules"


class ScheduleCalls(Calls):
    """The part of `Client` with the operations on schedules. A schedule is a text, or the fields of a job that decide its instants:
    `schedule`, `timezone`, `dialect`, `start_at`, `end_at`, and for `H` the name of the `job`."""

    def describe_schedule(self, schedule: str | Mapping[str, Any]) -> DescribedSchedule:
        """The schedule in words, with its warnings."""
        answer = self._http.send("POST", f"{_PATH}/describe", body=_fields(schedule))
        return cast("DescribedSchedule", self._checked(answer, "description", "warnings"))

    def preview_schedule(
        self, schedule: str | Mapping[str, Any], *, count: int = 10, after: datetime | None = None
    ) -> PreviewedSchedule:
        """The schedule's next `count` runs, 1 to 100, after `after` (aware; by default now). Raises ValueError for a naive `after`."""
        body = _fields(schedule) | {"count": count} | ({} if after is None else {"after": utc_text(after)})
        answer = self._http.send("POST", f"{_PATH}/preview", body=body)
        return cast("PreviewedSchedule", self._checked(answer, "items", "skipped", "warnings"))

    def diff_schedules(
        self,
        old: str | Mapping[str, Any],
        new: str | Mapping[str, Any],
        *,
        start: datetime | None = None,
        days: int = 30,
        count: int = 5,
    ) -> ScheduleDiff:
        """Which runs an edit from `old` to `new` adds and removes in the `days` after `start` (aware; by default now), with at most `count`
        instants of each."""
        body: dict[str, Any] = {"old": _fields(old), "new": _fields(new), "days": days, "count": count}
        body |= {} if start is None else {"from": utc_text(start)}
        answer = self._http.send("POST", f"{_PATH}/diff", body=body)
        return cast("ScheduleDiff", self._checked(answer, "summary", "added", "removed", "kept"))


def _fields(schedule: str | Mapping[str, Any]) -> dict[str, Any]:
    return {"schedule": schedule} if isinstance(schedule, str) else dict(schedule)
