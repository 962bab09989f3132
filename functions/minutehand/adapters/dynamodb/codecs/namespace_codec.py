"""Settings of namespaces as items of the Jobs table, one each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.items import item_of, thing_of
from minutehand.domain.namespace import Namespace

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem


def encode(namespace: Namespace) -> Item:
    """The item of a namespace's settings."""
    return item_of(namespace, keys.settings(namespace.name))


def decode(item: ReadItem) -> Namespace:
    """The settings of an item.

    Raises:
        LookupError, ValueError, TypeError, OverflowError: when they cannot be read.
    """
    return thing_of(Namespace, item, name=keys.read_settings(item))
