from __future__ import annotations

from datetime import UTC, datetime, timedelta

from minutehand.domain.throttle import Level, Throttle

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
FEW = Throttle(rate=2, burst=3)


def _passed(throttle: Throttle, instants: list[datetime], level: Level | None = None) -> list[bool]:
    passed = []
    for instant in instants:
        level, wait = throttle.take(level, instant)
        passed.append(not wait)
    return passed


def test_a_burst_passes_at_once_and_what_follows_waits() -> None:
    assert _passed(FEW, [NOW] * 5) == [True, True, True, False, False]


def test_so_many_a_second_pass_after_a_burst() -> None:
    later = [NOW + SECOND * number / 4 for number in range(1, 9)]
    assert _passed(FEW, [NOW] * 3 + later) == [True] * 3 + [False, True] * 4


def test_a_refused_request_is_told_when_the_next_may_pass() -> None:
    level, _ = Throttle(rate=4, burst=1).take(None, NOW)
    level, wait = Throttle(rate=4, burst=1).take(level, NOW)
    assert wait == timedelta(seconds=0.25)
    assert Throttle(rate=4, burst=1).take(level, NOW + wait)[1] == timedelta(0)


def test_a_long_rest_gives_no_more_than_a_burst() -> None:
    level, _ = FEW.take(None, NOW)
    assert _passed(FEW, [NOW + timedelta(days=1)] * 4, level) == [True, True, True, False]


def test_a_clock_that_goes_backwards_gives_nothing() -> None:
    level, _ = Throttle(rate=1, burst=1).take(None, NOW)
    assert _passed(Throttle(rate=1, burst=1), [NOW - SECOND, NOW - SECOND], level) == [False, False]
