"""What was decoded lately, so that an item that has not changed since is decoded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import ReadItem

T = TypeVar("T")
MOST = 500
"""Most items that are kept."""
LARGEST = 4000
"""Most characters of an attribute of an item that is kept."""


class DecodedOnce(Generic[T]):
    """Decodes items to immutable values, and keeps these for as long as their items are read unchanged."""

    def __init__(self, decode: Callable[[ReadItem], T]) -> None:
        self._decode = decode
        self._kept: dict[tuple[str, str], tuple[ReadItem, T]] = {}

    def of(self, item: ReadItem) -> T:
        """The value of an item, which was just read. Raises what `decode` raises."""
        place = item["pk"]["S"], item["sk"]["S"]
        kept = self._kept.get(place)
        if kept is not None and kept[0] == item:
            return kept[1]
        value = self._decode(item)
        if len(self._kept) >= MOST:
            self._kept.clear()
        if all(len(each.get("S", "")) <= LARGEST for each in item.values()):
            self._kept[place] = item, value
        return value
