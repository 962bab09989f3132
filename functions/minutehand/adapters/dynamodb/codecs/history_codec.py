"""Revisions of a job's history as items of the Jobs table. They do not expire: there is one for each time somebody saved the job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import instant, read_instant, read_text, text
from minutehand.domain.revision_history import Did, PastRevision

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.job import JobKey


def encode(job: JobKey, past: PastRevision) -> Item:
    """The item of a revision."""
    item: Item = {
        **keys.past(job, past.number),
        "effective_from": instant(past.effective_from),
        "did": text(past.did.value),
        "who": text(past.who),
    }
    if past.rule is not None:
        item["schedule"] = text(past.rule)
    if past.paused_until is not None:
        item["paused_until"] = instant(past.paused_until)
    if past.changed:
        item["changed"] = text(" ".join(past.changed))
    return item


def decode(item: ReadItem) -> PastRevision:
    """The revision of an item.

    Raises:
        LookupError, ValueError, TypeError: when it cannot be read.
    """
    return PastRevision(
        number=int(read_text(item, "sk").removeprefix(keys.REVISION)),
        effective_from=read_instant(item, "effective_from"),
        rule=read_text(item, "schedule") if "schedule" in item else None,
        did=Did(read_text(item, "did")),
        who=read_text(item, "who"),
        paused_until=read_instant(item, "paused_until") if "paused_until" in item else None,
        changed=tuple(read_text(item, "changed").split()) if "changed" in item else (),
    )
