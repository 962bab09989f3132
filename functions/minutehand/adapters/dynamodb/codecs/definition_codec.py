"""Definitions and their histories as items of the Jobs table. The job itself is one JSON text, since no expression reads its fields."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.items import FORMAT, NEEDS, check_needs, item_of, thing_of
from minutehand.adapters.dynamodb.codecs.values import NeedsNewer, number, read_number, read_text, text
from minutehand.domain.declaration.conversion import read_stored, stored
from minutehand.domain.declaration.field import needs_of
from minutehand.domain.definition import Definition
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.targets import fields_by_type

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem
    from minutehand.domain.revision_history import PastRevision, StoredRevision

CHILDREN = "children"
"""The attribute with the names of the jobs that depend on this one; a save of such a job changes it."""
_FORMAT = "format"
_WHOLE = "whole"
"""The attribute with the whole job of a revision, as JSON or as its compressed form."""
_LONG = 500
"""Characters from which a revision's job is compressed."""
_BESIDES = frozenset(("job", "payload", CHILDREN, _FORMAT))


def encode(definition: Definition) -> Item:
    """The item of a whole definition."""
    item = _item(definition, keys.definition(definition.job.key))
    item["payload"] = text(_json(definition.job.payload))
    if definition.children:
        item[CHILDREN] = {"SS": sorted(map(str, definition.children))}
    return item


def encode_listed(definition: Definition) -> Item:
    """The item of a job's entry in its namespace's list: without payload, with only the last revision, and without `slow_until`, which
    workers change in the definition alone."""
    listed = replace(definition, revisions=definition.revisions[-1:], slow_until=None)
    return _item(listed, keys.listed(definition.job.key))


def decode(item: ReadItem) -> Definition:
    """Read a definition from its own item, or from the item of its job's entry in the list.

    Raises:
        NeedsNewer: when it needs features that this version does not know.
        LookupError, ValueError, TypeError, OverflowError: when it cannot be read.
    """
    if _FORMAT not in item:
        raise ValueError(
            "it was stored before version 1.0, in a format that is no longer read; delete it and apply the job again"
            " (on a local stack: make clean)"
        )
    check_format(read_number(item, _FORMAT))
    types = fields_by_type()
    check_needs(item, Job, types)
    key = keys.read_job(item)
    plain = json.loads(read_text(item, "job")) | {"namespace": key.namespace, "name": key.name}
    if "payload" in item:
        plain["payload"] = json.loads(read_text(item, "payload"))
    return thing_of(
        Definition,
        {name: value for name, value in item.items() if name != NEEDS},
        besides=_BESIDES,
        job=read_stored(Job, plain, types),
        children=frozenset(map(JobKey.of, item[CHILDREN]["SS"])) if CHILDREN in item else frozenset(),
    )


def encode_past(past: PastRevision, after: Definition) -> Item:
    """The item of a revision of a job's history, with the job as the revision left it; each save makes one, and they do not expire."""
    item = item_of(past, keys.past(after.job.key, past.number))
    if not after.deleted:
        whole = {_FORMAT: FORMAT, NEEDS: sorted(needs_of(after.job)), "job": _apart_from_key(after.job)}
        item[_WHOLE] = text(_packed(_json(whole)))
    return item


def decode_past(item: ReadItem) -> PastRevision:
    """The revision of an item.

    Raises:
        LookupError, ValueError, TypeError: when it cannot be read.
    """
    from minutehand.domain.revision_history import PastRevision  # noqa: PLC0415 - only an explanation reads it

    number = int(read_text(item, "sk").removeprefix(keys.REVISION))
    return thing_of(PastRevision, item, besides=(_WHOLE,), number=number)


def decode_revision(item: ReadItem) -> StoredRevision:
    """The revision of an item, with the job as it was.

    Raises:
        NeedsNewer: when the job needs features that this version does not know.
        LookupError, ValueError, TypeError: when it cannot be read.
    """
    from minutehand.domain.revision_history import StoredRevision  # noqa: PLC0415 - only the API reads single revisions

    past = decode_past(item)
    if _WHOLE not in item:
        return StoredRevision(past, None)
    whole = json.loads(_unpacked(read_text(item, _WHOLE)))
    types = fields_by_type()
    check_format(whole[_FORMAT])
    check_needs({NEEDS: {"SS": whole[NEEDS]}} if whole[NEEDS] else {}, Job, types)
    key = keys.read_job(item)
    return StoredRevision(past, read_stored(Job, whole["job"] | {"namespace": key.namespace, "name": key.name}, types))


def check_format(found: int) -> None:
    """Refuse a definition of a later format. Raises NeedsNewer."""
    if found > FORMAT:
        raise NeedsNewer(f"it has format {found}, and this version reads formats up to {FORMAT}; deploy a later one")


def _packed(plain: str) -> str:
    """A JSON text, compressed if that makes it shorter. Text, since earlier versions read the item too, and know no binary attributes."""
    if len(plain) <= _LONG:
        return plain
    shorter = base64.b64encode(zlib.compress(plain.encode(), 9)).decode()
    return shorter if len(shorter) < len(plain.encode()) else plain


def _unpacked(packed: str) -> str:
    return packed if packed.startswith("{") else zlib.decompress(base64.b64decode(packed)).decode()


def _apart_from_key(job: Job) -> dict[str, Any]:
    return {name: value for name, value in stored(job).items() if name not in ("namespace", "name")}


def _item(definition: Definition, key: Item) -> Item:
    item = item_of(definition, key)
    plain = _apart_from_key(definition.job)
    plain.pop("payload", None)  # it has its own attribute
    item |= {"job": text(_json(plain)), _FORMAT: number(FORMAT)}
    if needs := needs_of(definition.job):
        item[NEEDS] = {"SS": sorted(needs)}
    return item


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
