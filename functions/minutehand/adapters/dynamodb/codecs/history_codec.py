"""Revisions of a job's history as items of the Jobs table. They do not expire; each save of a job makes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.items import item_of, thing_of
from minutehand.adapters.dynamodb.codecs.values import read_text
from minutehand.domain.revision_history import PastRevision

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.job_key import JobKey


def encode(job: JobKey, past: PastRevision) -> Item:
    """The item of a revision."""
    return item_of(past, keys.past(job, past.number))


def decode(item: ReadItem) -> PastRevision:
    """The revision of an item.

    Raises:
        LookupError, ValueError, TypeError: when it cannot be read.
    """
    return thing_of(PastRevision, item, number=int(read_text(item, "sk").removeprefix(keys.REVISION)))
