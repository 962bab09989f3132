"""The query parameters of the API's routes: what each means, and which values it takes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from minutehand.domain.run import RunState

LARGEST_PAGE = 100
LARGEST_LIST = 1_000
"""Maximum number of jobs in a page of a list."""


class Parameter(NamedTuple):
    """A query parameter. Its name means the same in every route.

    Attributes:
        type: `str`, `int`, `bool` or `datetime`.
        most: of a number, the largest; the least is 1.
    """

    description: str
    type: Any = str
    most: int | None = None
    choices: tuple[str, ...] = ()
    example: str = ""


PARAMETERS: Mapping[str, Parameter] = {
    "action": Parameter("Only changes of this kind, such as `save`."),
    "actor": Parameter("Only changes by the token of this name."),
    "after": Parameter("Only runs after this instant; by default, after now.", datetime),
    "against": Parameter("The number of the other revision; by default, the one before.", int, most=9_999_999),
    "at": Parameter("Explain this instant; not together with `from` and `to`.", datetime),
    "attempt": Parameter("The number of the attempt; by default, the newest.", int, most=LARGEST_PAGE),
    "count": Parameter("How many next runs to answer.", int, most=LARGEST_PAGE),
    "cursor": Parameter("Where the page begins: `next` of the page before."),
    "dry_run": Parameter("Answer what would be saved, but save nothing.", bool),
    "expected": Parameter(
        "With `dry_run=true`: up to 16 jobs, joined by commas, that `depends_on` may name before they exist.",
        example="shop/extract,shop/load",
    ),
    "from": Parameter("Start of the range.", datetime),
    "job": Parameter("Only changes of the job of this name, in the namespace."),
    "label": Parameter(
        "Only those of jobs that have this label now, as `name=value`; repeated, those that have all of them.",
        example="team=data",
    ),
    "last": Parameter("Answer how each job's newest known run ended, too.", bool),
    "limit": Parameter(
        f"The most items that the page may have: at most {LARGEST_PAGE}, in lists of jobs {LARGEST_LIST:,}.",
        int,
        most=LARGEST_LIST,
    ),
    "namespace": Parameter("Only this namespace; by default, all that the token may see."),
    "paused": Parameter("Only jobs that are paused, or with `false` only those that are not.", bool),
    "per": Parameter("The length of each interval that is counted.", choices=("hour", "day")),
    "preview": Parameter("With `dry_run=true`: answer the next runs of each job, too.", bool),
    "q": Parameter("Only jobs whose names contain this text.", example="report"),
    "session": Parameter("The random text of the agent's process, with which it registered."),
    "state": Parameter(
        "Only runs in this state; `active` for all that have not ended, `attention` for those that failed, timed out or were lost.",
        choices=("active", "attention", *(state.value for state in RunState)),
    ),
    "target": Parameter("Only those with this type of target.", example="http"),
    "to": Parameter("End of the range: its first instant that does not count.", datetime),
}
"""Every query parameter by its name."""
