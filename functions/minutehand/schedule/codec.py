"""The stored form of a schedule: fields joined by `|`, closed by a checksum.

    1|vixie|America/New_York|c1.1.200.*.*.3e.|0 9 * * 1-5|5f3ab0c1

Version, dialect, time zone, timing, text, CRC-32 of all before it. Several texts joined begin with `1+`, their dialect (empty if
they differ) and time zone, and then have dialect, time zone, timing and text each. No text contains `|`.
"""

from sys import intern
from typing import NamedTuple
from zlib import crc32

from minutehand.schedule.part import Part
from minutehand.schedule.timing_codec import damaged, read_timing, timing_text

_ONE, _SEVERAL = "1", "1+"


class StoredForm(NamedTuple):
    """What a schedule is made of, whichever way it was made."""

    text: str | tuple[str, ...]
    timezone: str
    dialect: str | None
    parts: tuple[Part, ...]


def encoded(form: StoredForm) -> str:
    """The stored text; under 200 characters for usual crontabs."""
    fields = [_ONE] if len(form.parts) == 1 else [_SEVERAL, form.dialect or "", form.timezone]
    for part in form.parts:
        fields += (part.dialect, part.timezone, timing_text(part.timing), part.text)
    body = "|".join(fields)
    return f"{body}|{crc32(body.encode()):08x}"


def decoded(text: str) -> StoredForm:
    """What a stored text holds. Raises ScheduleError when it is damaged, or was written by a later version."""
    body, _, checksum = text.rpartition("|") if isinstance(text, str) else ("", "", "")
    version, *fields = body.split("|")
    # "surrogatepass": a damaged text may hold what UTF-8 does not, and is to be refused as damaged.
    if not body or checksum != f"{crc32(body.encode(errors='surrogatepass')):08x}":
        raise damaged("its checksum does not match")
    if version == _ONE and len(fields) == 4:
        part = _part(fields)
        return StoredForm(text=part.text, timezone=part.timezone, dialect=part.dialect, parts=(part,))
    if version == _SEVERAL and len(fields) >= 10 and len(fields) % 4 == 2:
        parts = tuple(_part(fields[n : n + 4]) for n in range(2, len(fields), 4))
        return StoredForm(
            text=tuple(part.text for part in parts), timezone=fields[1], dialect=fields[0] or None, parts=parts
        )
    raise damaged(f"version {version!r:.20} is not {_ONE}, or its fields are too few or too many")


def _part(fields: list[str]) -> Part:
    dialect, timezone, timing, text = fields
    # Of 100,000 schedules in memory, few are in a zone of their own: its name is kept once.
    return Part(text, intern(timezone), intern(dialect), read_timing(timing))
