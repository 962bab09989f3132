"""Which attempts are retried, and after how long."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from minutehand.domain.policies import ONE_TRY, Backoff, Retry
from minutehand.domain.retry_time import retry_at
from minutehand.domain.run import Result, Run, RunError, RunState
from tests.unit.domain.examples import MINUTE, SECOND, at, job, run

EVEN = Backoff(initial=10 * SECOND, factor=2, max=15 * MINUTE, jitter=0)


def ended(attempt: int = 1, *, status: int | None = None, error: str = "", **fields: Any) -> Run:
    """A run whose newest attempt has failed, a minute after its first one started."""
    known = {
        "state": RunState.FAILED,
        "attempt": attempt,
        "lateness": timedelta(0),
        "result": None if status is None else Result("http", status, ""),
        "error": RunError(error, "why") if error else None,
    }
    return run("09:00", **known | fields)


def wait(one: Run, retry: Retry, now: str = "09:01", **fields: Any) -> timedelta | None:
    then = retry_at(one, job(retry=retry, **fields), now=at(now))
    return None if then is None else then - at(now)


def test_by_default_nothing_is_retried() -> None:
    assert wait(ended(), ONE_TRY) is None


@pytest.mark.parametrize(
    ("attempt", "takeovers", "retried", "why"),
    [
        (1, 0, True, "the first of three"),
        (2, 0, True, "the second"),
        (3, 0, False, "the last"),
        (3, 1, True, "one of the three took over from a dead worker"),
        (5, 2, False, "three were its own"),
        (4, 0, False, "the limit was lowered meanwhile"),
    ],
)
def test_attempts_are_counted_without_take_overs(attempt: int, takeovers: int, retried: bool, why: str) -> None:
    assert (wait(ended(attempt, takeovers=takeovers), Retry(3, EVEN)) is not None) is retried, why


@pytest.mark.parametrize("state", [s for s in RunState if s not in (RunState.FAILED, RunState.TIMED_OUT)])
def test_only_what_failed_or_timed_out_is_retried(state: RunState) -> None:
    assert wait(ended(state=state), Retry(3, EVEN)) is None


def test_a_cancelled_run_is_not_retried() -> None:
    assert wait(ended(cancelled_by="ada"), Retry(3, EVEN)) is None


TIMED_OUT = ended(state=RunState.TIMED_OUT, error="TimedOut")


@pytest.mark.parametrize(
    ("one", "retry_on", "give_up_on", "retried"),
    [
        (ended(status=503), (), (), True),
        (ended(status=503), ("503",), (), True),
        (ended(status=503), ("5xx",), (), True),
        (ended(status=500), ("503",), (), False),
        (ended(status=404), ("5xx",), (), False),
        (ended(status=404, error="HttpStatus"), ("HttpStatus",), (), True),
        (ended(error="ConnectionRefused"), ("ConnectionRefused",), (), True),
        (ended(error="ConnectionRefused"), ("5xx", "timed_out"), (), False),
        (ended(error="connectionrefused"), ("ConnectionRefused",), (), False),
        (TIMED_OUT, ("timed_out",), (), True),
        (TIMED_OUT, ("TimedOut",), (), True),
        (TIMED_OUT, ("5xx",), (), False),
        (TIMED_OUT, (), ("timed_out",), False),
        (ended(error="timed_out"), ("timed_out",), (), True),
        (ended(status=503), (), ("503",), False),
        (ended(status=503), (), ("4xx",), True),
        (ended(status=503), ("5xx",), ("503",), False),
        (ended(status=502), ("5xx",), ("503",), True),
        (ended(), ("5xx",), (), False),
        (ended(), (), ("5xx",), True),
    ],
)
def test_an_attempt_is_retried_by_status_class_of_status_error_or_timeout(
    one: Run, retry_on: tuple[str, ...], give_up_on: tuple[str, ...], retried: bool
) -> None:
    assert (wait(one, Retry(3, EVEN, retry_on, give_up_on)) is not None) is retried


def test_each_wait_is_longer_by_the_factor_up_to_the_longest() -> None:
    waits = [wait(ended(attempt), Retry(20, EVEN)) for attempt in range(1, 20)]
    assert waits == [min(10 * SECOND * 2**number, 15 * MINUTE) for number in range(19)]


def test_a_factor_of_one_keeps_the_wait_as_it_is() -> None:
    assert {wait(ended(attempt), Retry(20, EVEN._replace(factor=1))) for attempt in range(1, 20)} == {10 * SECOND}


def test_take_overs_do_not_lengthen_the_wait() -> None:
    assert wait(ended(4, takeovers=3), Retry(3, EVEN)) == 10 * SECOND


def test_the_largest_factor_and_number_are_no_trouble() -> None:
    largest = Backoff(initial=timedelta(hours=12), factor=10.0, max=timedelta(hours=12), jitter=1.0)
    waited = wait(ended(100_000, takeovers=0), Retry(200_000, largest))
    assert waited is not None
    assert timedelta(0) <= waited <= timedelta(hours=24, seconds=1)


def test_the_longest_wait_may_be_shorter_than_the_first() -> None:
    assert wait(ended(), Retry(3, EVEN._replace(max=4 * SECOND))) == 4 * SECOND


def test_a_wait_is_not_rounded_up_to_a_whole_second() -> None:
    assert retry_at(ended(), job(retry=Retry(3, EVEN)), now=at("09:01:00.001")) == at("09:01:10.001")


def test_a_wait_is_in_whole_milliseconds_as_stored_instants_are() -> None:
    waited = wait(ended(), Retry(3, EVEN._replace(initial=3 * SECOND, jitter=0.7)))
    assert waited is not None
    assert waited % timedelta(milliseconds=1) == timedelta(0)


@pytest.mark.parametrize("jitter", [0.1, 0.5, 1.0])
def test_jitter_spreads_waits_on_both_sides_and_no_farther(jitter: float) -> None:
    backoff = EVEN._replace(initial=1000 * SECOND, max=1000 * SECOND, jitter=jitter)
    waits = []
    for minute in range(60):
        one = run(f"09:{minute:02d}", state=RunState.FAILED, attempt=1, lateness=timedelta(0))
        then = retry_at(one, job(retry=Retry(2, backoff)), now=at("10:00"))
        assert then is not None
        waits.append((then - at("10:00")) / SECOND)
    assert 1000 * (1 - jitter) <= min(waits) < 1000 * (1 - jitter / 2)
    assert 1000 * (1 + jitter / 2) < max(waits) <= 1000 * (1 + jitter) + 1


def test_the_wait_of_an_attempt_is_always_the_same() -> None:
    retry = Retry(3, EVEN._replace(jitter=1.0))
    assert len({wait(ended(), retry) for _ in range(5)}) == 1


def test_attempts_of_one_run_are_spread_differently() -> None:
    retry = Retry(20, Backoff(initial=1000 * SECOND, factor=1, max=1000 * SECOND, jitter=1.0))
    waits = [wait(ended(attempt), retry) for attempt in range(1, 20)]
    assert all(one != other for one, other in pairwise(waits))


@pytest.mark.parametrize(
    ("limit", "now", "retried", "why"),
    [
        (2 * MINUTE, "09:01:49", True, "it starts a second before the run's limit"),
        (2 * MINUTE, "09:01:50", False, "it would start at the run's limit"),
        (2 * MINUTE, "09:03", False, "the limit is behind"),
        (None, "20:00", True, "there is no limit"),
    ],
)
def test_no_attempt_starts_at_the_limit_of_the_whole_run_or_later(
    limit: timedelta | None, now: str, retried: bool, why: str
) -> None:
    assert (wait(ended(), Retry(3, EVEN), now, run_timeout=limit) is not None) is retried, why


def test_the_limit_of_the_whole_run_counts_from_its_first_attempt() -> None:
    late = ended(lateness=30 * MINUTE)
    then: datetime | None = retry_at(late, job(retry=Retry(3, EVEN), run_timeout=MINUTE), now=at("09:30:40"))
    assert then == at("09:30:50")


@pytest.mark.parametrize(
    ("asked", "waits"),
    [
        (timedelta(0), 10 * SECOND),
        (9 * SECOND, 10 * SECOND),
        (11 * SECOND, 11 * SECOND),
        (14 * MINUTE, 14 * MINUTE),
        (timedelta(days=9), 15 * MINUTE),
    ],
)
def test_a_retry_waits_as_long_as_its_target_asks_up_to_the_longest_wait(asked: timedelta, waits: timedelta) -> None:
    then = retry_at(ended(), job(retry=Retry(3, EVEN)), now=at("09:01"), asked=asked)
    assert then == at("09:01") + waits


def test_jitter_only_lengthens_the_wait_that_a_target_asks_for_and_spreads_its_runs() -> None:
    retry = Retry(3, EVEN._replace(jitter=0.5))
    hours = [f"{hour:02}:00" for hour in range(24)]
    waits = [
        (retry_at(replace(ended(), key=run(hour).key), job(retry=retry), now=at("09:01"), asked=MINUTE) or at("09:01"))
        - at("09:01")
        for hour in hours
    ]
    assert all(MINUTE <= wait <= 1.5 * MINUTE for wait in waits)
    assert len(set(waits)) > 20


def test_a_retry_that_its_target_wants_after_the_end_of_the_run_is_none() -> None:
    limited = job(retry=Retry(3, EVEN), run_timeout=5 * MINUTE)
    assert retry_at(ended(), limited, now=at("09:01"), asked=3 * MINUTE) == at("09:04")
    assert retry_at(ended(), limited, now=at("09:01"), asked=4 * MINUTE) is None
