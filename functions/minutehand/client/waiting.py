"""Wait for the end of a run or a backfill."""

import time
from collections.abc import Callable, Iterator

from minutehand.client.api import Client
from minutehand.client.errors import StillRunning
from minutehand.client.models import FINISHED, Backfill, Run

FIRST_WAIT = 0.25
LONGEST_WAIT = 2.0


def wait_for_run(
    client: Client,
    run: Run,
    *,
    timeout: float,
    sleep: Callable[[float], None] = time.sleep,
    monotonic: Callable[[], float] = time.monotonic,
) -> Run:
    """Poll the run until it has ended, for at most `timeout` seconds; returns its last record.

    Raises StillRunning at the timeout, which does not affect the run.
    """
    ends = monotonic() + timeout
    pause = FIRST_WAIT
    while run["state"] not in FINISHED:
        left = ends - monotonic()
        if left <= 0:
            raise StillRunning(
                f"run {run['run_id']} of {run['job']} is still {run['state']}",
                run=run,
                hint=f"it continues; `minutehand run {run['job']} {run['run_id']}` shows how it ends",
            )
        sleep(min(pause, left))
        pause = min(pause * 2, LONGEST_WAIT)
        run = client.run(run["job"], run["run_id"])
    return run


def follow_backfill(
    client: Client,
    backfill: Backfill,
    *,
    timeout: float | None = None,
    every: float = LONGEST_WAIT,
    sleep: Callable[[float], None] = time.sleep,
    monotonic: Callable[[], float] = time.monotonic,
) -> Iterator[Backfill]:
    """Yield the backfill, and again after each change, polling every `every` seconds until it has finished.

    Stops after `timeout` seconds, which does not affect the backfill.
    """
    ends = None if timeout is None else monotonic() + timeout
    yield backfill
    while backfill["finished_at"] is None:
        left = every if ends is None else ends - monotonic()
        if left <= 0:
            return
        sleep(min(every, left))
        now = client.get_backfill(backfill["job"], backfill["id"])
        if now != backfill:
            yield now
        backfill = now
