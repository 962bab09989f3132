"""Follow a job's runs: each when it is due, and after each change of its state."""

import time
from collections.abc import Callable, Generator
from datetime import UTC, datetime

from minutehand.client.api import Client
from minutehand.client.due import is_due
from minutehand.client.errors import NotFound
from minutehand.client.models import FINISHED, Run
from minutehand.client.paging import take

DEEP_EVERY = 15
"""Minimum number of polls between two full reads."""

LONG_RUNNERS_A_POLL = 25
"""Maximum number of old unfinished runs fetched by id in one poll."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class RunFollower:
    """Polls a job's runs and returns those that are new or changed, and due at `now()` (aware).

    A run claimed ahead is left out until its instant, or until it has left the queue.

    A poll reads pages, newest first, until one holds only finished runs that it already knows, so it reads a burst of any size.
    Runs may appear out of order: a trigger's instant is earlier than those that the look-ahead has claimed, and a catch-up
    claims old ones. So at most every `DEEP_EVERY` polls one reads down to where following began; the longer that takes, the
    rarer it is, which keeps the number of calls per poll constant on average. Unfinished runs that a poll did not read are
    fetched by id.

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


def _mark(run: Run) -> tuple[str, int | None]:
    return run["state"], run.get("attempt")
