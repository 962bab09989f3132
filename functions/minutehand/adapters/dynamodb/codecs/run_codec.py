"""Runs as items of the Runs table. What has its default is left out, so that a plain run stays small."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zlib import crc32

from minutehand.adapters.dynamodb.codecs.values import (
    EXPIRES_AT,
    MILLISECOND,
    epoch,
    instant,
    milliseconds,
    number,
    read_epoch,
    read_instant,
    read_number,
    read_seconds,
    read_text,
    seconds,
    text,
)
from minutehand.domain.instants import SECOND, to_compact
from minutehand.domain.job import JobKey, Overlap
from minutehand.domain.run import Attempt, Progress, Result, Run, RunError, RunKey, RunState, SkipReason

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem, Value
    from minutehand.domain.usage import Usage

BUCKETS = 4
"""Partitions of the index `by_time` for each namespace and hour."""

_COUNTERS = ("takeovers", "resends")
_INSTANTS = ("lease_until", "deadline_at", "started_at", "finished_at", "retry_at", "resent_at")
_TEXTS = ("nonce", "worker", "cancelled_by", "blocked_by")


def key(run: RunKey) -> Item:
    """The key of a run."""
    return {"job": {"S": str(run.job)}, "run_id": {"S": run.run_id}}


def partitions(namespace: str, start: datetime, end: datetime) -> Iterator[str]:
    """The partitions of `by_time` that hold a namespace's runs of [start, end)."""
    hour = start.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    while hour < end:
        for bucket in range(BUCKETS):
            yield f"{namespace}#{hour:%Y%m%d%H}#{bucket}"
        hour += timedelta(hours=1)


def last_before(end: datetime) -> str:
    """What no run id of an instant before `end` is greater than, nor any later one less: ids may go on after the instant."""
    return f"{to_compact(end - SECOND)}~~"


def _hour_partition(run: RunKey) -> str:
    run_id = run.run_id  # 20261120T090000Z: the hour is cut out, not parsed, because every claim does it
    return f"{run.job.namespace}#{run_id[:8]}{run_id[9:11]}#{crc32(str(run.job).encode()) % BUCKETS}"


def encode(run: Run) -> Item:
    """The item of a run."""
    item: Item = {
        **key(run.key),
        "by_time": {"S": _hour_partition(run.key)},
        "target": {"S": run.target},
        "revision": number(run.revision),
        "claimed_at": instant(run.claimed_at),
        EXPIRES_AT: epoch(run.expires_at),
        "state": {"S": run.state.value},
        "attempt": number(run.attempt),
    }
    for name in _COUNTERS:
        if count := getattr(run, name):
            item[name] = number(count)
    if run.start_delay:
        item["delay"] = seconds(run.start_delay)
    for name in _INSTANTS:
        if (when := getattr(run, name)) is not None:
            item[name] = instant(when)
    for name in _TEXTS:
        if said := getattr(run, name):
            item[name] = text(said)
    if run.lateness is not None:
        item["lateness_ms"] = milliseconds(run.lateness)
    if run.skip_reason is not None:
        item["skip_reason"] = text(run.skip_reason.value)
    if run.detailed:
        item["detailed"] = {"BOOL": True}
    if run.state.wants_attention:
        item["attention"] = text(run.key.job.namespace)
    return item | _encode_story(run) | encode_answer(run.result, run.error)


def _encode_story(run: Run) -> Item:
    """What few runs have: where they come from, and what happened before the newest attempt."""
    item: Item = {}
    if run.progress is not None:
        item["progress"] = _encode_progress(run.progress)
    if run.attempts:
        item["attempts"] = {"L": [_encode_attempt(attempt) for attempt in run.attempts]}
    if run.parents:
        item["parents"] = {"L": [{"M": key(parent)} for parent in run.parents]}
    if run.overlap is not None:
        item["overlap"] = text(run.overlap.value)
    if run.own_payload:
        item["own_payload"] = {"BOOL": True}
    if run.units is not None:
        item["units"] = {"M": {name: _decimal(used) for name, used in run.units._asdict().items() if used}}
    return item


def encode_answer(result: Result | None, error: RunError | None) -> Item:
    """The attributes that hold what a target answered."""
    item: Item = {}
    if result is not None:
        cut: Item = {"cut": {"BOOL": True}} if result.cut else {}
        status = {"type": text(result.type), "status": number(result.status), "body": text(result.body)}
        item["result"] = {"M": status | cut}
    if error is not None:
        item["error"] = {"M": {"type": text(error.type), "message": text(error.message), "stack": text(error.stack)}}
    return item


def decode_key(item: ReadItem) -> RunKey:
    """The key of a run's item, or of its entry in an index."""
    return RunKey(job=JobKey.of(read_text(item, "job")), run_id=read_text(item, "run_id"))


def decode(item: ReadItem) -> Run:
    """The run of an item.

    Raises:
        LookupError, ValueError, TypeError, OverflowError: when it cannot be read.
    """
    return Run(
        key=decode_key(item),
        target=read_text(item, "target"),
        revision=read_number(item, "revision"),
        claimed_at=read_instant(item, "claimed_at"),
        expires_at=read_epoch(item, EXPIRES_AT),
        state=RunState(read_text(item, "state")),
        start_delay=read_seconds(item, "delay") if "delay" in item else timedelta(0),
        attempt=read_number(item, "attempt"),
        progress=_progress(item["progress"]["M"]) if "progress" in item else None,
        attempts=tuple(_attempt(stored["M"]) for stored in item["attempts"]["L"]) if "attempts" in item else (),
        parents=tuple(decode_key(stored["M"]) for stored in item["parents"]["L"]) if "parents" in item else (),
        overlap=Overlap(read_text(item, "overlap")) if "overlap" in item else None,
        own_payload="own_payload" in item,
        units=_units(item["units"]["M"]) if "units" in item else None,
        lateness=read_number(item, "lateness_ms") * MILLISECOND if "lateness_ms" in item else None,
        skip_reason=SkipReason(read_text(item, "skip_reason")) if "skip_reason" in item else None,
        result=decode_result(item),
        error=decode_error(item),
        detailed="detailed" in item,
        takeovers=_count(item, "takeovers"),
        resends=_count(item, "resends"),
        **_optional(item),
    )


def _encode_progress(progress: Progress) -> Value:
    percent: Item = {} if progress.percent is None else {"percent": number(progress.percent)}
    return {"M": {**percent, "text": text(progress.text)}}


def _progress(stored: Any) -> Progress:
    return Progress(int(stored["percent"]["N"]) if "percent" in stored else None, stored["text"]["S"])


def _decimal(value: float) -> Value:
    """A number to a thousandth, as DynamoDB writes it."""
    return {"N": f"{value:.3f}".rstrip("0").rstrip(".")}


def _units(stored: Any) -> Usage:
    from minutehand.domain.usage import Usage  # noqa: PLC0415 - loaded by the first run that has some

    # Those that a later version counts are left out: a run is no less readable for them.
    none = Usage()._asdict()
    return Usage(**{name: type(none[name])(value["N"]) for name, value in stored.items() if name in none})


def _encode_attempt(attempt: Attempt) -> Value:
    stored: Item = {
        "number": number(attempt.number),
        "worker": text(attempt.worker),
        "nonce": text(attempt.nonce),
        "started_at": instant(attempt.started_at),
        "state": text(attempt.state.value),
        **encode_answer(None, attempt.error),
    }
    if attempt.finished_at is not None:
        stored["finished_at"] = instant(attempt.finished_at)
    return {"M": stored}


def _attempt(stored: Any) -> Attempt:
    return Attempt(
        number=int(stored["number"]["N"]),
        worker=stored["worker"]["S"],
        nonce=stored["nonce"]["S"],
        started_at=read_instant(stored, "started_at"),
        finished_at=_instant(stored, "finished_at"),
        state=RunState(stored["state"]["S"]),
        error=decode_error(stored),
    )


def decode_result(item: ReadItem) -> Result | None:
    """The result among an item's attributes."""
    if "result" not in item:
        return None
    stored: Any = item["result"]["M"]
    return Result(
        type=stored["type"]["S"], status=int(stored["status"]["N"]), body=stored["body"]["S"], cut="cut" in stored
    )


def decode_error(item: ReadItem) -> RunError | None:
    """The error among an item's attributes."""
    if "error" not in item:
        return None
    stored: Any = item["error"]["M"]
    return RunError(type=stored["type"]["S"], message=stored["message"]["S"], stack=stored["stack"]["S"])


def _optional(item: ReadItem) -> dict[str, Any]:
    texts = {name: read_text(item, name) if name in item else "" for name in _TEXTS}
    return texts | {name: _instant(item, name) for name in _INSTANTS}


def _count(item: ReadItem, name: str) -> int:
    return read_number(item, name) if name in item else 0


def _instant(item: ReadItem, name: str) -> datetime | None:
    return read_instant(item, name) if name in item else None
