"""Keys of the Jobs table: `pk` and `sk` of every kind of item in it."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.adapters.sharding import bucket_of
from minutehand.domain.instants import from_text, to_text

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.calendar import CalendarKey
    from minutehand.domain.job_key import JobKey
    from minutehand.domain.node import NodeKey, PoolKey
    from minutehand.domain.overlap_lock import PermitKey
    from minutehand.domain.run_key import RunKey
    from minutehand.domain.service import ServiceKey

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
WATCHLISTS = "WATCHLISTS#"
BUCKET = "STAY#"
SERVICE = "SERVICE#"
TOKENS = "TOKENS"
TOKENS_IDS = "t-"
AUDIT = "AUDIT#"
NODES = "NODES#"
NODE = "NODE#"
POOLS = "POOLS"


def key(pk: str, sk: str) -> Item:
    """The key of an item with these values of `pk` and `sk`."""
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def definition(job: JobKey) -> Item:
    """Key of a job's definition; it remains as a tombstone when the job is deleted."""
    return key(f"{JOB}{job}", "DEFINITION")


def read_job(item: ReadItem) -> JobKey:
    """The job of an item, in the job's partition, in its namespace's list, or in a bucket."""
    from minutehand.domain.job_key import JobKey  # noqa: PLC0415 - keys alone are read without it

    pk, sk = item["pk"]["S"], item["sk"]["S"]
    if pk.startswith(NAMESPACE):
        return JobKey(namespace=pk.removeprefix(NAMESPACE), name=sk.removeprefix(JOB))
    if pk.startswith(BUCKET):
        return JobKey.of(sk)
    return JobKey.of(pk.removeprefix(JOB))


def past(job: JobKey, revision: int) -> Item:
    """Key of a revision in a job's history; sorts by number, up to ten million."""
    return key(f"{JOB}{job}", f"{REVISION}{revision:07d}")


def timer(job: JobKey, *, packed: bool = False) -> Item:
    """Key of a job's own timer. A packed one is in the job's bucket."""
    if packed:
        return key(bucket(bucket_of(job)), str(job))
    return key(f"{JOB}{job}", TIMER)


def bucket(number: int) -> str:
    """Partition key of a bucket of packed timers."""
    return f"{BUCKET}{number}"


def deadline(run: RunKey) -> Item:
    """Key of a run's deadline."""
    return key(f"{JOB}{run.job}", f"{DEADLINE}{run.run_id}")


def recheck(job: JobKey, after: datetime, until: datetime) -> Item:
    """Key of a recheck. The key contains the whole range, so no attribute can contradict it."""
    return key(f"{JOB}{job}", f"{RECHECK}{to_text(after)}#{to_text(until)}")


def backfill(job: JobKey, identity: str) -> Item:
    """Key of a backfill. While active, its item is also its watchdog timer."""
    return key(f"{JOB}{job}", f"{BACKFILL}{identity}")


def permit(named: PermitKey) -> Item:
    """Key of a permit: in its job's partition; each permit of a namespace has its own partition."""
    if isinstance(named.owner, str):
        return key(f"{NAMESPACE}{named.owner}#{named.name}", "PERMIT")
    return key(f"{JOB}{named.owner}", named.name)


def skipped(job: JobKey, first: datetime) -> Item:
    """Key of the record of a skipped range."""
    return key(f"{JOB}{job}", f"{SKIPPED}{to_text(first)}")


def idempotency(job: JobKey, idempotency_key: str) -> Item:
    """Key of the record that an idempotency key was used; hashed, since callers choose its length."""
    return key(f"{JOB}{job}", f"IDEMPOTENCY#{hashlib.sha256(idempotency_key.encode()).hexdigest()}")


def settings(namespace: str) -> Item:
    """Key of a namespace's settings."""
    return key(f"{NAMESPACE}{namespace}", SETTINGS)


def job_count(namespace: str) -> Item:
    """Key of the number of a namespace's jobs, where a quota limits it; in a partition of its own, since each new job writes it."""
    return key(f"{NAMESPACE}{namespace}#COUNT", "JOBS")


def pace(namespace: str) -> Item:
    """Key of the places in minutes that a namespace's quota gives out; in a partition of its own, since each run writes it."""
    return key(f"{NAMESPACE}{namespace}#PACE", "MINUTES")


def listed(job: JobKey) -> Item:
    """Key of a job's entry in its namespace's list."""
    return key(f"{NAMESPACE}{job.namespace}", f"{JOB}{job.name}")


def calendar(named: CalendarKey) -> Item:
    """Key of a calendar; its item is also its entry in its namespace's list."""
    return key(f"{NAMESPACE}{named.namespace}", f"{CALENDAR}{named.name}")


def balance(job: JobKey) -> Item:
    """Key of the state of a job's endpoints."""
    return key(f"{JOB}{job}", "ENDPOINTS")


def service(named: ServiceKey) -> Item:
    """Key of a service, with the endpoints that registered themselves."""
    return key(f"{NAMESPACE}{named.namespace}", f"{SERVICE}{named.name}")


def node(named: NodeKey) -> Item:
    """Key of a node; the nodes of a namespace share a partition, in which those of a pool are together."""
    return key(f"{NODES}{named.pool.namespace}", f"{NODE}{named.pool.name}#{named.name}")


def pool(named: PoolKey) -> Item:
    """Key of a pool's entry in the list of pools."""
    return key(POOLS, str(named))


def audits(namespace: str, job: str = "") -> str:
    """Partition key of the records of the changes of a namespace, or of one of its jobs. No role may change what is in such partitions."""
    return f"{AUDIT}{namespace}/{job}" if job else f"{AUDIT}{namespace}"


def namespace(name: str) -> Item:
    """Key of a namespace's entry in the list of namespaces."""
    return key("NAMESPACES", name)


def token(digest: str) -> Item:
    """Key of a token."""
    return key(f"TOKEN#{digest}", "TOKEN")


def listed_token(token_id: str) -> Item:
    """Key of a token's entry in the list of tokens."""
    return key(TOKENS, token_id)


def token_key(idempotency_key: str) -> Item:
    """Key of the record that an idempotency key made a token."""
    return key(TOKENS, f"KEY#{hashlib.sha256(idempotency_key.encode()).hexdigest()}")


def stack_answer(digest: str) -> Item:
    """Key of an answer to CloudFormation."""
    return key(f"CLOUDFORMATION#{digest}", "ANSWER")


def graph() -> Item:
    """Key of the item that counts changes of dependencies."""
    return key("DEPENDENCIES", "GRAPH")


def renewal() -> Item:
    """Key of the item with the progress of renewing timers after new time zone data."""
    return key("RENEWAL", "TZDATA")


def layout() -> Item:
    """Key of the item with the layout of the shards of the index `due`."""
    return key("SHARDS", "LAYOUT")


def sweep_progress() -> Item:
    """Key of the item that says how far the sweep has looked."""
    return key("SWEEP", "PROGRESS")


def unpacking(bucket: int) -> Item:
    """Key of the item that says where the sweep goes on in a bucket of packed timers."""
    return key("SWEEP", f"{BUCKET}{bucket}")


def watchlist(partition: int, look_at: datetime, suffix: str) -> Item:
    """Key of a list of runs that the sweep looks at again; lists sort by the instant of that look, a whole second."""
    return key(f"{WATCHLISTS}{partition}", f"{to_text(look_at)}#{suffix}")


def tick(minute: datetime) -> Item:
    """Key of the record that a tick ran in a minute."""
    stamp = to_text(minute)
    return key(f"{TICKS}{stamp[:10]}", stamp[11:16])


def read_tick(item: ReadItem) -> datetime:
    """The minute of the record of a tick."""
    return from_text(f"{item['pk']['S'].removeprefix(TICKS)}T{item['sk']['S']}:00Z")
