"""The query parameters of the API's routes: what each means, and which values it takes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from minutehand.domain.run import RunState

LARGEST_PAGE = 100


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
    "limit": Parameter("The most items that the page may have.", int, most=LARGEST_PAGE),
    "namespace": Parameter("Only this namespace; by default, all that the token may see."),
    "state": Parameter(
        "Only runs in this state; `active` for all that have not ended.",
        choices=("active", *(state.value for state in RunState)),
    ),
    "to": Parameter("End of the range: its first instant that does not count.", datetime),
}
"""Every query parameter by its name."""
