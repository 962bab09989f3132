"""`H`: stable values chosen from the job's name, evenly distributed over many names."""

from collections import Counter

import pytest

from minutehand.schedule import Schedule
from minutehand.schedule.clocktime import set_bits
from minutehand.schedule.field_parser import hash_value
from tests.unit.schedule.expressions import LIMITS, NAMES
from tests.unit.schedule.oracle import utc

JOBS = [f"shop/job-{n}" for n in range(20_000)]
FIELDS = ("seconds", "minutes", "hours", "days", "months", "weekdays")


def values(text, name="shop/nightly"):
    """Values of the six fields, from second to weekday."""
    timing = Schedule.parse(text, name=name).parts[0].timing
    return [set_bits(getattr(timing, field)) for field in FIELDS]


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("shop/nightly", [[6], [59], [7], [24], [3], [5]]),
        ("shop/nightly-2", [[55], [26], [16], [14], [10], [6]]),
        ("büro/früh", [[48], [8], [14], [25], [5], [3]]),
    ],
)
def test_values_chosen_for_a_name_are_stable(name, chosen):
    # Pinned: another hash would move every job there is.
    assert values("H H H H H H", name) == chosen


@pytest.mark.parametrize(("n", "size"), [(0, 60), (1, 60), (2, 24), (3, 28), (4, 12), (5, 7)])
def test_values_of_each_field_are_evenly_distributed(n, size):
    counts = Counter(hash_value(name, NAMES[n], size) for name in JOBS)
    assert sorted(counts) == list(range(size))
    expected = len(JOBS) / size
    # Of a fair draw, chi-square with size - 1 degrees of freedom stays below this but once in some 100,000 times.
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < (size - 1) + 6 * (2 * (size - 1)) ** 0.5


@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (1, 5)])
def test_values_of_different_fields_are_independent(one, other):
    sizes = (60, 60, 24, 28, 12, 7)
    # Coarse classes, so that each pair is expected often.
    counts = Counter(
        (hash_value(name, NAMES[one], sizes[one]) % 6, hash_value(name, NAMES[other], sizes[other]) % 6)
        for name in JOBS
    )
    rows, columns = Counter(), Counter()
    for (a, b), count in counts.items():
        rows[a] += count
        columns[b] += count
    cells = [(rows[a] * columns[b] / len(JOBS), counts[a, b]) for a in rows for b in columns]
    freedom = (len(rows) - 1) * (len(columns) - 1)
    assert sum((count - expected) ** 2 / expected for expected, count in cells) < freedom + 6 * (2 * freedom) ** 0.5


@pytest.mark.parametrize("n", range(6))
def test_plain_h_chooses_only_values_of_the_field(n):
    low, high = LIMITS[n]
    high = 28 if n == 3 else high
    text = " ".join("H" if k == n else "*" if k > 2 else "0" for k in range(6))
    chosen = {tuple(values(text, name)[n]) for name in JOBS[:300]}
    assert chosen <= {(value,) for value in range(low, high + 1)}
    assert len(chosen) > 0.9 * (high - low + 1)


def test_h_with_a_range_chooses_every_value_of_the_range():
    chosen = {values("H(20-30) 0 * * *", name)[1][0] for name in JOBS[:200]}
    assert chosen == set(range(20, 31))
    assert {tuple(values("H(7-7) 0 * * *", name)[1]) for name in JOBS[:20]} == {(7,)}


@pytest.mark.parametrize(
    ("text", "n"), [("H/15 * * * *", 1), ("0 H/5 * * *", 2), ("0 0 * H/4 *", 4), ("0 0 * * H/3", 5)]
)
def test_h_with_a_step_starts_at_every_offset_below_the_step(text, n):
    step, (low, high) = int(text.split("/")[1].split()[0]), LIMITS[n]
    found = {tuple(values(text, name)[n]) for name in JOBS[:120]}
    assert found == {tuple(range(start, high + 1, step)) for start in range(low, low + step)}


def test_h_with_a_range_and_a_step_stays_within_the_range():
    found = {tuple(values("H(10-29)/7 0 * * *", name)[1]) for name in JOBS[:120]}
    assert found == {tuple(range(start, 30, 7)) for start in range(10, 17)}


@pytest.mark.parametrize("step", [1, 2, 7, 15, 28, 29, 30, 31, 35, 60, 1000])
def test_h_with_a_step_in_day_of_month_has_a_day_in_february(step):
    for name in JOBS[:60]:
        days = values(f"0 0 H/{step} * *", name)[3]
        assert days == list(range(days[0], 32, step))
        assert days[0] <= min(step, 28)
        assert Schedule.parse(f"0 0 H/{step} 2 *", name=name).next(utc("2026-01-15T00:00")).year == 2026


def test_same_field_and_name_choose_the_same_value_in_a_list():
    assert values("H,H 0 * * *")[1] == values("H 0 * * *")[1]
    assert values("H,59 0 * * *")[1] == sorted({values("H 0 * * *")[1][0], 59})


def test_chosen_value_does_not_depend_on_blanks_dialect_or_zone():
    chosen = values("H H * * *")
    assert values("  H\tH  * * *") == chosen
    for dialect in ("robfig", "eventbridge"):
        timing = Schedule.parse("H H * * *", "Asia/Tokyo", dialect, name="shop/nightly").parts[0].timing
        assert [set_bits(timing.minutes), set_bits(timing.hours)] == chosen[1:3]


def test_joined_texts_choose_the_same_values_as_single_texts():
    joined = Schedule.parse(["H 3 * * *", "H 15 * * *"], name="shop/nightly")
    assert {part.timing.minutes for part in joined.parts} == {1 << values("H 3 * * *")[1][0]}
