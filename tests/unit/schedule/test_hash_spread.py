"""`H`: a value chosen by the job's name, the same for ever, and evenly spread over many names."""

from collections import Counter

import pytest

from minutehand.schedule import Schedule, ScheduleError
from minutehand.schedule.clocktime import bits_of
from minutehand.schedule.spread import spread
from tests.unit.schedule.expressions import LIMITS, NAMES, hashed
from tests.unit.schedule.oracle import utc

JOBS = [f"shop/job-{n}" for n in range(20_000)]
FIELDS = ("seconds", "minutes", "hours", "days", "months", "weekdays")


def values(text, name="shop/nightly"):
    """What each of six fields names, from the second to the weekday."""
    timing = Schedule.parse(text, name=name).parts[0].timing
    return [bits_of(getattr(timing, field)) for field in FIELDS]


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("shop/nightly", [[6], [59], [7], [24], [3], [5]]),
        ("shop/nightly-2", [[55], [26], [16], [14], [10], [6]]),
        ("büro/früh", [[48], [8], [14], [25], [5], [3]]),
    ],
)
def test_what_a_name_chooses_never_changes(name, chosen):
    # Pinned: another hash would move every job there is.
    assert values("H H H H H H", name) == chosen


def test_a_job_comes_at_its_own_time():
    schedule = Schedule.parse("H H * * *", name="shop/nightly")
    assert schedule.next(utc("2026-11-20T00:00")) == utc("2026-11-20T07:59")


@pytest.mark.parametrize(("n", "size"), [(0, 60), (1, 60), (2, 24), (3, 28), (4, 12), (5, 7)])
def test_every_field_is_filled_evenly(n, size):
    counts = Counter(spread(name, NAMES[n], size) for name in JOBS)
    assert sorted(counts) == list(range(size))
    expected = len(JOBS) / size
    # Of a fair draw, chi-square with size - 1 degrees of freedom stays below this but once in some 100,000 times.
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < (size - 1) + 6 * (2 * (size - 1)) ** 0.5


@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (1, 5)])
def test_one_field_tells_nothing_of_another(one, other):
    sizes = (60, 60, 24, 28, 12, 7)
    # Coarse classes, so that each pair is expected often.
    counts = Counter(
        (spread(name, NAMES[one], sizes[one]) % 6, spread(name, NAMES[other], sizes[other]) % 6) for name in JOBS
    )
    rows, columns = Counter(), Counter()
    for (a, b), count in counts.items():
        rows[a] += count
        columns[b] += count
    cells = [(rows[a] * columns[b] / len(JOBS), counts[a, b]) for a in rows for b in columns]
    freedom = (len(rows) - 1) * (len(columns) - 1)
    assert sum((count - expected) ** 2 / expected for expected, count in cells) < freedom + 6 * (2 * freedom) ** 0.5


@pytest.mark.parametrize("n", range(6))
def test_each_field_takes_values_of_its_own_alone(n):
    low, high = LIMITS[n]
    high = 28 if n == 3 else high
    text = " ".join("H" if k == n else "*" if k > 2 else "0" for k in range(6))
    chosen = {tuple(values(text, name)[n]) for name in JOBS[:300]}
    assert chosen <= {(value,) for value in range(low, high + 1)}
    assert len(chosen) > 0.9 * (high - low + 1)


def test_within_a_range_every_value_is_taken_and_no_other():
    chosen = {values("H(20-30) 0 * * *", name)[1][0] for name in JOBS[:200]}
    assert chosen == set(range(20, 31))
    assert {tuple(values("H(7-7) 0 * * *", name)[1]) for name in JOBS[:20]} == {(7,)}


@pytest.mark.parametrize(
    ("text", "n"), [("H/15 * * * *", 1), ("0 H/5 * * *", 2), ("0 0 * H/4 *", 4), ("0 0 * * H/3", 5)]
)
def test_a_step_starts_below_itself_and_goes_round_the_field(text, n):
    step, (low, high) = int(text.split("/")[1].split()[0]), LIMITS[n]
    found = {tuple(values(text, name)[n]) for name in JOBS[:120]}
    assert found == {tuple(range(start, high + 1, step)) for start in range(low, low + step)}


def test_a_step_in_a_range_stays_within_it():
    found = {tuple(values("H(10-29)/7 0 * * *", name)[1]) for name in JOBS[:120]}
    assert found == {tuple(range(start, 30, 7)) for start in range(10, 17)}


@pytest.mark.parametrize("step", [1, 2, 7, 15, 28, 29, 30, 31, 35, 60, 1000])
def test_days_with_a_step_begin_early_enough_for_any_february(step):
    for name in JOBS[:60]:
        days = values(f"0 0 H/{step} * *", name)[3]
        assert days == list(range(days[0], 32, step))
        assert days[0] <= min(step, 28)
        assert Schedule.parse(f"0 0 H/{step} 2 *", name=name).next(utc("2026-01-15T00:00")).year == 2026


def test_equal_fields_of_one_name_choose_alike_and_lists_join():
    assert values("H,H 0 * * *")[1] == values("H 0 * * *")[1]
    assert values("H,59 0 * * *")[1] == sorted({values("H 0 * * *")[1][0], 59})


def test_the_hash_is_the_documented_one():
    for name in JOBS[:200]:
        assert [spread(name, field, size) for field, size in zip(NAMES, (60, 60, 24, 28, 12, 7), strict=True)] == [
            hashed(name, field, size) for field, size in zip(NAMES, (60, 60, 24, 28, 12, 7), strict=True)
        ]


def test_whitespace_dialect_and_zone_do_not_move_it():
    chosen = values("H H * * *")
    assert values("  H\tH  * * *") == chosen
    for dialect in ("robfig", "eventbridge"):
        timing = Schedule.parse("H H * * *", "Asia/Tokyo", dialect, name="shop/nightly").parts[0].timing
        assert [bits_of(timing.minutes), bits_of(timing.hours)] == chosen[1:3]


def test_joined_texts_choose_each_as_if_alone():
    joined = Schedule.parse(["H 3 * * *", "H 15 * * *"], name="shop/nightly")
    assert {part.timing.minutes for part in joined.parts} == {1 << values("H 3 * * *")[1][0]}


def test_without_a_name_it_is_refused_at_its_place():
    with pytest.raises(ScheduleError) as refusal:
        Schedule.parse("0 H * * *")
    assert (refusal.value.field, refusal.value.column) == ("hour", 2)
