"""What the API tells: runs, backfills, previews, findings, each whole unless a test says otherwise."""

from __future__ import annotations

from typing import Any

NEXT = "2026-11-20T09:00:00Z"


def make_run(job: str, run_id: str, state: str = "succeeded", **more: Any) -> dict[str, Any]:
    stamp = run_id[:15]
    at = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}T{stamp[9:11]}:{stamp[11:13]}:{stamp[13:15]}Z"
    run: dict[str, Any] = {
        "run_id": run_id,
        "job": job,
        "scheduled_for": at,
        "starts_at": at,
        "state": state,
        "attempt": 1,
        "claimed_at": at,
        "started_at": at,
        "finished_at": at if state == "succeeded" else None,
        "lateness_ms": 412,
        "duration_ms": 1234,
        "result": {"type": "http", "status": 200, "body": "pong"} if state == "succeeded" else None,
        "error": None,
        "reason": None,
        "retry_at": None,
        "deadline_at": None,
        "cancelled_by": None,
        "blocked_by": None,
        "progress": None,
        "parents": [],
        "units": None,
    }
    return run | more


def make_backfill(job: str, identity: str = "0a1b", **more: Any) -> dict[str, Any]:
    """A backfill of an hour, just begun."""
    backfill: dict[str, Any] = {
        "id": identity,
        "job": job,
        "from": "2026-11-20T07:00:00Z",
        "to": "2026-11-20T08:00:00Z",
        "order": "oldest",
        "concurrency": 1,
        "ignore_overlap": False,
        "state": "active",
        "occurrences": 60,
        "remaining": 59,
        "active": [f"20261120T070000Z~backfill-{identity}"],
        "ended": {},
        "created_at": "2026-11-20T08:30:00Z",
        "created_by": "admin",
        "finished_at": None,
        "reason": None,
    }
    return backfill | more


def coming_run(at: str, local: str = "", **more: Any) -> dict[str, Any]:
    """A run to come; its clocks are those of UTC unless `local` says otherwise."""
    run = {
        "at": at,
        "local": local or at.replace("Z", "+00:00"),
        "starts_at": at,
        "moved": False,
        "moved_from": None,
        "note": None,
    }
    return run | more


def make_preview(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"items": list(items), "blocked": [], "skipped": [], "diff": None} | more


def make_coming(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    meaning = {"description": "Every hour", "timezone": "UTC", "dialect": "vixie"}
    coming: dict[str, Any] = {"items": list(items), "blocked": [], "skipped": [], "idle_because": None}
    return meaning | coming | more


def finding(first: str, kind: str = "not_yet_due", **more: Any) -> dict[str, Any]:
    nothing = ("run", "revision", "until", "ended_by", "policy", "calendar", "moved_to", "before", "after", "ticks")
    said: dict[str, Any] = {"kind": kind, "first": first, "last": first, "times": 1, "text": "not yet due"}
    return said | dict.fromkeys(nothing) | more
