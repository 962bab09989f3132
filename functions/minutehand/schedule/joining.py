"""Texts to a schedule: one, or several joined. Imported by Schedule.parse alone."""

from collections.abc import Sequence
from datetime import datetime

from minutehand.schedule.codec import StoredForm
from minutehand.schedule.dialect import dialect_named
from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.parser import parse_part
from minutehand.schedule.unscheduled import DelayTiming, ManualTiming
from minutehand.schedule.words import LONGEST, MOST_TEXTS, wrong
from minutehand.schedule.zones import check_zone


def parse_parts(
    text: str | Sequence[str], *, timezone: str, dialect: str | None, name: str | None, anchor: datetime | None
) -> StoredForm:
    """What the text or texts compile to. Raises ScheduleError; of several, `part` tells which one is at fault."""
    if isinstance(text, list | tuple):
        return _joined(text, timezone=timezone, dialect=dialect, name=name, anchor=anchor)
    part = parse_part(text, timezone=timezone, dialect=dialect, name=name, anchor=anchor)  # type: ignore[arg-type]  # any other type is refused there
    return StoredForm(text=part.text, timezone=part.timezone, dialect=part.dialect, parts=(part,))


def _joined(
    texts: Sequence[str], *, timezone: str, dialect: str | None, name: str | None, anchor: datetime | None
) -> StoredForm:
    check_zone(timezone)
    if dialect is not None:
        dialect_named(dialect)
    if not texts:
        raise wrong("the list of schedules is empty", None, "write one or more, such as 0 9 * * MON-FRI")
    if len(texts) > MOST_TEXTS:
        raise wrong(f"{len(texts)} schedules are too many to join", None, f"{MOST_TEXTS} is the most")
    size = sum(len(text) for text in texts if isinstance(text, str))
    if size > LONGEST:
        raise wrong(f"schedules of {size} characters in all are too long", None, f"{LONGEST} is the most")
    parts = []
    for n, text in enumerate(texts):
        try:
            part = parse_part(text, timezone=timezone, dialect=dialect, name=name, anchor=anchor)
            if isinstance(part.timing, DelayTiming | ManualTiming) and len(texts) > 1:
                word = part.text.split()[0]
                raise wrong(f"{word} cannot be joined with other schedules", 0, f"write {word} alone")
        except ScheduleError as error:
            if error.field in ("anchor", "dialect", "name"):
                raise
            raise ScheduleError(
                error.message, field=error.field, column=error.column, hint=error.hint, part=n
            ) from None
        parts.append(part)
    zones, dialects = {part.timezone for part in parts}, {part.dialect for part in parts}
    if len(parts) == 1:
        return StoredForm(text=parts[0].text, timezone=parts[0].timezone, dialect=parts[0].dialect, parts=tuple(parts))
    return StoredForm(
        text=tuple(part.text for part in parts),
        timezone=zones.pop() if len(zones) == 1 else timezone,
        dialect=dialects.pop() if len(dialects) == 1 else None,
        parts=tuple(parts),
    )
