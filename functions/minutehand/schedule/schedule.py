"""`Schedule`, the value that callers of this library use: one or several compiled texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from minutehand.schedule.codec import StoredForm, decode_form, encode_form
from minutehand.schedule.errors import ScheduleWarning
from minutehand.schedule.part import EPOCH, SECOND, DelayTiming, ManualTiming, Part, epoch_seconds
from minutehand.schedule.zones import HORIZON


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a job is due: a frozen, hashable value. Two are equal if their texts, time zones, dialects and compiled forms are.

    Create one with `Schedule.parse` from text, or with `Schedule.decode` from its stored form. The instants it returns are aware
    datetimes in UTC with whole seconds. Methods that take a datetime raise ValueError if it is naive, and TypeError for another
    type.

    text: as written, without surrounding blanks; a tuple for several joined. timezone: IANA name; a CRON_TZ= in the text takes
    precedence. dialect: name of the dialect; None if joined texts have different ones. parts: the compiled texts.
    """

    text: str | tuple[str, ...]
    timezone: str
    dialect: str | None
    parts: tuple[Part, ...]

    @classmethod
    def parse(
        cls,
        text: str | Sequence[str],
        timezone: str = "UTC",
        dialect: str | None = None,
        *,
        name: str | None = None,
        anchor: datetime | None = None,
    ) -> "Schedule":
        """Compile a text, or a sequence of texts that is due whenever one of them is.

        A text is a crontab(5) of 5 fields, or of 6 with seconds first; a descriptor such as @daily, @every, @after or @manual; or a
        cron(…), rate(…) or at(…) of EventBridge Scheduler.

        timezone: IANA name; a CRON_TZ= or TZ= in a text takes precedence. dialect: "vixie", "robfig" or "eventbridge"; None:
        eventbridge for cron(…), rate(…) and at(…), otherwise vixie. name: the job's full name, for `H`. anchor: aware datetime of
        whole seconds from which @every and rate() count; None: the epoch. Raises ScheduleError for an invalid text, time zone,
        dialect, name or anchor, and for a schedule that never runs.
        """
        from minutehand.schedule.parser import parse_parts  # noqa: PLC0415 - keeps croniter out of functions that only decode

        return cls(*parse_parts(text, timezone=timezone, dialect=dialect, name=name, anchor=anchor))

    @property
    def manual(self) -> bool:
        """Whether this is `@manual`, without instants."""
        return isinstance(self.parts[0].timing, ManualTiming)

    @property
    def delay(self) -> timedelta | None:
        """Time from the end of one run to the start of the next, for `@after`; otherwise None."""
        timing = self.parts[0].timing
        return timedelta(seconds=timing.period) if isinstance(timing, DelayTiming) else None

    def next(self, after: datetime) -> datetime | None:
        """First instant later than `after` (aware), or None if there is none within 40 years.

        For a fixed delay: start of the next run if the last one ended at `after`, rounded up to a second.
        """
        since, parts = epoch_seconds(after), self.parts
        found = parts[0].next_after(since) if len(parts) == 1 else self._earliest(since)
        if found is None:
            return None
        if after.microsecond and self.delay is not None:
            found += 1
        return EPOCH + SECOND * found

    def between(self, start: datetime, end: datetime, limit: int) -> list[datetime]:
        """Instants t with start < t <= end (aware), ascending, at most `limit`: the same as repeated `next`, but faster.

        Raises ValueError for a negative limit.
        """
        if limit < 0:
            raise ValueError(f"limit is {limit}; it must be 0 or more")
        after, last = epoch_seconds(start), epoch_seconds(end)
        if start.microsecond and self.delay is not None:
            after += 1
        if len(self.parts) == 1:
            return self.parts[0].between(after, last, limit)
        found: list[datetime] = []
        while len(found) < limit:
            # One horizon at a time, as next() does: an instant of another part can bring a distant one within the horizon.
            until, left = min(last, after + HORIZON), limit - len(found)
            some = sorted({instant for part in self.parts for instant in part.between(after, until, left)})[:left]
            found += some
            if not some or until == last:
                break
            after = epoch_seconds(some[-1])
        return found

    def names(self, instant: datetime) -> bool:
        """Whether the schedule names exactly this instant (aware); False if it has a fraction of a second."""
        at = epoch_seconds(instant)
        return instant.microsecond == 0 and self._earliest(at - 1) == at

    def offset_at(self, instant: datetime) -> timedelta | None:
        """Offset east of UTC of the time zone that determines this instant; None if no offset affects the schedule.

        Stored with an instant, it lets `renewed` correct the instant after a change of the time zone data.
        """
        at = epoch_seconds(instant)
        offsets = [
            (part.next_after(at - 1) != at, offset) for part in self.parts if (offset := part.offset_at(at)) is not None
        ]
        return timedelta(0, min(offsets)[1]) if offsets else None

    def renewed(self, instant: datetime, offset: timedelta | None) -> datetime:
        """Correct an instant that was computed with an older release of the time zone data.

        offset: what `offset_at` returned then. If the offset is still the same, so is the instant; otherwise the result is the
        instant at which the clocks now show the same local time.
        """
        if offset is None:
            return instant
        at, east = epoch_seconds(instant), int(offset.total_seconds())
        if any(part.offset_at(at) == east for part in self.parts):
            return instant
        moved = [found for part in self.parts if (found := part.instant_of(at + east)) is not None]
        return EPOCH + timedelta(0, min(moved)) if moved else instant

    def describe(self) -> str:
        """Describe the schedule in one sentence without a full stop, such as "At 09:00 on weekdays, New York time"."""
        from minutehand.schedule.description.sentence import describe  # noqa: PLC0415 - functions that only decode do not need it

        return describe(self.parts)

    def warnings(self, now: datetime, *, timezone: str | None = None) -> tuple[ScheduleWarning, ...]:
        """Warnings about valid schedules that may not mean what their author expects: at most 10, in the order of the texts.

        now: aware datetime; clock changes and first runs are checked for the year after it. timezone: the time zone given
        separately from the text, to warn about a CRON_TZ= that overrides it; None: no such warning.
        """
        from minutehand.schedule.lint.warn import lint  # noqa: PLC0415 - needed where a job is saved, never in the tick

        return lint(self.parts, epoch_seconds(now), timezone)

    def encode(self) -> str:
        """Compact text for storage, the same for equal schedules; `decode` returns an equal schedule."""
        return encode_form(StoredForm(text=self.text, timezone=self.timezone, dialect=self.dialect, parts=self.parts))

    @classmethod
    def decode(cls, text: str) -> "Schedule":
        """Schedule of an encoded text. Imports no parser. Raises ScheduleError if the text is damaged or of a later version."""
        return cls(*decode_form(text))

    def __reduce__(self) -> tuple[object, ...]:
        return Schedule.decode, (self.encode(),)

    def _earliest(self, after: int) -> int | None:
        return min((found for part in self.parts if (found := part.next_after(after)) is not None), default=None)
