"""Expansion of parsed ranges to bit masks, by croniter.

croniter gets only the forms that version 7.0.0 expands correctly: ranges with low < high, single values and `*`. It reads `10-10` and
`0-7` as the whole field, carries a step across Sunday written as 7, and accepts `R` and `31W`.
"""

from collections.abc import Sequence

from croniter import croniter

from minutehand.schedule.field_parser import Range
from minutehand.schedule.fields import CRONTAB_FIELDS, FieldKind

# croniter has the second last.
_CRONITER_ORDER = (1, 2, 3, 4, 5, 0)


def masks(ranges: Sequence[Sequence[Range]]) -> tuple[int, ...]:
    """Bit masks of second, minute, hour, day, month and weekday: bit n is value n, weekday 0 is Sunday.

    A field without ranges has mask 0.
    """
    texts = [_croniter_text(kind, field) for kind, field in zip(CRONTAB_FIELDS, ranges, strict=True)]
    expanded, _ = croniter.expand(" ".join(texts[n] for n in _CRONITER_ORDER))
    found = [0] * len(CRONTAB_FIELDS)
    for n, values in zip(_CRONITER_ORDER, expanded, strict=True):
        kind = CRONTAB_FIELDS[n]
        if ranges[n]:
            found[n] = _full_mask(kind) if values == ["*"] else sum(1 << value for value in values)
    return tuple(found)


def _full_mask(kind: FieldKind) -> int:
    return (2 << kind.high) - (1 << kind.low)


def _croniter_text(kind: FieldKind, ranges: Sequence[Range]) -> str:
    items = [item for one in ranges for item in _croniter_items(kind, one)]
    whole = f"{kind.low}-{kind.high}/1"
    return "*" if whole in items or not items else ",".join(dict.fromkeys(items))


def _croniter_items(kind: FieldKind, one: Range) -> list[str]:
    sunday = []
    high = one.high
    if high > kind.high:
        sunday = ["0"] if (high - one.low) % one.step == 0 else []
        high = kind.high
    if one.low > high:
        return sunday
    last = high - (high - one.low) % one.step
    return [str(last) if one.low == last else f"{one.low}-{last}/{one.step}", *sunday]
