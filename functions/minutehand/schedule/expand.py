"""From checked ranges to bit masks, through croniter's expansion.

croniter 7.0.0 is right about every range low < high, single value and lone `*`, and about nothing less plain that we need:
it reads `10-10` and `0-7` as the whole field, carries a step across Sunday written as 7, and takes `R` or `31W` for granted.
So it is handed nothing else.
"""

from collections.abc import Sequence

from croniter import croniter

from minutehand.schedule.fields import CRONTAB_FIELDS, FieldKind
from minutehand.schedule.items import Range

# croniter counts seconds last.
_ITS_ORDER = (1, 2, 3, 4, 5, 0)


def masks(ranges: Sequence[Sequence[Range]]) -> tuple[int, ...]:
    """The bit masks of second, minute, hour, day, month and weekday: bit n is value n, weekday 0 is Sunday.

    A field without ranges has an empty one.
    """
    plain = [_plain_text(kind, field) for kind, field in zip(CRONTAB_FIELDS, ranges, strict=True)]
    expanded, _ = croniter.expand(" ".join(plain[n] for n in _ITS_ORDER))
    found = [0] * len(CRONTAB_FIELDS)
    for n, values in zip(_ITS_ORDER, expanded, strict=True):
        kind = CRONTAB_FIELDS[n]
        if ranges[n]:
            found[n] = _whole(kind) if values == ["*"] else sum(1 << value for value in values)
    return tuple(found)


def _whole(kind: FieldKind) -> int:
    return (2 << kind.high) - (1 << kind.low)


def _plain_text(kind: FieldKind, ranges: Sequence[Range]) -> str:
    items = [item for one in ranges for item in _plain_items(kind, one)]
    whole = f"{kind.low}-{kind.high}/1"
    return "*" if whole in items or not items else ",".join(dict.fromkeys(items))


def _plain_items(kind: FieldKind, one: Range) -> list[str]:
    sunday = []
    high = one.high
    if high > kind.high:
        sunday = ["0"] if (high - one.low) % one.step == 0 else []
        high = kind.high
    if one.low > high:
        return sunday
    last = high - (high - one.low) % one.step
    return [str(last) if one.low == last else f"{one.low}-{last}/{one.step}", *sunday]
