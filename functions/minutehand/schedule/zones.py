"""IANA time zones from the pinned `tzdata` wheel, so that every machine that reads a schedule gives the same instants.

The system's own /usr/share/zoneinfo is not asked: it differs between machines, and nothing says when it changes.
"""

import pkgutil
from dataclasses import dataclass
from functools import lru_cache

import tzdata  # type: ignore[import-untyped]  # the wheel ships no types; only its version is read

from minutehand.schedule.dialect import ClockRule, Fold, Gap
from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.tzif import Changes, read_changes

TZDATA_VERSION: str = tzdata.IANA_VERSION
"""The release of the IANA database in use, such as "2026f". Stored instants were computed under one of these."""

HORIZON = 14_610 * 86400
"""Seconds that `next` looks ahead: 40 years, leap days included (29 February of one given weekday can be that far away)."""

ALWAYS = -(1 << 60)
NEVER = 1 << 60
# Rules for the future are spelled out this far; the longer tables are made only for whoever asks about such years.
_TABLES_END = (2100, 2500, 9999)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segments:
    """A zone under one rule: stretches of time with one offset each, as parallel arrays.

    starts: first instant of each stretch, the first one ALWAYS, with NEVER after the last. offsets: seconds east of UTC.
    counts_from: the instant from which a stretch's wall clock counts: its start, or later where a repeated pass is not counted.
    owed_until: wall seconds; a time before this, found while leaving the stretch before, was jumped over and is owed at the start.
    replays: whether the stretch shows again, and counts again, wall times that the one before has shown.
    good_until: the last `after` for which the arrays reach a whole horizon ahead.
    """

    starts: tuple[int, ...]
    offsets: tuple[int, ...]
    counts_from: tuple[int, ...]
    owed_until: tuple[int, ...]
    replays: tuple[bool, ...]
    good_until: int


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    """Every name that the pinned data knows, links among them."""
    return frozenset(_resource("zones").decode("ascii").split())


@lru_cache(maxsize=2048)
def segments(name: str, rule: ClockRule, through_year: int = _TABLES_END[0]) -> Segments:
    """The zone of this name under this rule. Raises ScheduleError (field "timezone") for a name that is not in the data."""
    changes = _changes(name, through_year)
    offsets = (changes.first_offset, *changes.offsets)
    starts = (ALWAYS, *changes.instants)
    counts_from, owed_until, replays = [ALWAYS], [ALWAYS], [False]
    for n in range(1, len(starts)):
        start, before, now = starts[n], offsets[n - 1], offsets[n]
        ruled = rule.ignore_from is None or abs(now - before) < rule.ignore_from
        first_pass_only = ruled and rule.fold is Fold.FIRST and now < before
        counts_from.append(start + before - now if first_pass_only else start)
        owed_until.append(start + now if ruled and rule.gap is Gap.CATCH_UP and now > before else ALWAYS)
        replays.append(now < before and not first_pass_only)
    return Segments(
        starts=(*starts, NEVER),
        offsets=offsets,
        counts_from=tuple(counts_from),
        owed_until=tuple(owed_until),
        replays=tuple(replays),
        good_until=NEVER if changes.for_ever else changes.instants[-1] - HORIZON,
    )


def segments_reaching(name: str, rule: ClockRule, year: int) -> Segments:
    """The same, with a table that is good for any `after` in this year."""
    return segments(name, rule, next((end for end in _TABLES_END if end >= year + 42), _TABLES_END[-1]))


def check_zone(name: str) -> None:
    """Raise ScheduleError (field "timezone"), with the nearest names, unless the pinned data knows this one."""
    if isinstance(name, str) and name in zone_names():
        return
    shown = f"{name[:80]!r:.80}" if isinstance(name, str) else f"as {type(name).__name__}"
    raise ScheduleError(f"there is no time zone {shown}", field="timezone", hint=_near(name))


@lru_cache(maxsize=1024)
def _changes(name: str, through_year: int) -> Changes:
    check_zone(name)
    return read_changes(_resource(f"zoneinfo/{name}"), through_year=through_year)


def _resource(path: str) -> bytes:
    data = pkgutil.get_data("tzdata", path)
    if data is None:
        raise FileNotFoundError(f"the tzdata package has no {path}")
    return data


@lru_cache(maxsize=1024)
def _pairs(text: str) -> frozenset[str]:
    """The pairs of neighbouring letters."""
    return frozenset(text[n : n + 2] for n in range(len(text) - 1))


def _near(name: object) -> str:
    usual = "use an IANA name such as Europe/Paris or America/New_York"
    if not isinstance(name, str) or not 0 < len(name) <= 64:
        return usual
    # Only a wrong name needs these; the tick never does.
    from difflib import get_close_matches  # noqa: PLC0415
    from heapq import nlargest  # noqa: PLC0415

    wanted = name.strip().replace(" ", "_").casefold()
    known = {zone.casefold(): zone for zone in sorted(zone_names())}
    if wanted in known:
        return f"write {known[wanted]}"
    cities = [zone for folded, zone in known.items() if folded.rsplit("/", 1)[-1] == wanted]
    # A close look at each of 600 takes 10 ms for a name made of their letters, so only the likeliest get one.
    pairs = _pairs(wanted)
    likely = nlargest(12, known, key=lambda zone: 2 * len(pairs & _pairs(zone)) - abs(len(zone) - len(wanted)))
    close = cities[:3] or [known[folded] for folded in get_close_matches(wanted, likely, n=3, cutoff=0.7)]
    return f"did you mean {' or '.join(close)}?" if close else usual
