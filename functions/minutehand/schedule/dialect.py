"""A dialect fixes what a crontab's text leaves open: how days join, and what happens when the clocks change.

It sets rules, never grammar: the same texts are legal in all of them.
"""

from enum import StrEnum
from typing import NamedTuple

from minutehand.schedule.errors import ScheduleError


class Gap(StrEnum):
    """What becomes of times that the clocks jump over."""

    SKIP = "skip"
    """They do not exist, so nothing runs."""
    CATCH_UP = "catch_up"
    """The job runs once at the first instant after the gap, however many of its times were jumped over."""


class Fold(StrEnum):
    """What becomes of times that the clocks show twice."""

    BOTH = "both"
    """Each pass is an occurrence of its own."""
    FIRST = "first"
    """Only the first pass counts."""


class ClockRule(NamedTuple):
    """What a job does when its zone's clocks change by less than `ignore_from` seconds; None means by any amount.

    A larger change is a correction of the clock: the job then follows the wall clock, whatever it shows.
    """

    gap: Gap
    fold: Fold
    ignore_from: int | None = None


FOLLOW_THE_CLOCK = ClockRule(gap=Gap.SKIP, fold=Fold.BOTH)


class Dialect(NamedTuple):
    """The rules of one family of schedulers.

    star_prefix: whether a day field is left open by a "*" at its beginning; otherwise by an item that is one of `stars`. While
    either day field is open, the two must both match; otherwise one of them is enough.
    at_times: the rule of a job that names its times; repeating: that of one whose second, minute or hour field starts with `*`.
    """

    name: str
    star_prefix: bool
    stars: frozenset[str]
    at_times: ClockRule
    repeating: ClockRule

    def leaves_open(self, field_text: str) -> bool:
        """Whether a day field written like this leaves the day to the other one."""
        if self.star_prefix:
            return field_text.startswith("*") or field_text in self.stars
        return any(item in self.stars for item in field_text.split(","))

    def clock_rule(self, *, repeats: bool) -> ClockRule:
        """The rule for a job, by whether its second, minute or hour field starts with `*`."""
        return self.repeating if repeats else self.at_times


VIXIE = Dialect(
    # cron 3.0pl1 as Debian ships it: entry.c sets DOM_STAR, DOW_STAR, MIN_STAR and HR_STAR by the first character of the
    # field; cron(8) says that changes of less than 3 hours are handled for jobs at fixed times, larger ones are corrections.
    # It knows no "?", which says what it says elsewhere.
    name="vixie",
    star_prefix=True,
    stars=frozenset({"?"}),
    at_times=ClockRule(gap=Gap.CATCH_UP, fold=Fold.FIRST, ignore_from=3 * 3600),
    repeating=FOLLOW_THE_CLOCK,
)
# robfig/cron v3: getField joins the star bits of a list's items, and a step above 1 has none.
_STARS = frozenset({"*", "?", "*/1"})
ROBFIG = Dialect(name="robfig", star_prefix=False, stars=_STARS, at_times=FOLLOW_THE_CLOCK, repeating=FOLLOW_THE_CLOCK)
# EventBridge Scheduler user guide, "Daylight savings time": a time that does not exist is skipped, one that comes twice runs once.
_ONCE = ClockRule(gap=Gap.SKIP, fold=Fold.FIRST)
EVENTBRIDGE = Dialect(name="eventbridge", star_prefix=False, stars=_STARS, at_times=_ONCE, repeating=_ONCE)

DIALECTS = {dialect.name: dialect for dialect in (VIXIE, ROBFIG, EVENTBRIDGE)}


def dialect_named(name: str) -> Dialect:
    """The dialect of this name. Raises ScheduleError (field "dialect"), naming those there are."""
    dialect = DIALECTS.get(name) if isinstance(name, str) else None
    if dialect is None:
        raise ScheduleError(
            f"there is no dialect {name[:60]!r:.60}"
            if isinstance(name, str)
            else f"no {type(name).__name__} is a dialect",
            field="dialect",
            hint=f"leave it out, or use one of: {', '.join(sorted(DIALECTS))}",
        )
    return dialect
