"""The fields of a crontab: what each may hold."""

from dataclasses import dataclass
from enum import Flag, auto

MONTH_NAMES = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAY_NAMES = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


class Mark(Flag):
    """What a field takes besides numbers, names, ranges and steps."""

    NONE = 0
    OPEN = auto()
    """`?`: leaves the day to the other field."""
    LAST = auto()
    """`L`: the last day of the month."""
    NEAREST = auto()
    """`nW` and `LW`: the nearest, and the last, day from Monday to Friday."""
    LAST_OF = auto()
    """`dL`: the last such weekday of the month."""
    NTH = auto()
    """`d#n`: the nth such weekday of the month."""
    END = auto()
    """`L` alone in the day-of-week: the last day of the week, Saturday."""
    HASH = auto()
    """`H`: a value chosen by the job's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldKind:
    """What a field may hold: values low to high, names for those from `first_name` on, and marks.

    highest_written: a weekday may be written 7, which is Sunday again; steps without an end still stop at Saturday.
    hash_high: the highest value that `H` chooses by itself. wraps: whether a range may run on past the end, as in FRI-MON.
    steps: whether `/` is read. one_nth: whether `d#n` must stand alone.
    """

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    first_name: int = 0
    highest_written: int = 0
    hash_high: int = 0
    marks: Mark = Mark.NONE
    wraps: bool = False
    steps: bool = True
    one_nth: bool = False

    @property
    def most(self) -> int:
        """The highest number that may be written."""
        return max(self.high, self.highest_written)


SECOND = FieldKind(name="second", low=0, high=59, marks=Mark.HASH)
MINUTE = FieldKind(name="minute", low=0, high=59, marks=Mark.HASH)
HOUR = FieldKind(name="hour", low=0, high=23, marks=Mark.HASH)
# H stops at the 28th: a job that asks for some day of each month wants one in February too.
DAY = FieldKind(
    name="day-of-month", low=1, high=31, hash_high=28, marks=Mark.OPEN | Mark.LAST | Mark.NEAREST | Mark.HASH
)
MONTH = FieldKind(name="month", low=1, high=12, names=MONTH_NAMES, first_name=1, marks=Mark.HASH)
WEEKDAY = FieldKind(
    name="day-of-week",
    low=0,
    high=6,
    names=WEEKDAY_NAMES,
    highest_written=7,
    marks=Mark.OPEN | Mark.LAST_OF | Mark.NTH | Mark.HASH,
)
CRONTAB_FIELDS = (SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY)
"""A crontab with 6 fields; one with 5 has no seconds."""

# Amazon EventBridge's cron(): the wildcards of each field as the user guide lists them, weekdays from 1 for Sunday.
CALL_FIELDS = (
    FieldKind(name="minute", low=0, high=59, wraps=True),
    FieldKind(name="hour", low=0, high=23, wraps=True),
    FieldKind(name="day-of-month", low=1, high=31, marks=Mark.OPEN | Mark.LAST | Mark.NEAREST, wraps=True),
    FieldKind(name="month", low=1, high=12, names=MONTH_NAMES, first_name=1, wraps=True),
    FieldKind(
        name="day-of-week",
        low=1,
        high=7,
        names=WEEKDAY_NAMES,
        first_name=1,
        marks=Mark.OPEN | Mark.LAST_OF | Mark.NTH | Mark.END,
        wraps=True,
        steps=False,
        one_nth=True,
    ),
    FieldKind(name="year", low=1970, high=2199),
)
