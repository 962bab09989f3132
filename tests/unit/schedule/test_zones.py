"""Zone tables compared with the standard library's reading of the same files."""

import importlib.metadata
from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from minutehand.schedule import TZDATA_VERSION, Schedule
from minutehand.schedule.dialect import FOLLOW_THE_CLOCK, VIXIE
from minutehand.schedule.tzif import read_changes
from minutehand.schedule.zones import MAX_INSTANT, segments, zone_names
from tests.unit.schedule.oracle import seeded, zone

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def offset_at(table, instant):
    return table.offsets[bisect_right(table.starts, instant) - 1]


@pytest.mark.thorough
def test_offsets_of_every_zone_match_the_standard_library():
    random = seeded(11)
    for name in sorted(zone_names()):
        table, reference = segments(name, FOLLOW_THE_CLOCK), zone(name)
        near = [
            start + step
            for start in random.sample(table.starts[1:-1], min(4, len(table.starts) - 2))
            for step in (-1, 0)
        ]
        for instant in [*near, *(random.randrange(-(2**31), 4_000_000_000) for _ in range(6))]:
            expected = (EPOCH + timedelta(seconds=instant)).astimezone(reference).utcoffset()
            assert timedelta(seconds=offset_at(table, instant)) == expected, (name, instant)


@pytest.mark.thorough
def test_local_times_up_to_forty_years_ahead_match_the_standard_library():
    random = seeded(12)
    for name in sorted(zone_names()):
        reference = zone(name)
        for _ in range(3):
            after = EPOCH + timedelta(seconds=random.randrange(1_795_000_000, 1_795_000_000 + 40 * 31_556_952))
            today, time = after.astimezone(reference).date(), random.randrange(1440)
            walls = [
                datetime.combine(today, datetime.min.time()) + timedelta(days=day, minutes=time) for day in range(3)
            ]
            passes = [wall.replace(tzinfo=reference, fold=fold).astimezone(UTC) for wall in walls for fold in (0, 1)]
            shown = [at for at in passes if at.astimezone(reference).replace(tzinfo=None) in walls]
            schedule = Schedule.parse(f"{time % 60} {time // 60} * * *", timezone=name, dialect="robfig")
            assert schedule.next(after) == min(at for at in shown if at > after), (name, after, schedule.text)


def test_no_zone_has_two_changes_within_six_hours():
    # The rules for gaps and folds look at one change at a time, which is exact only while this holds.
    for name in sorted(zone_names()):
        starts = [start for start in segments(name, VIXIE.at_times).starts[1:] if start > 0]
        assert all(later - earlier > 2 * 3 * 3600 for earlier, later in pairwise(starts)), name


def test_table_of_a_zone_without_future_changes_is_valid_for_ever():
    assert segments("Asia/Tokyo", VIXIE.at_times).valid_until == MAX_INSTANT
    assert segments("America/New_York", VIXIE.at_times).valid_until < MAX_INSTANT


@pytest.mark.parametrize("year", [2059, 2061, 2099, 2101, 2400, 2501, 9000])
def test_clock_rules_apply_in_distant_years(year):
    noon = Schedule.parse("0 12 * * *", timezone="America/New_York")
    for month, utc_hour in ((1, 17), (7, 16)):
        assert noon.next(datetime(year, month, 10, tzinfo=UTC)) == datetime(year, month, 10, utc_hour, tzinfo=UTC)


def test_tzdata_version_matches_the_pinned_wheel():
    year, patch = importlib.metadata.version("tzdata").split(".")[:2]
    assert f"{year}{chr(ord('a') + int(patch) - 1)}" == TZDATA_VERSION


@pytest.mark.parametrize("data", [b"not a zone file".ljust(60), b"TZif\x00".ljust(60, b"\x00")])
def test_data_that_is_not_tzif_version_2_is_refused(data):
    with pytest.raises(ValueError, match="not a TZif file"):
        read_changes(data, through_year=2100)
