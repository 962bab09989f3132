"""Records of changes as items of the Jobs table: each in the list of its namespace, and one of a job's change in that of the job too."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import (
    EXPIRES_AT,
    epoch,
    instant,
    number,
    read_epoch,
    read_instant,
    read_number,
    read_text,
    text,
)
from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action, AuditRecord
from minutehand.domain.difference import ABSENT, Difference

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem

ABSENT_CONDITION = "attribute_not_exists(pk)"
"""◆ The condition of each write of a record: nothing replaces one."""


def recording(table: str, record: AuditRecord | None) -> Sequence[TransactWriteItemTypeDef]:
    """The actions that store a record; none without a record."""
    if record is None:
        return ()
    return [
        {"Put": {"TableName": table, "Item": item, "ConditionExpression": ABSENT_CONDITION}} for item in encode(record)
    ]


def encode(record: AuditRecord) -> Sequence[Item]:
    """The items of a record."""
    actor = record.actor
    texts = {
        "action": record.action.value,
        "actor": actor.name,
        "actor_id": actor.token_id,
        "address": actor.address,
        "client": actor.client,
        "request": actor.request,
        "job": record.job,
        "calendar": record.calendar,
        "about": _json(record.about) if record.about else "",
        "changes": _json([_plain(each) for each in record.changes]) if record.changes else "",
    }
    fields: Item = {name: text(value) for name, value in texts.items() if value}
    fields |= {"at": instant(record.at), EXPIRES_AT: epoch(record.expires_at)}
    if record.revision is not None:
        fields["revision"] = number(record.revision)
    if record.left_out:
        fields["left_out"] = number(record.left_out)
    lists = dict.fromkeys((keys.audits(record.namespace), keys.audits(record.namespace, record.job)))
    return [{**keys.key(each, record.id), **fields} for each in lists]


def decode(item: ReadItem) -> AuditRecord:
    """The record of an item.

    Raises:
        LookupError, ValueError, TypeError: when it cannot be read.
    """
    texts = {name: value["S"] for name, value in item.items() if "S" in value}
    return AuditRecord(
        at=read_instant(item, "at"),
        actor=Actor(
            read_text(item, "actor"),
            texts.get("address", ""),
            texts.get("client", ""),
            texts.get("request", ""),
            texts.get("actor_id", ""),
        ),
        action=Action(read_text(item, "action")),
        namespace=read_text(item, "pk").removeprefix(keys.AUDIT).partition("/")[0],
        job=texts.get("job", ""),
        calendar=texts.get("calendar", ""),
        revision=read_number(item, "revision") if "revision" in item else None,
        about=json.loads(texts.get("about", "{}")),
        changes=tuple(_difference(each) for each in json.loads(texts.get("changes", "[]"))),
        left_out=read_number(item, "left_out") if "left_out" in item else 0,
        expires_at=read_epoch(item, EXPIRES_AT),
    )


def _plain(difference: Difference) -> dict[str, Any]:
    return {name: value for name, value in difference._asdict().items() if value is not ABSENT}


def _difference(plain: Mapping[str, Any]) -> Difference:
    return Difference(plain["path"], plain.get("before", ABSENT), plain.get("after", ABSENT))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
