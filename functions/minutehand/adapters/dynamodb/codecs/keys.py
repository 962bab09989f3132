"""Keys of the Jobs table: `pk` and `sk` of every kind of item in it."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.domain.instants import from_text, to_text

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.calendar import CalendarKey
    from minutehand.domain.job_key import JobKey
    from minutehand.domain.overlap_lock import PermitKey
    from minutehand.domain.run import RunKey

CALENDAR = "CALENDAR#"
NAMESPACE = "NAMESPACE#"
SETTINGS = "SETTINGS"
JOB = "JOB#"
TICKS = "TICKS#"
TIMER = "TIMER"
DEADLINE = "DEADLINE#"
RECHECK = "RECHECK#"
REVISION = "REVISION#"
SKIPPED = "SKIPPED#"
BACKFILL = "BACKFILL#"


def key(pk: str, sk: str) -> Item:
    """The key of an item."""
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def definition(job: JobKey) -> Item:
    """Of a job's definition; it stays, as a tombstone, when the job is deleted."""
    return key(f"{JOB}{job}", "DEFINITION")


def read_job(item: ReadItem) -> JobKey:
    """The job that an item belongs to: of its own partition, or of its namespace's list."""
    from minutehand.domain.job_key import JobKey  # noqa: PLC0415 - keys alone are read without it

    pk, sk = item["pk"]["S"], item["sk"]["S"]
    if pk.startswith(NAMESPACE):
        return JobKey(namespace=pk.removeprefix(NAMESPACE), name=sk.removeprefix(JOB))
    return JobKey.of(pk.removeprefix(JOB))


def past(job: JobKey, revision: int) -> Item:
    """Of a revision in a job's history; by number, in order up to ten million of them."""
    return key(f"{JOB}{job}", f"{REVISION}{revision:07d}")


def timer(job: JobKey) -> Item:
    """Of a job's own timer."""
    return key(f"{JOB}{job}", TIMER)


def deadline(run: RunKey) -> Item:
    """Of a run's deadline."""
    return key(f"{JOB}{run.job}", f"{DEADLINE}{run.run_id}")


def recheck(job: JobKey, after: datetime, until: datetime) -> Item:
    """Of a recheck: the range is all in the key, so that it cannot be damaged apart from it."""
    return key(f"{JOB}{job}", f"{RECHECK}{to_text(after)}#{to_text(until)}")


def backfill(job: JobKey, identity: str) -> Item:
    """Of a backfill, which is its own watchdog timer as long as it goes on."""
    return key(f"{JOB}{job}", f"{BACKFILL}{identity}")


def permit(named: PermitKey) -> Item:
    """Of a permit: beside its job; those of a namespace have a partition each."""
    if isinstance(named.owner, str):
        return key(f"{NAMESPACE}{named.owner}#{named.name}", "PERMIT")
    return key(f"{JOB}{named.owner}", named.name)


def skipped(job: JobKey, first: datetime) -> Item:
    """Of the record of a skipped range."""
    return key(f"{JOB}{job}", f"{SKIPPED}{to_text(first)}")


def idempotency(job: JobKey, idempotency_key: str) -> Item:
    """Of the record that an idempotency key was used; hashed, since callers choose how long it is."""
    return key(f"{JOB}{job}", f"IDEMPOTENCY#{hashlib.sha256(idempotency_key.encode()).hexdigest()}")


def settings(namespace: str) -> Item:
    """Of a namespace's settings."""
    return key(f"{NAMESPACE}{namespace}", SETTINGS)


def read_settings(item: ReadItem) -> str:
    """The namespace that settings are of."""
    return item["pk"]["S"].removeprefix(NAMESPACE)


def listed(job: JobKey) -> Item:
    """Of a job's entry in its namespace's list."""
    return key(f"{NAMESPACE}{job.namespace}", f"{JOB}{job.name}")


def calendar(named: CalendarKey) -> Item:
    """Of a calendar; it is its own entry in its namespace's list."""
    return key(f"{NAMESPACE}{named.namespace}", f"{CALENDAR}{named.name}")


def namespace(name: str) -> Item:
    """Of a namespace's entry in the list of them."""
    return key("NAMESPACES", name)


def token(digest: str) -> Item:
    """Of a token."""
    return key(f"TOKEN#{digest}", "TOKEN")


def graph() -> Item:
    """Of the row that counts the changes of dependencies."""
    return key("DEPENDENCIES", "GRAPH")


def renewal() -> Item:
    """Of the row that says how far the timers follow the newest time zone data."""
    return key("RENEWAL", "TZDATA")


def layout() -> Item:
    """Of the row that says how timers are spread over the shards of the index `due`."""
    return key("SHARDS", "LAYOUT")


def tick(minute: datetime) -> Item:
    """Of the row that says a tick was here in a minute."""
    stamp = to_text(minute)
    return key(f"{TICKS}{stamp[:10]}", stamp[11:16])


def read_tick(item: ReadItem) -> datetime:
    """The minute that the row of a tick is of."""
    return from_text(f"{item['pk']['S'].removeprefix(TICKS)}T{item['sk']['S']}:00Z")
