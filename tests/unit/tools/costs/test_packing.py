"""The line above which timers are packed is held to the price file: packing pays for every job above it."""

from __future__ import annotations

import pytest
from benchmarks.workload import job, timer_of

from minutehand.adapters.dynamodb.calls.metering import item_size
from minutehand.adapters.dynamodb.codecs import timer_codec
from minutehand.domain.packing import OFTEN, WEEK
from minutehand.tools.costs import features
from minutehand.tools.costs.prices import PriceError, PriceList, read_prices, shipped_prices
from minutehand.tools.costs.units import Unit

TYPICAL = item_size(timer_codec.encode(timer_of(job("report-0001", "*/5 * * * *")), shards=8))
LONG = 450
"""Bytes of the timer of a job with a long name, several schedules, calendars and a limit."""
LINE = WEEK.total_seconds() / OFTEN / 60
"""Minutes, and so ticks, between two occurrences of a job on the line."""


def break_even(prices: PriceList, size: int) -> float:
    """Minutes between two occurrences at which the reads of a packed timer cost as much as the write units that it saves.

    Raises:
        PriceError: naming the price without which it cannot be computed.
    """
    for unit in (Unit.DYNAMODB_WRITE, Unit.DYNAMODB_READ):
        if not prices.prices.get(unit):
            raise PriceError(f"regions.{prices.region}.{unit.key} is missing: the line of packed timers needs it")
    saved = prices.dollars(Unit.DYNAMODB_WRITE, features.SELDOM.writes)
    look = prices.dollars(Unit.DYNAMODB_READ, size / 4096 / 2)
    assert saved is not None
    assert look is not None
    return saved / look


@pytest.mark.parametrize("region", shipped_prices().regions)
def test_packing_pays_above_the_line_even_for_long_timers_and_the_line_is_near(region: str) -> None:
    prices = shipped_prices().region(region)
    assert break_even(prices, LONG) == pytest.approx(LINE, rel=0.1)
    assert LINE < break_even(prices, TYPICAL) < 3 * LINE


def test_a_look_reads_what_a_typical_timer_takes() -> None:
    assert pytest.approx(TYPICAL / 4096 / 2, rel=0.02) == features.LOOK_READS


@pytest.mark.parametrize("missing", ["dynamodb_write", "dynamodb_read"])
def test_a_price_file_from_which_the_line_cannot_be_computed_is_refused_with_the_missing_price(missing: str) -> None:
    [left] = {"dynamodb_write", "dynamodb_read"} - {missing}
    prices = read_prices(f'{{"regions": {{"x": {{"{left}": 0.6}}}}}}').region("x")
    with pytest.raises(PriceError, match=rf"regions\.x\.{missing} is missing"):
        break_even(prices, TYPICAL)
