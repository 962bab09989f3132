"""What the API says about backfills, as types."""

from typing import TypedDict

Backfill = TypedDict(
    "Backfill",
    {
        "id": str,
        "job": str,
        "from": str,
        "to": str,
        "order": str,
        "concurrency": int,
        "ignore_overlap": bool,
        "state": str,
        "occurrences": int,
        "remaining": int,
        "active": list[str],
        "ended": dict[str, int],
        "created_at": str,
        "created_by": str,
        "finished_at": str | None,
        "reason": str | None,
    },
)
"""A range of a job's past that is replayed, from `from` up to `to`, which is no longer in it. `state` is active, done or cancelled;
`active` are the ids of runs, `ended` says how many ended in which state; `finished_at` is null as long as any may still run; `reason`
says why it was cancelled."""

BackfillExtent = TypedDict("BackfillExtent", {"from": str, "to": str, "occurrences": int, "first": str, "last": str})
"""What a backfill would replay: how many occurrences, the first and the last."""
