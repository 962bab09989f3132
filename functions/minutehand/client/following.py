"""Follow the runs of a job, each when it is due and after each change of its state; wait for the end of a run or a backfill."""

import time
from collections.abc import Callable, Generator, Iterator
from datetime import UTC, datetime

from minutehand.client.api import Client
from minutehand.client.calls import take
from minutehand.client.errors import NotFound, StillRunning
from minutehand.client.models import FINISHED, Backfill, Run

DEEP_EVERY = 15
"""Minimum number of polls between two polls that read all runs since following began."""

LONG_RUNNERS_A_POLL = 25
"""Maximum number of old unfinished runs fetched by id in one poll."""

FIRST_WAIT = 0.25
LONGEST_WAIT = 2.0


def _utc_now() -> datetime:
    return datetime.now(UTC)


class RunFollower:
    """Polls a job's runs and returns those that are new or changed, and due at `now()` (aware).

    A tick claims runs ahead of their instants. Such a run is left out until its instant, or until it has left the queue.

    A poll reads pages of runs, newest first, up to a page with only finished runs that the follower already knows. So it reads
    any number of new runs. But runs may appear out of order: a triggered run is older than the runs that a tick has claimed
    ahead, and a catch-up claims old occurrences. So at most one poll in `DEEP_EVERY` is a deep one, which reads all runs since
    following began. The more pages a deep poll reads, the later the next one comes, which keeps the average number of calls
    per poll constant. Unfinished runs that a poll did not read are fetched by id.

    Runs older than those of the first poll are not reported.
    """

    def __init__(self, client: Client, job: str, *, first: int = 20, now: Callable[[], datetime] = _utc_now) -> None:
        self._client = client
        self._job = job
        self._now = now
        self._first = first
        self._known: dict[str, tuple[str, int | None]] = {}
        self._unfinished: dict[str, None] = {}
        self._floor: str | None = None
        self._until_deep = DEEP_EVERY

    def poll(self) -> list[Run]:
        """Runs that became due, appeared or changed since the last poll, oldest first. The first poll returns the newest `first` runs."""
        if self._floor is None:
            return self._start()
        now = self._now()
        deep = self._until_deep <= 0
        seen: dict[str, Run] = {}
        read = 0
        for page in self._client.run_pages(self._job):
            read += 1
            runs = [run for run in page["items"] if run["run_id"] >= self._floor]
            seen.update((run["run_id"], run) for run in runs if is_due(run, now))
            if len(runs) < len(page["items"]) or (not deep and all(self._is_settled(run) for run in runs)):
                break
        self._until_deep = max(DEEP_EVERY, 2 * read) if deep else self._until_deep - 1
        for run_id in [each for each in self._unfinished if each not in seen][:LONG_RUNNERS_A_POLL]:
            self._unfinished.pop(run_id)
            try:
                seen[run_id] = self._client.run(self._job, run_id)
            except NotFound:
                continue
        return self._changed(seen)

    def _start(self) -> list[Run]:
        now = self._now()
        page = take(
            lambda limit, cursor: self._client.runs_page(self._job, limit=limit, cursor=cursor),
            limit=self._first,
            keep=lambda run: is_due(run, now),
        )
        runs = {run["run_id"]: run for run in page["items"]}
        self._floor = min(runs, default="") if page["next"] is not None else ""
        return self._changed(runs)

    def _is_settled(self, run: Run) -> bool:
        return run["state"] in FINISHED and self._known.get(run["run_id"]) == _mark(run)

    def _changed(self, runs: dict[str, Run]) -> list[Run]:
        changed = []
        for run_id, run in sorted(runs.items()):
            if self._known.get(run_id) != _mark(run):
                self._known[run_id] = _mark(run)
                changed.append(run)
            if run["state"] in FINISHED:
                self._unfinished.pop(run_id, None)
            else:
                self._unfinished[run_id] = None
        return changed


def follow_runs(
    client: Client,
    job: str,
    *,
    first: int = 20,
    every: float = 2.0,
    sleep: Callable[[float], None] = time.sleep,
    now: Callable[[], datetime] = _utc_now,
) -> Generator[Run, None, None]:
    """Yield the newest `first` due runs, oldest first, then forever each run that becomes due or changes; polls every `every` seconds."""
    follower = RunFollower(client, job, first=first, now=now)
    while True:
        yield from follower.poll()
        sleep(every)


def is_due(run: Run, now: datetime) -> bool:
    """Whether the run may start at `now` (aware), or has left the queue: a tick claims runs up to two minutes ahead, and they wait
    in the queue until their instant.

    A run claimed at or after its instant, such as a triggered one, is due by the service's clock, whatever `now` is.
    """
    if run["state"] != "queued":
        return True
    instant = _instant(run.get("starts_at") or run.get("scheduled_for"))
    if instant is None or instant <= now:
        return True
    claimed = _instant(run.get("claimed_at"))
    return claimed is not None and instant <= claimed


def wait_for_run(
    client: Client,
    run: Run,
    *,
    timeout: float,
    sleep: Callable[[float], None] = time.sleep,
    monotonic: Callable[[], float] = time.monotonic,
    on_poll: Callable[[Run], object] = lambda _: None,
) -> Run:
    """Poll the run until it has ended, for at most `timeout` seconds; returns its last record. Each record goes to `on_poll`.

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
        on_poll(run)
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


def _instant(text: str | None) -> datetime | None:
    try:
        instant = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return instant if instant.tzinfo is not None else None


def _mark(run: Run) -> tuple[str, int | None]:
    return run["state"], run.get("attempt")
