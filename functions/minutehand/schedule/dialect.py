"""Dialects: how a crontab's two day fields combine, and what happens when the clocks change.

All dialects have the same grammar.
"""

from enum import StrEnum
from typing import NamedTuple

from minutehand.schedule.errors import ScheduleError


class Gap(StrEnum):
    """What happens to times that the clocks jump over."""

    SKIP = "skip"
    """Nothing runs for times that the clocks jump over."""
    CATCH_UP = "catch_up"
    """The job runs once, at the first instant after the jump, even if several of its times were jumped over."""


class Fold(StrEnum):
    """What happens to times that the clocks show twice."""

    BOTH = "both"
    """A repeated time is an occurrence in both passes."""
    FIRST = "first"
    """A repeated time is an occurrence only in the first pass."""


class ClockRule(NamedTuple):
    """What happens at clock changes of less than `ignore_from` seconds; at all clock changes if that is None.

    Any larger change counts as a correction of the clock: the job follows the local time as shown (FOLLOW_THE_CLOCK).
    """

    gap: Gap
    fold: Fold
    ignore_from: int | None = None


FOLLOW_THE_CLOCK = ClockRule(gap=Gap.SKIP, fold=Fold.BOTH)


class Dialect(NamedTuple):
    """The rules of one family of schedulers.

    star_prefix: whether a day field is open if it starts with `*`; otherwise it is open if one of its items is in `stars`. If
    either day field is open, both must match; if neither is, one match is enough.
    at_times: clock rule of fixed times. repeating: clock rule if the second, minute or hour field starts with `*`.
    """

    name: str
    star_prefix: bool
    stars: frozenset[str]
    at_times: ClockRule
    repeating: ClockRule

    def is_open(self, field_text: str) -> bool:
        """Whether a day field with this text is open, so that both day fields must match."""
        if self.star_prefix:
            return field_text.startswith("*") or field_text in self.stars
        return any(item in self.stars for item in field_text.split(","))

    def clock_rule(self, *, repeats: bool) -> ClockRule:
        """The dialect's clock rule for a timing. repeats: whether its second, minute or hour field starts with `*`."""
        return self.repeating if repeats else self.at_times


VIXIE = Dialect(
    # cron 3.0pl1 as Debian ships it: entry.c sets DOM_STAR, DOW_STAR, MIN_STAR and HR_STAR by the first character of the
    # field; cron(8): changes of less than 3 hours are handled for jobs at fixed times, larger ones are corrections.
    # It has no "?"; here "?" means the same as in the other dialects.
    name="vixie",
    star_prefix=True,
    stars=frozenset({"?"}),
    at_times=ClockRule(gap=Gap.CATCH_UP, fold=Fold.FIRST, ignore_from=3 * 3600),
    repeating=FOLLOW_THE_CLOCK,
)
# robfig/cron v3, parser.go: getField combines the star bits of a list's items; an item with a step above 1 has none.
_STARS = frozenset({"*", "?", "*/1"})
ROBFIG = Dialect(name="robfig", star_prefix=False, stars=_STARS, at_times=FOLLOW_THE_CLOCK, repeating=FOLLOW_THE_CLOCK)
# EventBridge Scheduler user guide, "Daylight savings time": a time that does not exist is skipped, a repeated time runs once.
_ONCE = ClockRule(gap=Gap.SKIP, fold=Fold.FIRST)
EVENTBRIDGE = Dialect(name="eventbridge", star_prefix=False, stars=_STARS, at_times=_ONCE, repeating=_ONCE)

DIALECTS = {dialect.name: dialect for dialect in (VIXIE, ROBFIG, EVENTBRIDGE)}


def dialect_named(name: str) -> Dialect:
    """Dialect with this name. Raises ScheduleError (field "dialect") with the known names."""
    dialect = DIALECTS.get(name) if isinstance(name, str) else None
    if dialect is None:
        raise ScheduleError(
            f"there is no dialect {name[:60]!r:.60}"
            if isinstance(name, str)
            else f"a dialect is text, not {type(name).__name__}",
            field="dialect",
            hint=f"leave it out, or use one of: {', '.join(sorted(DIALECTS))}",
        )
    return dialect
