"""The app of `celery beat` and `celery worker`.

Environment: the broker's URL (MINUTEHAND_SERVER), the target's (MINUTEHAND_TARGET) and the number of jobs (MINUTEHAND_JOBS).
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

from celery import Celery

from benchmarks.precision.lateness import MINUTE, call, seconds

START = 20.0
"""Seconds for beat to start before the first entry is due."""

app = Celery("benchmark", broker=os.environ["MINUTEHAND_SERVER"])
app.conf.task_ignore_result = True
app.conf.broker_connection_retry_on_startup = True


@app.task(name="benchmark.call")  # type: ignore[untyped-decorator]  # the library has no types
def call_target(url: str) -> None:
    """Call a target."""
    call(url)


def _entries(target: str, jobs: int, first: float) -> dict[str, object]:
    """Entries due once a minute at their seconds, from `first` on.

    Celery's crontab has no seconds. An interval counts from the last run, so an entry that starts late stays late.
    """
    return {
        f"job-{number:03d}": {
            "task": "benchmark.call",
            "schedule": MINUTE,
            "args": [f"{target}/{second}"],
            "last_run_at": datetime.fromtimestamp(first + (second - first) % MINUTE - MINUTE, tz=UTC),
        }
        for number, second in enumerate(seconds(jobs))
    }


app.conf.beat_schedule = _entries(
    os.environ["MINUTEHAND_TARGET"], int(os.environ["MINUTEHAND_JOBS"]), float(int(time.time() + START))
)
