"""APScheduler 3 with its jobs in PostgreSQL, a program of its own: `MINUTEHAND_SERVER=… python -m benchmarks.dispatch.apscheduler_peer 2000`."""

from __future__ import annotations

import os
import pickle
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from apscheduler.job import Job
from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.base import BaseScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.util import datetime_to_utc_timestamp
from sqlalchemy import func, select, text

from benchmarks.dispatch import handed
from benchmarks.dispatch.clocked import Round, serve, timed

MINUTE = timedelta(minutes=1)


class Turns(BaseScheduler):  # type: ignore[misc]  # the library has no types
    """A scheduler as the blocking one is, whose loop's single turns are taken by hand."""

    def wakeup(self) -> None:
        """Nothing: a turn is taken when it is to be timed."""

    def shutdown(self, wait: bool = True) -> None:  # noqa: FBT001, FBT002 - the library's signature
        """As any scheduler's."""
        super().shutdown(wait)

    def turn(self) -> None:
        """What the loop of a scheduler does each time it wakes up."""
        self._process_jobs()


class Peer:
    """So many jobs, all due at the same minute in each round.

    Attributes:
        load: how many.
    """

    def __init__(self, url: str, load: int) -> None:
        self.load = load
        self._store = SQLAlchemyJobStore(url=url)
        self._scheduler = Turns(timezone=UTC)
        self._scheduler.add_jobstore(self._store)
        self._scheduler.start()

    def play(self) -> Round:
        """Have all jobs due, and time the turn that hands them over and moves them on.

        Raises:
            RuntimeError: when a job did not run, or was not moved on.
        """
        while True:
            due = datetime.now(UTC).replace(second=0, microsecond=0)
            self._fill(due)
            if datetime.now(UTC) < due + MINUTE - timedelta(seconds=1):
                break
            # Whatever is filled in while a minute ends would be due twice; the next one has room.
        handed.RAN.clear()
        done = timed(self._turn)
        moved = self._moved(due)
        if not done.sent == moved == self.load:
            raise RuntimeError(f"of {self.load} jobs {done.sent} ran and {moved} were moved on")
        return done

    def _turn(self) -> int:
        self._scheduler.turn()
        while len(handed.RAN) < self.load:  # what the last threads of the pool still have in hand
            time.sleep(0.001)
        return len(handed.RAN)

    def _fill(self, due: datetime) -> None:
        """The rows that `add_job` writes, all at once."""
        jobs = self._store.jobs_t
        rows = [self._row(number, due) for number in range(self.load)]
        with self._store.engine.begin() as connection:
            connection.execute(text(f"TRUNCATE {jobs.name}"))
            connection.execute(jobs.insert(), rows)

    def _row(self, number: int, due: datetime) -> dict[str, Any]:
        job = Job(
            self._scheduler,
            id=f"benchmark/report-{number:04d}",
            name=f"report-{number:04d}",
            trigger=CronTrigger.from_crontab("* * * * *", timezone="Europe/Berlin"),
            executor="default",
            func=handed.run,
            args=(),
            kwargs={"ledger": "main", "dry_run": False},
            # Its own default is one second, and more than that passes between the first of many jobs and the last.
            misfire_grace_time=None,
            coalesce=True,
            max_instances=1,
            next_run_time=due,
        )
        return {
            "id": job.id,
            "next_run_time": datetime_to_utc_timestamp(due),
            "job_state": pickle.dumps(job.__getstate__(), self._store.pickle_protocol),
        }

    def _moved(self, due: datetime) -> int:
        jobs = self._store.jobs_t
        later = select(func.count()).where(jobs.c.next_run_time > datetime_to_utc_timestamp(due))
        with self._store.engine.begin() as connection:
            return int(connection.execute(later).scalar_one())


if __name__ == "__main__":
    peer = Peer(os.environ["MINUTEHAND_SERVER"], load=100)
    peer.play()  # once beforehand with a few, for what is made at the first use: threads, a connection, caches
    peer.load = int(sys.argv[1])
    serve(peer.play)
