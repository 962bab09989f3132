"""A fixed rate: instants that lie whole multiples of a period from an anchor."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from minutehand.schedule.zones import HORIZON, Segments

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalTiming:
    """Every `period` seconds, counted from `anchor` (seconds since the epoch, UTC) in both directions; no clock change matters."""

    period: int
    anchor: int

    @property
    def repeats(self) -> bool:
        """It never names a time of day."""
        return True

    def next_after(self, after: int, zone: Segments) -> int | None:  # noqa: ARG002 - one signature for every kind of timing
        """The first instant later than `after`, or None within the horizon."""
        found = after + self.period - (after - self.anchor) % self.period
        return found if found <= after + HORIZON else None

    def sweep(self, after: int, offset: int, stop: int, limit: int, found: list[datetime]) -> None:  # noqa: ARG002 - as above
        """Append every instant in (after, stop) until `found` holds `limit`."""
        first = after + self.period - (after - self.anchor) % self.period
        count = min(max(0, -(-(stop - first) // self.period)), limit - len(found))
        instant, step = _EPOCH + timedelta(seconds=first), timedelta(seconds=self.period)
        for _ in range(count):
            found.append(instant)
            instant += step
