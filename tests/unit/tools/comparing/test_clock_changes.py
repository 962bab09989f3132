"""The changes of clocks beside which schedulers differ."""

from __future__ import annotations

from datetime import UTC, datetime

from minutehand.tools.comparing.clock_changes import clock_changes

FIRST, LAST = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC)


def test_each_change_of_a_span_is_named_to_the_second() -> None:
    assert [change.text for change in clock_changes("Europe/Paris", FIRST, LAST)] == [
        "clocks in Europe/Paris go forward by 1h at 2026-03-29T01:00:00Z",
        "clocks in Europe/Paris go back by 1h at 2026-10-25T01:00:00Z",
    ]
    assert not [*clock_changes("UTC", FIRST, LAST)]
    assert not [*clock_changes("Nowhere/City", FIRST, LAST)]


def test_a_difference_is_beside_a_change_within_three_hours() -> None:
    [change, _] = clock_changes("Europe/Paris", FIRST, LAST)
    at = change.at.timestamp()
    assert [change.is_beside(at + hours * 3600) for hours in (-4, -2, 0, 3, 3.1)] == [False, True, True, True, False]
