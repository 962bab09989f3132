"""Celery's beat with Redis: `MINUTEHAND_SERVER=… python -m benchmarks.dispatch.celery_baseline 2000 20`."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from datetime import timedelta

from celery import Celery
from celery.beat import PersistentScheduler
from celery.schedules import crontab
from redis import Redis

from benchmarks.dispatch.rounds import Round, serve, timed

QUEUE = "celery"
"""The default queue."""


class Baseline:
    """So many entries, all due at once in each round; a round ends after `limit` seconds."""

    def __init__(self, url: str, load: int, limit: float, folder: str) -> None:
        self._load = load
        self.limit = limit
        self._redis = Redis.from_url(url)
        app = Celery("benchmark", broker=url)
        app.conf.timezone = "Europe/Berlin"
        app.conf.beat_schedule = {
            f"report-{number:04d}": {
                "task": "benchmark.close",
                "schedule": crontab(),
                "kwargs": {"ledger": "main", "dry_run": False},
            }
            for number in range(load)
        }
        self._beat = PersistentScheduler(app=app, schedule_filename=f"{folder}/celerybeat-schedule")
        # Beat writes its file every three minutes, which only some rounds would include.
        self._beat.sync_every = float("inf")
        self._beat.tick()  # reads its whole schedule

    def play(self) -> Round:
        """Make all entries due, and time beat's loop.

        Raises:
            RuntimeError: when Redis does not hold what beat sent.
        """
        for entry in self._beat.schedule.values():
            entry.last_run_at -= timedelta(minutes=5)
        self._beat.populate_heap()
        self._redis.delete(QUEUE)
        done = timed(self._turns)
        held = self._redis.llen(QUEUE)
        if held != done.sent:
            raise RuntimeError(f"of {done.sent} messages that beat sent, Redis holds {held}")
        return done

    def close(self) -> None:
        """Close beat's file."""
        self._beat.close()

    def _turns(self) -> int:
        """Beat's loop, until all are sent or time is up."""
        until = time.perf_counter() + self.limit
        turns = 0
        while turns < self._load and time.perf_counter() < until:
            if not self._beat.tick():  # sends one entry; 0 means that the next is due now
                turns += 1
        return turns


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="minutehand-bench-") as place:
        baseline = Baseline(os.environ["MINUTEHAND_SERVER"], int(sys.argv[1]), limit=1, folder=place)
        baseline.play()  # warms the connection and writes the file
        baseline.limit = float(sys.argv[2])
        serve(baseline.play)
        baseline.close()
