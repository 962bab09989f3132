"""The public value: a schedule, compiled."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from minutehand.schedule.codec import StoredForm, decoded, encoded
from minutehand.schedule.part import EPOCH, SECOND, Part, seconds_of
from minutehand.schedule.unscheduled import DelayTiming, ManualTiming
from minutehand.schedule.warning import ScheduleWarning
from minutehand.schedule.zones import HORIZON


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a job is due: a frozen, hashable value, equal to another if texts, time zones, dialects and compiled forms are equal.

    Made by `Schedule.parse` from text or by `Schedule.decode` from its stored form. Instants are aware datetimes in UTC with
    whole seconds.

    text: as written, without blanks around it; a tuple when several are joined. timezone: the one that it is read in, which a
    CRON_TZ= in the text decides. dialect: its name; None when joined texts go each by its own.
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
        """Compile a text: a crontab(5) of 5 fields, or 6 with seconds first; @daily and its like; @every, @after and @manual;
        EventBridge's cron(…), rate(…) and at(…). A sequence of texts is joined: due whenever one of them is.

        timezone: an IANA name; a CRON_TZ= or TZ= before a text takes its place. dialect: "vixie", "robfig" or "eventbridge";
        None goes by the text. name: the job's full name, which `H` goes by. anchor: the aware instant, in whole seconds, that
        @every and rate() count from; None is the epoch. Raises ScheduleError for what cannot be read or never comes.
        """
        from minutehand.schedule.joining import parse_parts  # noqa: PLC0415 - keeps croniter out of the functions that only decode

        form = parse_parts(text, timezone=timezone, dialect=dialect, name=name, anchor=anchor)
        return cls(form.text, form.timezone, form.dialect, form.parts)

    @property
    def manual(self) -> bool:
        """Whether it is due only when somebody asks: `@manual`."""
        return isinstance(self.parts[0].timing, ManualTiming)

    @property
    def delay(self) -> timedelta | None:
        """The time from the end of one run to the start of the next: `@after`; None for all others."""
        timing = self.parts[0].timing
        return timedelta(seconds=timing.period) if isinstance(timing, DelayTiming) else None

    def next(self, after: datetime) -> datetime | None:
        """The first instant strictly later than `after` (aware), or None if none comes within 40 years.

        Of a fixed delay: when the next run starts if the last one ended at `after`, rounded up to a second.
        """
        since, parts = seconds_of(after), self.parts
        found = parts[0].next_after(since) if len(parts) == 1 else self._first_of_all(since)
        if found is None:
            return None
        if after.microsecond and self.delay is not None:
            found += 1
        return EPOCH + SECOND * found

    def between(self, start: datetime, end: datetime, limit: int) -> list[datetime]:
        """The instants t with start < t <= end, ascending, at most `limit` of them: what repeated `next` gives, only quicker."""
        if limit < 0:
            raise ValueError(f"limit is {limit}; it is a number of instants, 0 or more")
        after, last = seconds_of(start), seconds_of(end)
        if start.microsecond and self.delay is not None:
            after += 1
        if len(self.parts) == 1:
            return self.parts[0].between(after, last, limit)
        found: list[datetime] = []
        while len(found) < limit:
            # No further at once than next() looks: a part that is never now may come once another part has.
            until, left = min(last, after + HORIZON), limit - len(found)
            some = sorted({instant for part in self.parts for instant in part.between(after, until, left)})[:left]
            found += some
            if not some or until == last:
                break
            after = seconds_of(some[-1])
        return found

    def names(self, instant: datetime) -> bool:
        """Whether the schedule names exactly this instant (aware); False for one with a fraction of a second."""
        at = seconds_of(instant)
        return instant.microsecond == 0 and self._first_of_all(at - 1) == at

    def offset_at(self, instant: datetime) -> timedelta | None:
        """How far east of UTC the clocks are whose time of day names this instant; None where no clock matters to the schedule.

        Kept beside a stored instant, it lets `renewed` tell what later time zone data make of it.
        """
        at = seconds_of(instant)
        offsets = [
            (part.next_after(at - 1) != at, offset) for part in self.parts if (offset := part.offset_at(at)) is not None
        ]
        return timedelta(0, min(offsets)[1]) if offsets else None

    def renewed(self, instant: datetime, offset: timedelta | None) -> datetime:
        """Where an instant stands that was computed when its clocks were `offset` east of UTC.

        The same instant as long as they still are; otherwise the instant at which they now show the same time.
        """
        if offset is None:
            return instant
        at, east = seconds_of(instant), int(offset.total_seconds())
        kept = [part for part in self.parts if part.offset_at(at) == east]
        if kept:
            return instant
        moved = [found for part in self.parts if (found := part.instant_of(at + east)) is not None]
        return EPOCH + timedelta(0, min(moved)) if moved else instant

    def describe(self) -> str:
        """What it means, in plain words: one sentence without a full stop, such as "At 09:00 on weekdays, New York time"."""
        from minutehand.schedule.plain.describe import description  # noqa: PLC0415 - for people; what only decodes does without

        return description(self.parts)

    def warnings(self, now: datetime, *, timezone: str | None = None) -> tuple[ScheduleWarning, ...]:
        """What may surprise its author: legal, and perhaps not what was meant. At most 10, in the order of the texts.

        now: an aware datetime; clock changes and first runs are looked for in the year after it. timezone: the one given beside
        the text, if a CRON_TZ= that differs from it is to be told.
        """
        from minutehand.schedule.lint.warn import warnings_of  # noqa: PLC0415 - where a job is saved, never in the tick

        return warnings_of(self.parts, seconds_of(now), timezone)

    def encode(self) -> str:
        """A compact text for storage, the same for equal schedules; `decode` gives an equal schedule back."""
        return encoded(StoredForm(text=self.text, timezone=self.timezone, dialect=self.dialect, parts=self.parts))

    @classmethod
    def decode(cls, text: str) -> "Schedule":
        """The schedule that `encode` wrote. Imports no parser. Raises ScheduleError if the text is not whole."""
        form = decoded(text)
        return cls(form.text, form.timezone, form.dialect, form.parts)

    def __reduce__(self) -> tuple[object, ...]:
        return Schedule.decode, (self.encode(),)

    def _first_of_all(self, after: int) -> int | None:
        return min((found for part in self.parts if (found := part.next_after(after)) is not None), default=None)
