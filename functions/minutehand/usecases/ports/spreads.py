"""Store of spreads: on which nodes a run is carried out. See `ports` for what every store promises."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from minutehand.domain.run_key import RunKey
    from minutehand.domain.spread import Spread


class Spreads(Protocol):
    """Spreads, each created once. Reads are consistent. Each change is conditional on the version that was read."""

    def create(self, spread: Spread, expires_at: datetime) -> Spread:
        """Store a spread unless its attempt has one. Returns the stored one. It may be deleted at `expires_at`."""

    def get(self, parent: RunKey, attempt: int) -> Spread | None:
        """The spread of an attempt; None if it has none."""

    def save(self, before: Spread, after: Spread) -> bool:
        """Replace a spread by `after`. Returns False, and writes nothing, if the stored one has another version than `before`."""
