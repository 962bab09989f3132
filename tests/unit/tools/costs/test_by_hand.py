"""Three jobs, priced by hand: each figure is copied from docs/reference/costs.md or the price list, and none comes from the model."""

import pytest

from minutehand.tools.costs.estimate import Estimate, estimate
from minutehand.tools.costs.forecast import Assumed, forecast
from minutehand.tools.costs.prices import shipped_prices
from minutehand.tools.costs.units import Unit
from tests.unit.tools.costs.jobs import NOW, job

GB = 1024**3
HOURS = 730
RUN = 0.0095 / (512 / 1_769)
"""Seconds of a worker for a run, of whose 9.5 ms of a processor it has 0.29 at a time."""
LOOKS = HOURS * 60 * (1 + 1 / 16) * 0.026
"""Read units of a packed timer: each tick reads it, and every 16th sweep."""
CLAIM = 0.00065 / (512 / 1_769)
"""Seconds of a tick for an occurrence."""
KEPT = 30 * 24 / HOURS
"""What is kept for 30 days is there at a time, of what a month makes."""


def priced(assumed: Assumed, schedule: str, **fields: object) -> Estimate:
    jobs = [job(schedule=schedule, **fields)]
    return estimate(jobs, forecast(jobs, NOW, assumed), shipped_prices().region("us-east-1"), NOW)


def dollars(
    *, writes: float, reads: float, calls: float, batches: float, seconds: float, kept: float, logged: float
) -> float:
    """By the list prices of us-east-1, of workers with half a GB. kept, logged: in bytes."""
    dynamodb = writes * 0.625e-6 + reads * 0.125e-6 + kept / GB * (0.25 + 0.20)
    return dynamodb + calls * 0.40e-6 + batches * 0.20e-6 + seconds / 2 * 13.3334e-6 + logged / GB * 0.50


def test_a_plain_job_of_every_minute() -> None:
    runs = HOURS * 60
    found = priced(Assumed(), "* * * * *")
    assert found.jobs[0].month.runs == runs == 43_800
    by_hand = dollars(
        writes=runs * 5,  # claim alone 2, advance 1, start 1, report 1
        reads=runs * (3 + 1.25) + LOOKS,  # run, definition, namespace, and the sweep's looks
        calls=runs * 4,  # sent, received, hidden, deleted
        batches=runs,
        seconds=runs * (0.3 + 0.05 + RUN + CLAIM),  # the call, what is beside it, and its part of the tick
        kept=runs * KEPT * 1000,
        logged=runs * (300 + 380),
    )
    assert by_hand == pytest.approx(0.383, abs=0.005)
    assert found.jobs[0].dollars == pytest.approx(by_hand)
    metrics = 7 * 0.30  # claimed; late, took, succeeded twice: each has values in every hour
    ticks = runs * 220 / 1024**3 * 0.50  # a line of each tick's metrics
    assert found.dollars == pytest.approx(by_hand + metrics + ticks + 0.8498, abs=0.0001)


def test_what_a_stack_costs_by_itself() -> None:
    ticks = sweeps = HOURS * 60
    by_hand = dollars(
        writes=ticks + HOURS,  # the sweeps record their position once an hour
        reads=ticks * (8 * 0.5 + 16 * 0.5 + 1 / 5) + sweeps * 6.6,
        calls=2 * 5 * HOURS * 3600 / 20
        + sweeps,  # two lanes, five pollers each, an answer every 20 s; the dead letters
        batches=ticks + sweeps,
        seconds=(ticks + sweeps) * 0.1,
        kept=0,
        logged=0,
    )
    alarm = 0.10
    assert by_hand + alarm == pytest.approx(0.8498, abs=0.0001)
    assert estimate([], {}, shipped_prices().region("us-east-1"), NOW).dollars == pytest.approx(by_hand + alarm)


def test_a_fixed_delay_with_retries() -> None:
    retry = {"max_attempts": 3, "backoff": {"initial": "30s"}}
    found = priced(Assumed(seconds=2, failures=0.1), "@after 10m", retry=retry)
    lasts = 2 + 0.1 * (30 + 2) + 0.01 * (60 + 2)
    runs = HOURS * 3600 / (600 + lasts)
    again = runs * (0.1 + 0.01)
    assert found.jobs[0].month.runs == pytest.approx(runs)
    assert runs == pytest.approx(4_338, abs=0.5)
    by_hand = dollars(
        # A plain run, the timer's next instant 1, the lock 3; a retry 3 and the lock again 3; an entry of what failed in the end 1.
        writes=runs * (5 + 4) + again * (3 + 3) + runs * 0.001,
        reads=runs * (3 + 1.25 + 6) + again * (3 + 2) + LOOKS,
        calls=(runs + again) * 4,
        batches=runs + again,
        seconds=(runs + again) * (2 + 0.05 + RUN) + runs * CLAIM,
        kept=runs * KEPT * 1000,
        logged=(runs + again) * (300 + 380),
    )
    assert by_hand == pytest.approx(0.111, abs=0.005)
    assert found.jobs[0].dollars == pytest.approx(by_hand)
    assert found.metrics.of(Unit.METRIC) == pytest.approx(7 + 2 * (again + runs * 0.001) / HOURS)


@pytest.mark.thorough
def test_a_job_of_every_second() -> None:
    runs = HOURS * 3600
    found = priced(Assumed(), "* * * * * *")
    assert found.jobs[0].month.runs == runs == 2_628_000
    by_hand = dollars(
        writes=runs * (1 + 2 / 60 + 1 / 60 + 2),  # two entries and one advance for the sixty of a minute
        reads=runs * (3 + 1.25) + LOOKS,
        calls=runs * (6 / 60 + 3),  # sixty are sent in six calls; each second's is received, hidden and deleted alone
        batches=runs,
        seconds=runs * (0.3 + 0.05 + RUN + CLAIM + 0.5 * 59 / 60),  # half a second of waiting, but on the minute
        kept=runs * KEPT * 1000,
        logged=runs * (300 + 380),
    )
    assert by_hand == pytest.approx(27.5, abs=0.1)
    assert found.jobs[0].dollars == pytest.approx(by_hand, rel=1e-4)
