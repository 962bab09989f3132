"""APScheduler 3 with its jobs in PostgreSQL: `MINUTEHAND_SERVER=… python -m benchmarks.dispatch.apscheduler_baseline 2000`."""

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

from benchmarks.dispatch import rounds
from benchmarks.dispatch.rounds import Round, serve, timed

MINUTE = timedelta(minutes=1)


class ManualScheduler(BaseScheduler):  # type: ignore[misc]  # the library has no types
    """The blocking scheduler without its loop: each turn is called."""

    def wakeup(self) -> None:
        """Do nothing: turns are called."""

    def shutdown(self, wait: bool = True) -> None:  # noqa: FBT001, FBT002 - the library's signature
        """Stop the executors."""
        super().shutdown(wait)

    def turn(self) -> None:
        """One turn of the loop: hand over due jobs, and save their next times."""
        self._process_jobs()


class Baseline:
    """So many jobs, all due at the same minute in each round."""

    def __init__(self, url: str, load: int) -> None:
        self.load = load
        self._store = SQLAlchemyJobStore(url=url)
        self._scheduler = ManualScheduler(timezone=UTC)
        self._scheduler.add_jobstore(self._store)
        self._scheduler.start()

    def play(self) -> Round:
        """Make all jobs due, and time one turn.

        Raises:
            RuntimeError: when a job did not run, or was not saved.
        """
        while True:
            due = datetime.now(UTC).replace(second=0, microsecond=0)
            self._fill(due)
            if datetime.now(UTC) < due + MINUTE - timedelta(seconds=1):
                break
            # Rows written as a minute ends would be due twice: use the next minute.
        rounds.RAN.clear()
        done = timed(self._turn)
        saved = self._saved(due)
        if not done.sent == saved == self.load:
            raise RuntimeError(f"of {self.load} jobs {done.sent} ran and {saved} were saved")
        return done

    def _turn(self) -> int:
        self._scheduler.turn()
        while len(rounds.RAN) < self.load:  # threads of the pool
            time.sleep(0.001)
        return len(rounds.RAN)

    def _fill(self, due: datetime) -> None:
        """Write the rows that `add_job` writes, in one statement."""
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
            func=rounds.job,
            args=(),
            kwargs={"ledger": "main", "dry_run": False},
            # The default is one second; dispatching many jobs takes longer.
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

    def _saved(self, due: datetime) -> int:
        jobs = self._store.jobs_t
        later = select(func.count()).where(jobs.c.next_run_time > datetime_to_utc_timestamp(due))
        with self._store.engine.begin() as connection:
            return int(connection.execute(later).scalar_one())


if __name__ == "__main__":
    baseline = Baseline(os.environ["MINUTEHAND_SERVER"], load=100)
    baseline.play()  # warms threads, connection and caches
    baseline.load = int(sys.argv[1])
    serve(baseline.play)
