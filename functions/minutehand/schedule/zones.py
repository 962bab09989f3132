"""IANA time zones from the pinned `tzdata` wheel, so that every machine computes the same instants.

The system's /usr/share/zoneinfo is not used: it differs between machines and changes without notice.
"""

import pkgutil
from dataclasses import dataclass
from functools import lru_cache

import tzdata  # type: ignore[import-untyped]  # no types in the wheel; only its version is read

from minutehand.schedule.dialect import ClockRule, Fold, Gap
from minutehand.schedule.errors import ScheduleError
from minutehand.schedule.tzif import Changes, read_changes

TZDATA_VERSION: str = tzdata.IANA_VERSION
"""Release of the IANA database in use, such as "2026f". Each stored instant was computed with one release."""

HORIZON = 14_610 * 86400
"""Seconds that `next` looks ahead: 40 years with leap days. 29 February on a given weekday can be that far away."""

MIN_INSTANT = -(1 << 60)
MAX_INSTANT = 1 << 60
"""Epoch seconds before and after every instant in a table of clock changes."""

# Last years of the tables of clock changes. A longer table is built only for calls about years that a shorter one lacks.
_TABLES_END = (2100, 2500, 9999)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segments:
    """Segments of a zone's time with one offset each, under one clock rule, as parallel arrays.

    starts: first instant of each segment; the first is MIN_INSTANT, and MAX_INSTANT follows the last. offsets: seconds east of UTC.
    counted_from: first instant whose local time counts: the start, or later if the rule ignores a second pass.
    catch_up_until: wall seconds; a skipped local time before this runs at the segment's start. MIN_INSTANT: no skipped time runs.
    repeats_times: whether the segment shows, and the rule counts, local times of the segment before again.
    valid_until: last instant from which the arrays still reach a whole HORIZON ahead.
    """

    starts: tuple[int, ...]
    offsets: tuple[int, ...]
    counted_from: tuple[int, ...]
    catch_up_until: tuple[int, ...]
    repeats_times: tuple[bool, ...]
    valid_until: int


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    """All names of time zones in the pinned data, including links (other names of the same zone)."""
    return frozenset(_resource("zones").decode("ascii").split())


@lru_cache(maxsize=1)
def rules_digest() -> str:
    """A digest of the rules of all zones. Two installations with the same digest compute the same instants."""
    from hashlib import sha256  # noqa: PLC0415 - only comparisons of installations need it

    whole = sha256()
    for name in sorted(zone_names()):
        whole.update(name.encode("ascii") + b"\0" + _resource(f"zoneinfo/{name}"))
    return whole.hexdigest()[:16]


@lru_cache(maxsize=2048)
def segments(name: str, rule: ClockRule, through_year: int = _TABLES_END[0]) -> Segments:
    """Segments of a zone under a clock rule. Raises ScheduleError (field "timezone") for an unknown name."""
    changes = _changes(name, through_year)
    offsets = (changes.first_offset, *changes.offsets)
    starts = (MIN_INSTANT, *changes.instants)
    counted_from, catch_up_until, repeats_times = [MIN_INSTANT], [MIN_INSTANT], [False]
    for n in range(1, len(starts)):
        start, before, now = starts[n], offsets[n - 1], offsets[n]
        ruled = rule.ignore_from is None or abs(now - before) < rule.ignore_from
        first_pass_only = ruled and rule.fold is Fold.FIRST and now < before
        counted_from.append(start + before - now if first_pass_only else start)
        catch_up_until.append(start + now if ruled and rule.gap is Gap.CATCH_UP and now > before else MIN_INSTANT)
        repeats_times.append(now < before and not first_pass_only)
    return Segments(
        starts=(*starts, MAX_INSTANT),
        offsets=offsets,
        counted_from=tuple(counted_from),
        catch_up_until=tuple(catch_up_until),
        repeats_times=tuple(repeats_times),
        valid_until=MAX_INSTANT if changes.for_ever else changes.instants[-1] - HORIZON,
    )


def segments_reaching(name: str, rule: ClockRule, year: int) -> Segments:
    """Segments of a zone that reach 40 years beyond the end of this year, or to the end of 9999."""
    return segments(name, rule, next((end for end in _TABLES_END if end >= year + 42), _TABLES_END[-1]))


def check_zone(name: str) -> None:
    """Raise ScheduleError (field "timezone"), with similar names as the hint, unless the pinned data has this name."""
    if isinstance(name, str) and name in zone_names():
        return
    message = (
        f"there is no time zone {name[:80]!r:.80}"
        if isinstance(name, str)
        else f"a time zone is text, not {type(name).__name__}"
    )
    raise ScheduleError(message, field="timezone", hint=_zone_hint(name))


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
    """Pairs of adjacent letters, by which similar names of time zones are found."""
    return frozenset(text[n : n + 2] for n in range(len(text) - 1))


def _zone_hint(name: object) -> str:
    usual = "use an IANA name such as Europe/Paris or America/New_York"
    if not isinstance(name, str) or not 0 < len(name) <= 64:
        return usual
    # Only an unknown name needs these, never the tick.
    from difflib import get_close_matches  # noqa: PLC0415
    from heapq import nlargest  # noqa: PLC0415

    wanted = name.strip().replace(" ", "_").casefold()
    known = {zone.casefold(): zone for zone in sorted(zone_names())}
    if wanted in known:
        return f"write {known[wanted]}"
    cities = [zone for folded, zone in known.items() if folded.rsplit("/", 1)[-1] == wanted]
    # get_close_matches over all 600 names can take 10 ms, so it gets the 12 most similar by letter pairs.
    pairs = _pairs(wanted)
    similar = nlargest(12, known, key=lambda zone: 2 * len(pairs & _pairs(zone)) - abs(len(zone) - len(wanted)))
    close = cities[:3] or [known[folded] for folded in get_close_matches(wanted, similar, n=3, cutoff=0.7)]
    return f"did you mean {' or '.join(close)}?" if close else usual
