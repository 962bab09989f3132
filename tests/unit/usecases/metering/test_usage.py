"""The computed part of the usage of a run."""

from __future__ import annotations

import pytest

from minutehand.domain.run import Usage
from minutehand.usecases.metering.usage import to_create, to_handle
from tests.unit.domain.examples import definition, revision, run


def test_units_add_up_to_a_thousandth() -> None:
    third = Usage(write=1 / 3, messages=0.1, worker_ms=7, puts=1, stored_bytes=5000)
    assert third.plus(third, Usage(read=0.2)) == Usage(0.667, 0.2, 0, 0.2, 14, 2, 10_000)


@pytest.mark.parametrize(
    ("schedule", "write"),
    [
        ("* * * * *", 3),
        ("0 9 * * *", 5),
        ("@every 90s", 3),
        ("*/10 * * * * *", 2.167),
        ("* * * * * *", 2.017),
        ("0,1,2 0 9 * * *", 3),
        ("@after 10m", 4),
        ("@after 4h", 8),
    ],
)
def test_a_claim_costs_two_and_its_share_of_an_advance(schedule: str, write: float) -> None:
    known = definition(revision(1, "08:00", schedule), schedule=schedule)
    assert to_create(run("09:00"), known) == Usage(write=write)


def test_a_claim_together_with_others_costs_one_and_its_share_of_their_entry() -> None:
    known = definition(revision(1, "08:00", "* * * * *"))
    assert to_create(run("09:00", entry="40-0123456789abcdef0123"), known) == Usage(write=1 + 1 / 40 + 1)


@pytest.mark.parametrize(("schedule", "write"), [("* * * * *", 10), ("0 9 * * *", 12)])
def test_a_counted_claim_is_one_transaction_with_its_advance(schedule: str, write: float) -> None:
    known = definition(revision(1, "08:00", schedule), schedule=schedule, max_runs=5)
    assert to_create(run("09:00"), known) == Usage(write=write)


def test_a_run_of_a_job_without_a_schedule_had_an_advance_of_its_own() -> None:
    assert to_create(run("09:00"), definition(revision(1, "08:00", None))) == Usage(write=5)


def test_handling_a_message_has_its_share_of_the_batch() -> None:
    assert to_handle(batch=10, of_job=2, of_namespace=10) == Usage(read=1.6, calls=0.2, messages=0.4)
    assert to_handle(batch=1, of_job=1, of_namespace=1) == Usage(read=3, calls=2, messages=4)
