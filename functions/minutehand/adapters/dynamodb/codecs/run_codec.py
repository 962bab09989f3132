"""Runs and their own payloads as items of the Runs table. Fields with their default value are left out, so most items are small."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zlib import crc32

from minutehand.adapters.dynamodb.codecs.items import change_of, item_of, thing_of
from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, read_text, text
from minutehand.domain.instants import SECOND, to_compact
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.stores import Payload

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem

_NODES = "#nodes"
"""What follows the job in the partition of its runs on nodes, so that listing its runs does not read them; no job name contains a `#`."""
BUCKETS = 4
"""Partitions of the index `by_time` for each namespace and hour. Entries, which each name many runs, need only one."""


def key(run: RunKey) -> Item:
    """The key of a run."""
    return {"job": {"S": f"{run.job}{_NODES}" if run.on_node else str(run.job)}, "run_id": {"S": run.run_id}}


def hours(start: datetime, end: datetime) -> Iterator[datetime]:
    """The hours, each with partitions of its own, of the runs scheduled in [start, end)."""
    hour = start.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    while hour < end:
        yield hour
        hour += timedelta(hours=1)


def partitions(namespace: str, hour: datetime) -> list[str]:
    """The partitions of the index `by_time` for a namespace and hour."""
    return [f"{namespace}#{hour:%Y%m%d%H}#{bucket}" for bucket in range(BUCKETS)]


def last_before(end: datetime) -> str:
    """A text that sorts after all run ids of instants before `end`, even with a suffix, and before those of later instants."""
    return f"{to_compact(end - SECOND)}~~"


def encode(run: Run) -> Item:
    """The item of a run. It is in the index `by_time` unless an entry names it. A run on a node is in no index: its parent is."""
    item = item_of(run, _indexed(run))
    return {**item, **key(run.key)} if run.key.on_node else item


def encode_change(before: Run, after: Run, besides: Collection[str]) -> tuple[Item, Item]:
    """The attributes that differ between the items of two versions of a run, and those named in `besides`."""
    old, new = change_of(before, after, besides)
    if before.state is not after.state or before.entry != after.entry:
        old, new = {**old, **_indexed(before)}, {**new, **_indexed(after)}
    return old, new


def _indexed(run: Run) -> Item:
    """The attributes by which indexes have a run."""
    if run.key.on_node:
        return {}
    job, run_id = run.key.job, run.key.run_id  # 20261120T090000Z: sliced, not parsed, since every claim does this
    item: Item = {}
    if not run.entry:
        bucket = crc32(str(job).encode()) % BUCKETS
        item["by_time"] = text(f"{job.namespace}#{run_id[:8]}{run_id[9:11]}#{bucket}")
    if run.state.wants_attention:
        item["attention"] = text(job.namespace)
    return item


def decode(item: ReadItem) -> Run:
    """The run of an item.

    Raises:
        NeedsNewer: when it needs features that this version does not know.
        LookupError, ValueError, TypeError, OverflowError: when it cannot be read.
    """
    if item["job"]["S"].endswith(_NODES):
        item = {**item, "job": {"S": item["job"]["S"].removesuffix(_NODES)}}
    return thing_of(Run, item, besides=("by_time", "attention"))


def decode_key(item: ReadItem) -> RunKey:
    """The key of a run's item, or of its entry in an index."""
    return RunKey(job=JobKey.of(read_text(item, "job")), run_id=read_text(item, "run_id"))


def key_of_payload(run: RunKey) -> Item:
    """The key of a run's own payload, in a partition apart, so that listing runs does not read it; no job name contains a `#`."""
    return {"job": text(f"{run.job}#payload"), "run_id": text(run.run_id)}


def encode_payload(run: RunKey, payload: Payload, expires_at: datetime) -> Item:
    """The item of a run's own payload, which expires with the run."""
    written = json.dumps(payload.value, separators=(",", ":"), ensure_ascii=False)
    return {**key_of_payload(run), "payload": text(written), EXPIRES_AT: epoch(expires_at)}


def decode_payload(item: ReadItem) -> Payload:
    """The payload of an item.

    Raises:
        LookupError, ValueError, TypeError, OverflowError: when it cannot be read.
    """
    return Payload(value=json.loads(read_text(item, "payload")))
