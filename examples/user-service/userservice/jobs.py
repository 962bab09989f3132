"""The jobs of the service: schedules beside code that the service has anyway.

Each may be repeated: it counts from the instant of its run, not from now, and finds nothing left to do the second time.
"""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from psycopg import Connection
from psycopg.rows import TupleRow

from minutehand import App, Context, job
from userservice import api_secrets, audit, users
from userservice.database import Pool, pool

ZONE = ZoneInfo("Europe/Paris")
"""Where a day of these rules begins and ends."""

app = App(
    "userservice",
    timezone=ZONE.key,
    owner="accounts team",
    timeout=timedelta(minutes=10),
    retry={"max_attempts": 3, "backoff": {"initial": "30s"}},
    catch_up="latest",  # after an outage, one run does what all missed ones would have done
)


@app.init
def connect() -> Pool:
    """Give the runs the pool that this process has anyway."""
    return pool()


@job("clean", schedule="0 3 * * *", payload={"days": 90})
def clean(context: Context, days: int, batch: int = 1000) -> dict[str, object]:
    """Delete entries of the audit log that are older than some days."""
    before = days_before(context.scheduled_for, days)
    deleted = in_batches(context, batch, lambda connection: audit.delete_before(connection, before=before, most=batch))
    return {"deleted": deleted, "before": before.isoformat()}


@job("inactive-users", schedule="30 3 * * *", payload={"days": 180})
def inactive_users(context: Context, days: int, batch: int = 1000) -> dict[str, object]:
    """Disable users who have not logged in for some days."""
    since = days_before(context.scheduled_for, days)
    disabled = in_batches(context, batch, lambda connection: users.disable_unseen(connection, since=since, most=batch))
    return {"disabled": disabled, "since": since.isoformat()}


@job("expired-secrets", schedule="*/15 * * * *")
def expired_secrets(context: Context, batch: int = 1000) -> dict[str, int]:
    """Revoke secrets that have expired."""
    at = context.scheduled_for
    return {"revoked": in_batches(context, batch, lambda found: api_secrets.revoke_expired(found, at=at, most=batch))}


def days_before(instant: datetime, days: int) -> datetime:
    """The midnight in the rules' time zone with which the day begins that was some days before an instant's day.

    Days of 23 and 25 hours count as days, so a job at any hour of the day gives the same.
    """
    if days < 1:
        raise ValueError(f"days is {days}; write 1 or more, since 0 would also take what is of today")
    day = instant.astimezone(ZONE).date() - timedelta(days=days)
    return datetime.combine(day, time.min, ZONE)


def in_batches(context: Context, batch: int, work: Callable[[Connection[TupleRow]], int]) -> int:
    """Do work until a batch is not full, each in a transaction of its own; returns the number of rows.

    Small transactions hold locks shortly, and what is done stays done when the run is cancelled or its process dies.
    """
    if batch < 1:
        raise ValueError(f"batch is {batch}; write 1 or more")
    done = 0
    while not context.cancelled:
        with context.state.connection() as connection:
            rows = work(connection)
        done += rows
        context.progress(text=f"{done} rows")
        if rows < batch:
            break
    return done
