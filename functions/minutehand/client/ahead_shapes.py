"""The API's JSON about what lies ahead of a job, as types; see `minutehand.client.shapes`."""

from typing import TypedDict


class ComingRun(TypedDict):
    """A run to come. `local` is `at` on the schedule's own clocks; `starts_at` is later by the job's jitter; `moved` says whether a
    calendar has moved it there, `moved_from` is the first occurrence that it was moved from; `note` what a clock change does to it."""

    at: str
    local: str
    starts_at: str
    moved: bool
    moved_from: str | None
    note: str | None


class BlockedRuns(TypedDict):
    """Occurrences that `calendar` blocks: the first, when the block ends, how many (None: more than 1,000), and where the first of
    them runs instead."""

    at: str
    local: str
    until: str
    times: int | None
    calendar: str
    moved_to: str | None


class SkippedTimes(TypedDict):
    """What a clock change keeps from running: `local` is the first of `times` such times, on the clocks of `timezone`."""

    at: str
    local: str
    timezone: str
    times: int
    note: str


class Coming(TypedDict):
    """Runs to come, and what keeps others from it up to the last of them."""

    items: list[ComingRun]
    blocked: list[BlockedRuns]
    skipped: list[SkippedTimes]


class NextRuns(Coming):
    """What a job runs next, and what its schedule means; `idle_because` says why nothing runs, or not sooner."""

    description: str | None
    timezone: str | None
    dialect: str | None
    idle_because: str | None


Edit = TypedDict(
    "Edit",
    {"from": str, "until": str, "added_per_day": float, "removed_per_day": float, "kept_per_day": float},
)
"""How many runs a day an edit adds, removes and keeps between `from` and `until`."""


class Preview(Coming):
    """What a job would run once it is saved; `diff` is None for a new one, and where nothing changes."""

    diff: Edit | None
