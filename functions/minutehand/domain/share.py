"""Share: what a run on one of several nodes is a part of."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from minutehand.domain.run_key import RunKey


class Share(NamedTuple):
    """What a run on one of several nodes is a part of.

    Attributes:
        parent, attempt: the run on several nodes, and its attempt.
        pool, node: the node that runs it, and no other.
        place, total: its place among the nodes of that attempt, from 0, and their number.
        ends_at: when the parent's time is over, and so its own.
    """

    parent: RunKey
    attempt: int
    pool: str
    node: str
    place: int
    total: int
    ends_at: datetime
