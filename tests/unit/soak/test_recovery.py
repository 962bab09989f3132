"""The soak's checker notices what is active for ever, found late, or grows."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.soak import bounds
from tests.soak.evidence import Evidence
from tests.unit.soak.scene import JOB, at, broken, outage, sample, well, with_run

BOUND = bounds.OVERDUE + bounds.FOUND + bounds.SLACK


def _started(evidence: Evidence, seconds: float) -> Evidence:
    """The third run began so late."""
    begun = at(60 + seconds)
    return with_run(evidence, 2, started_at=begun, finished_at=begun + timedelta(seconds=1), lateness_ms=1000 * seconds)


@pytest.mark.parametrize("state", ["queued", "running", "waiting", "retrying"])
def test_a_run_that_is_still_active_at_the_end_is_noticed(state: str) -> None:
    assert "nothing active for ever" in broken(with_run(well(), 2, state=state, finished_at=None))


def test_a_run_that_begins_after_the_bound_is_noticed() -> None:
    assert broken(_started(well(), BOUND - 1)) == {}
    [violation] = broken(_started(well(), BOUND + 1))["overdue found"]
    assert "was due to be started at 2026-11-22 12:01:30" in violation


def test_after_an_outage_the_bound_counts_from_its_end() -> None:
    outages = (outage(at(50), 300),)
    late = 290 + bounds.RETURN + bounds.SLACK
    assert broken(replace(_started(well(), late - 1), faults=outages)) == {}
    assert "overdue found" in broken(replace(_started(well(), late + 1), faults=outages))


def test_an_outage_that_began_after_the_bound_excuses_nothing() -> None:
    late = replace(_started(well(), BOUND + 30), faults=(outage(at(60 + BOUND + 5), 20),))
    assert "overdue found" in broken(late)


def test_doubled_messages_excuse_nothing() -> None:
    late = replace(_started(well(), BOUND + 1), faults=(outage(at(60), 200, "doubled"),))
    assert "overdue found" in broken(late)


def test_a_kill_excuses_a_run_that_it_hit_again_but_not_many() -> None:
    again = (outage(at(60 + bounds.OVERDUE + 10), 0, "worker killed"),)
    assert broken(replace(_started(well(), BOUND + 40), faults=again)) == {}
    many = well()
    for number in range(2, 6):
        begun = at(30 * number + BOUND + 20)
        many = with_run(many, number, started_at=begun, finished_at=begun + timedelta(seconds=1))
    kills = tuple(outage(at(60 + bounds.OVERDUE + 30 * number), 0, "worker killed") for number in range(5))
    [violation] = broken(replace(many, faults=kills))["overdue found"]
    assert "found only after another kill" in violation


def test_a_run_that_no_tick_claims_in_time_is_noticed() -> None:
    late = with_run(_started(well(), BOUND + 2), 2, claimed_at=at(60 + BOUND + 1))
    assert any("to be claimed" in text for text in broken(late)["overdue found"])


def test_an_attempt_that_does_not_end_by_its_lease_is_noticed() -> None:
    limit = JOB.timeout + bounds.LEASE + BOUND
    late = with_run(well(), 2, finished_at=at(60 + limit + 5), state="timed_out")
    assert any("to be ended" in text for text in broken(late)["overdue found"])


def test_a_take_over_counts_from_the_end_of_the_lease() -> None:
    def taken_over(after: float) -> Evidence:
        attempts: list[dict[str, Any]] = [
            {"number": 1, "started_at": at(60.2).isoformat(), "finished_at": None},
            {"number": 2, "started_at": at(60.2 + after).isoformat(), "finished_at": at(61 + after).isoformat()},
        ]
        newest = {"attempt": 2, "started_at": attempts[1]["started_at"], "finished_at": attempts[1]["finished_at"]}
        found = with_run(well(), 2, attempts=attempts, **newest)
        return replace(found, faults=(outage(at(60.3), 0, "worker killed"),))

    lease = JOB.timeout + bounds.LEASE
    assert "overdue found" not in broken(taken_over(lease + BOUND - 1))
    assert "overdue found" in broken(taken_over(lease + BOUND + 1))


@pytest.mark.parametrize(
    ("grown", "name"),
    [
        ({"emulator": 300.0}, "the emulator's memory"),
        ({"largest": {"HttpWorkerFunction": 90.0}}, "memory of HttpWorkerFunction"),
        ({"ready": 500}, "messages ready for a worker"),
    ],
)
def test_growth_is_noticed(grown: dict[str, Any], name: str) -> None:
    samples = tuple(sample(number, **(grown if number >= 15 else {})) for number in range(20))
    [violation] = broken(replace(well(), samples=samples))["no growth"]
    assert name in violation


def test_what_is_stored_for_each_run_is_no_growth() -> None:
    stored = [
        sample(number, calls=400 * number, emulator=120 + 400 * number * bounds.STORED_PER_RUN) for number in range(20)
    ]
    assert broken(replace(well(), samples=tuple(stored))) == {}


def test_too_few_samples_are_no_proof() -> None:
    assert "no growth" in broken(replace(well(), samples=well().samples[:3]))
