"""The allow-list of a function that needs one, from its settings; the tick and its like do not load what reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.targets.allow_list import AllowList

if TYPE_CHECKING:
    from minutehand.entrypoints.settings import Settings


def allow_list(given: Settings) -> AllowList:
    """What jobs may call.

    Raises:
        ValueError: naming the setting and its entry that is neither host nor network; so the function does not start.
    """
    try:
        return AllowList.parse(given.allowed_targets)
    except ValueError as error:
        raise ValueError(f"ALLOWED_TARGETS cannot be used: {error}") from None
