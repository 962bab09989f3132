"""APScheduler 3 with its jobs in PostgreSQL: `MINUTEHAND_SERVER=… python -m benchmarks.precision.apscheduler_baseline TARGET 200`."""

from __future__ import annotations

import os
import sys
from datetime import UTC

from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.blocking import BlockingScheduler
from apscheduler.triggers.cron import CronTrigger

from benchmarks.precision.lateness import call, seconds


def main(target: str, jobs: int) -> None:
    """Save the jobs and run them until the process is ended."""
    scheduler = BlockingScheduler(
        timezone=UTC, jobstores={"default": SQLAlchemyJobStore(url=os.environ["MINUTEHAND_SERVER"])}
    )
    for number, second in enumerate(seconds(jobs)):
        trigger = CronTrigger(second=second, timezone=UTC)
        scheduler.add_job(call, trigger, args=[f"{target}/{second}"], id=f"job-{number:03d}")
    scheduler.start()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
