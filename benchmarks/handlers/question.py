"""The question `handlers`: processor time of a Python handler's run, beside the bare request of its report."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import urllib3

from benchmarks import http_target
from benchmarks.table import Table
from benchmarks.timing import ROUNDS, Contender, asking, durations
from minutehand import App, Context, job, lambda_handler

MOST = 1.0
"""Milliseconds beyond the report."""
_TOKEN = "a" * 43
_REPORT = "report alone, by urllib3"

app = App(__name__)


@job("plain")
def plain(context: Context, day: date, tables: list[str]) -> dict[str, object]:
    """A handler that does nothing with its arguments."""
    return {"day": day.isoformat(), "tables": len(tables), "attempt": context.attempt}


@job("async")
async def asynchronous(context: Context, day: date, tables: list[str]) -> dict[str, object]:
    """The same in the event loop."""
    return {"day": day.isoformat(), "tables": len(tables), "attempt": context.attempt}


class _LambdaContext:
    def get_remaining_time_in_millis(self) -> int:
        """The time limit of a function."""
        return 900_000


def tables() -> list[Table]:
    """All tables of the question."""
    with http_target.in_own_process() as service:
        handle = lambda_handler(app)
        taken = durations(
            {
                _REPORT: _repeated(_bare(service)),
                "a handler and its report": _repeated(lambda: handle(_event(service, "plain"), _LambdaContext())),
                "an async handler and its report": _repeated(
                    lambda: handle(_event(service, "async"), _LambdaContext())
                ),
            }
        )
    report = taken.pop(_REPORT)
    beyond = {name: (seconds - report) * 1000 for name, seconds in taken.items()}
    return [
        Table(
            title="Processor time of a handler's run",
            goal=f"a handler takes at most {MOST:g} ms beyond its report",
            holds=max(beyond.values()) <= MOST,
            columns=("what", "ms a run", "ms beyond the report"),
            rows=(
                (_REPORT, report * 1000, None),
                *((name, taken[name] * 1000, beyond[name]) for name in taken),
            ),
            notes=(
                (
                    f"Medians of {ROUNDS} rounds. An event with two arguments goes through the adapter of Lambda functions: payload checked, "
                    "log middleware (its lines are not written), heartbeat thread, result checked, one report to a service that answers at once."
                ),
                "The bare request sends the same report with urllib3 alone. Each request opens a new connection.",
            ),
        )
    ]


def _repeated(ask: Callable[[], object]) -> Contender:
    return asking(None, lambda _: ask())


def _bare(service: str) -> Callable[[], object]:
    pool = urllib3.PoolManager()
    result = {"day": "2026-11-20", "tables": 2, "attempt": 1}
    body = json.dumps({"state": "succeeded", "result": result}).encode()
    headers = {"Accept": "application/json", "Content-Type": "application/json", "Authorization": f"Bearer {_TOKEN}"}
    return lambda: json.loads(
        pool.request("POST", f"{service}/v1/callbacks/a/plain/x/1/report", body=body, headers=headers).data
    )


def _event(service: str, name: str) -> dict[str, Any]:
    return {
        "job": f"benchmark/{name}",
        "run_id": "20261120T020000Z",
        "attempt": 1,
        "scheduled_for": "2026-11-20T02:00:00Z",
        "deadline": "2126-11-20T02:00:00Z",
        "payload": {"day": "2026-11-20", "tables": ["orders", "stock"]},
        "callback": {"url": f"{service}/v1/callbacks/a/{name}/x/1", "token": _TOKEN},
        "sent_at": datetime.now(UTC).isoformat(),
    }
