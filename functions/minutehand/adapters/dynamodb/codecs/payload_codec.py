"""Runs' own payloads as items of the Runs table, in partitions apart from the runs, so that listing runs does not read them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs.values import EXPIRES_AT, epoch, read_text, text
from minutehand.domain.run import RunKey
from minutehand.usecases.ports.stores import Payload

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem


def key(run: RunKey) -> Item:
    """The key of a run's own payload; no job name contains a `#`."""
    return {"job": text(f"{run.job}#payload"), "run_id": text(run.run_id)}


def encode(run: RunKey, payload: Payload, expires_at: datetime) -> Item:
    """The item of a run's own payload, which expires with the run."""
    written = json.dumps(payload.value, separators=(",", ":"), ensure_ascii=False)
    return {**key(run), "payload": text(written), EXPIRES_AT: epoch(expires_at)}


def decode(item: ReadItem) -> Payload:
    """The payload of an item.

    Raises:
        LookupError, ValueError, TypeError, OverflowError: when it cannot be read.
    """
    return Payload(value=json.loads(read_text(item, "payload")))
