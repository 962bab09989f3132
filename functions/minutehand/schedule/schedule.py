"""The public value: a schedule, compiled."""

from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from minutehand.schedule.codec import StoredForm, decoded, encoded
from minutehand.schedule.dialect import dialect_named
from minutehand.schedule.timing import Timing
from minutehand.schedule.zones import Segments, segments, segments_reaching

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A day's room on either side, for offsets, within what a datetime can hold. Earlier instants count as the first of these.
_EARLIEST = int((datetime(1, 1, 3, tzinfo=UTC) - _EPOCH).total_seconds())
_LATEST = int((datetime(9999, 12, 29, tzinfo=UTC) - _EPOCH).total_seconds())


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a job is due: a frozen, hashable value, equal to another if text, time zone, dialect and compiled form are equal.

    Made by `Schedule.parse` from text or by `Schedule.decode` from its stored form. Instants are aware datetimes in UTC with
    whole seconds.
    """

    text: str
    timezone: str
    dialect: str
    timing: Timing
    _zone: Segments = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rule = dialect_named(self.dialect).clock_rule(repeats=self.timing.repeats)
        object.__setattr__(self, "_zone", segments(self.timezone, rule))

    @classmethod
    def parse(
        cls,
        text: str,
        timezone: str = "UTC",
        dialect: str | None = None,
        *,
        name: str | None = None,  # noqa: ARG003 - part of the interface: texts that spread by a hash of the job's name use it
        anchor: datetime | None = None,
    ) -> "Schedule":
        """Compile a text: crontab(5) with 5 fields, or 6 with seconds first, a descriptor such as @daily, or @every 90s.

        timezone: an IANA name. dialect: None goes by the text (today always "vixie"). anchor: the aware instant, in whole
        seconds, that @every counts from; None is the epoch. Raises ScheduleError for what cannot be read or never comes.
        """
        from minutehand.schedule.parser import parse_timing  # noqa: PLC0415 - keeps croniter out of the functions that only decode

        text, timing = parse_timing(text, timezone=timezone, dialect=dialect, anchor=anchor)
        return cls(text, timezone, dialect or "vixie", timing)

    def next(self, after: datetime) -> datetime | None:
        """The first instant strictly later than `after` (aware), or None if none comes within 40 years."""
        found = self._next(_seconds(after))
        return None if found is None else _EPOCH + timedelta(0, found)

    def between(self, start: datetime, end: datetime, limit: int) -> list[datetime]:
        """The instants t with start < t <= end, ascending, at most `limit` of them: what repeated `next` gives, only quicker."""
        if limit < 0:
            raise ValueError(f"limit is {limit}; it is a number of instants, 0 or more")
        after, last = _seconds(start), min(_seconds(end), _LATEST)
        found: list[datetime] = []
        while len(found) < limit:
            instant = self._next(after)
            if instant is None or instant > last:
                break
            found.append(_EPOCH + timedelta(0, instant))
            zone = self._zone_at(instant)
            n = bisect_right(zone.starts, instant) - 1
            self.timing.sweep(instant, zone.offsets[n], min(last + 1, zone.starts[n + 1]), limit, found)
            after = _seconds(found[-1])
        return found

    def names(self, instant: datetime) -> bool:
        """Whether the schedule names exactly this instant (aware); False for one with a fraction of a second."""
        at = _seconds(instant)
        return instant.microsecond == 0 and self._next(at - 1) == at

    def encode(self) -> str:
        """A compact text for storage, the same for equal schedules; `decode` gives an equal schedule back."""
        return encoded(StoredForm(text=self.text, timezone=self.timezone, dialect=self.dialect, timing=self.timing))

    @classmethod
    def decode(cls, text: str) -> "Schedule":
        """The schedule that `encode` wrote. Imports no parser. Raises ScheduleError if the text is not whole."""
        form = decoded(text)
        return cls(form.text, form.timezone, form.dialect, form.timing)

    def __reduce__(self) -> tuple[object, ...]:
        return Schedule.decode, (self.encode(),)

    def _next(self, after: int) -> int | None:
        zone = self._zone if after <= self._zone.good_until else self._zone_at(after)
        found = self.timing.next_after(after, zone)
        return None if found is None or found > _LATEST else found

    def _zone_at(self, instant: int) -> Segments:
        if instant <= self._zone.good_until:
            return self._zone
        rule = dialect_named(self.dialect).clock_rule(repeats=self.timing.repeats)
        return segments_reaching(self.timezone, rule, (_EPOCH + timedelta(0, instant)).year)


def _seconds(instant: datetime) -> int:
    """Seconds since the epoch, rounded down. Raises ValueError for a naive datetime, TypeError for what is none."""
    try:
        since = instant - _EPOCH
    except TypeError:
        raise _not_an_instant(instant) from None
    return max(since.days * 86400 + since.seconds, _EARLIEST)


def _not_an_instant(value: object) -> Exception:
    if isinstance(value, datetime):
        return ValueError(f"{value.isoformat()} has no time zone; pass an aware datetime such as datetime.now(UTC)")
    return TypeError(f"expected an aware datetime, not {type(value).__name__}")
