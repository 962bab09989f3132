"""Settings of namespaces as items of the Jobs table, one each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import (
    instant,
    number,
    read_instant,
    read_number,
    read_text,
    text,
    whole,
)
from minutehand.domain.namespace import Namespace, NamespacePause

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem, Value


def encode(namespace: Namespace) -> Item:
    """The item of a namespace's settings."""
    item: Item = {
        **keys.settings(namespace.name),
        "revision": number(namespace.revision),
        "updated_by": text(namespace.updated_by),
    }
    if namespace.updated_at is not None:
        item["updated_at"] = instant(namespace.updated_at)
    if namespace.max_concurrency is not None:
        item["max_concurrency"] = number(namespace.max_concurrency)
    if namespace.pauses:
        item["halts"] = {"L": [_encode_halt(pause) for pause in namespace.pauses]}
    return item


def _encode_halt(pause: NamespacePause) -> Value:
    told: Item = {"begun": whole(pause.begun), "who": text(pause.who)}
    if pause.until is not None:
        told["until"] = whole(pause.until)
    if pause.ended is not None:
        told |= {"ended": whole(pause.ended), "ended_by": text(pause.ended_by)}
    return {"M": told}


def decode(item: ReadItem) -> Namespace:
    """The settings of an item.

    Raises:
        LookupError, ValueError, TypeError, OverflowError: when they cannot be read.
    """
    return Namespace(
        name=keys.read_settings(item),
        max_concurrency=read_number(item, "max_concurrency") if "max_concurrency" in item else None,
        pauses=tuple(_halt(told["M"]) for told in item["halts"]["L"]) if "halts" in item else (),
        revision=read_number(item, "revision"),
        updated_at=read_instant(item, "updated_at") if "updated_at" in item else None,
        updated_by=read_text(item, "updated_by"),
    )


def _halt(told: ReadItem) -> NamespacePause:
    return NamespacePause(
        begun=read_instant(told, "begun"),
        until=read_instant(told, "until") if "until" in told else None,
        who=read_text(told, "who"),
        ended=read_instant(told, "ended") if "ended" in told else None,
        ended_by=read_text(told, "ended_by") if "ended_by" in told else "",
    )
