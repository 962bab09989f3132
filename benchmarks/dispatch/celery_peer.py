"""Celery's beat with Redis, a program of its own: `MINUTEHAND_SERVER=… python -m benchmarks.dispatch.celery_peer 2000 20`."""

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

from benchmarks.dispatch.clocked import Round, serve, timed

QUEUE = "celery"
"""Where a message goes that names no other queue."""


class Peer:
    """So many entries, all due at the same moment in each round, of which as many are sent as time allows.

    Attributes:
        limit: seconds after which a round ends wherever it is.
    """

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
        # Its file is written at the first sending and every three minutes after, which a round of a few seconds would have in it or not.
        self._beat.sync_every = float("inf")
        self._beat.tick()  # it looks at its whole schedule

    def play(self) -> Round:
        """Have all entries due, and time the turns of beat's loop that send them.

        Raises:
            RuntimeError: when the broker does not hold what was sent.
        """
        for entry in self._beat.schedule.values():
            entry.last_run_at -= timedelta(minutes=5)
        # As the heap of a beat is that was there when the minute came.
        self._beat.populate_heap()
        self._redis.delete(QUEUE)
        done = timed(self._turns)
        held = self._redis.llen(QUEUE)
        if held != done.sent:
            raise RuntimeError(f"of {done.sent} messages that beat sent, Redis holds {held}")
        return done

    def close(self) -> None:
        """Leave its file as beat leaves it."""
        self._beat.close()

    def _turns(self) -> int:
        """Beat's own loop, as long as it is to send."""
        until = time.perf_counter() + self.limit
        turns = 0
        while turns < self._load and time.perf_counter() < until:
            if not self._beat.tick():  # each sends one, and says that the next is due at once
                turns += 1
        return turns


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="minutehand-bench-") as place:
        peer = Peer(os.environ["MINUTEHAND_SERVER"], int(sys.argv[1]), limit=1, folder=place)
        peer.play()  # once beforehand, for what is made at the first use: a connection, the file's first writing
        peer.limit = float(sys.argv[2])
        serve(peer.play)
        peer.close()
