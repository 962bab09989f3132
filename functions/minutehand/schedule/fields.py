"""Fields of a crontab: their bounds, names and special characters."""

from dataclasses import dataclass
from enum import Flag, auto

MONTH_NAMES = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAY_NAMES = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


class Special(Flag):
    """Special forms (`L`, `W`, `#`, …) that a field of a cron expression accepts besides numbers, names, ranges and steps."""

    NONE = 0
    OPEN = auto()
    """`?` in a day field: the other day field alone decides."""
    LAST = auto()
    """`L`: the last day of the month."""
    NEAREST = auto()
    """`nW`: the day from Monday to Friday nearest to the nth. `LW`: the last day from Monday to Friday."""
    LAST_OF = auto()
    """`dL`: the last weekday d of the month, such as `FRIL`."""
    NTH = auto()
    """`d#n`: the nth weekday d of the month, such as `MON#2`."""
    END = auto()
    """`L` alone in the day-of-week: the last day of the week, Saturday."""
    HASH = auto()
    """`H`: a value chosen by the hash of the job's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldKind:
    """Grammar of one field: values from `low` to `high`, and `names` for the values from `first_name`.

    highest_written: highest number in a text, if above `high`: weekday 7 is Sunday too, but a step such as `2/2` ends at
    Saturday, 6.
    hash_high: highest value that a plain `H` chooses, if below `high`. specials: special forms allowed. wraps: whether a range may
    wrap, as in FRI-MON. steps: whether `/` is allowed. one_nth: whether `d#n` must be the only value.
    """

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    first_name: int = 0
    highest_written: int = 0
    hash_high: int = 0
    specials: Special = Special.NONE
    wraps: bool = False
    steps: bool = True
    one_nth: bool = False

    @property
    def most(self) -> int:
        """Highest number that a text may use for a value of the field."""
        return max(self.high, self.highest_written)


SECOND = FieldKind(name="second", low=0, high=59, specials=Special.HASH)
MINUTE = FieldKind(name="minute", low=0, high=59, specials=Special.HASH)
HOUR = FieldKind(name="hour", low=0, high=23, specials=Special.HASH)
# H ends at the 28th, so that the chosen day exists in February too.
DAY = FieldKind(
    name="day-of-month",
    low=1,
    high=31,
    hash_high=28,
    specials=Special.OPEN | Special.LAST | Special.NEAREST | Special.HASH,
)
MONTH = FieldKind(name="month", low=1, high=12, names=MONTH_NAMES, first_name=1, specials=Special.HASH)
WEEKDAY = FieldKind(
    name="day-of-week",
    low=0,
    high=6,
    names=WEEKDAY_NAMES,
    highest_written=7,
    specials=Special.OPEN | Special.LAST_OF | Special.NTH | Special.HASH,
)
CRONTAB_FIELDS = (SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY)
"""The fields of a crontab with six; one with five has no second. The bounds are those of crontab(5)."""

# EventBridge user guide, "Cron expressions reference": wildcards of each field; weekdays start with 1 for Sunday.
CALL_FIELDS = (
    FieldKind(name="minute", low=0, high=59, wraps=True),
    FieldKind(name="hour", low=0, high=23, wraps=True),
    FieldKind(name="day-of-month", low=1, high=31, specials=Special.OPEN | Special.LAST | Special.NEAREST, wraps=True),
    FieldKind(name="month", low=1, high=12, names=MONTH_NAMES, first_name=1, wraps=True),
    FieldKind(
        name="day-of-week",
        low=1,
        high=7,
        names=WEEKDAY_NAMES,
        first_name=1,
        specials=Special.OPEN | Special.LAST_OF | Special.NTH | Special.END,
        wraps=True,
        steps=False,
        one_nth=True,
    ),
    FieldKind(name="year", low=1970, high=2199),
)
