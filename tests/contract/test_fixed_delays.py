"""Contract of stores of timers: the end of the outstanding run arms the timer of a fixed delay once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.timer import Timer
from tests.contract.examples import HOUR, MINUTE, NINE, SECOND, creation, timer_of
from tests.contract.stores import Stores
from tests.contract.timers import to
from tests.contract.together import together

pytestmark = pytest.mark.usefixtures("due_at_nine")


@pytest.fixture
def delayed(stores: Stores, namespace: str) -> Timer:
    """The timer of a fixed delay whose run of nine is outstanding, to be looked at ten minutes later."""
    key = JobKey(namespace=namespace, name="delayed")
    timer = timer_of(key, next_at=NINE + 10 * MINUTE, outstanding=NINE)
    assert stores.definitions.save(creation(key)._replace(timer_after=timer))
    return timer


def test_a_fixed_delay_is_not_armed_for_an_earlier_revision(stores, delayed):
    assert stores.timers.arm(delayed.job, 2, NINE, NINE + MINUTE) is None
    assert stores.timers.get(delayed.job) == delayed


@pytest.mark.parametrize("new", [NINE + MINUTE, NINE + 5 * HOUR])
def test_a_fixed_delay_is_armed_from_what_is_outstanding(stores, delayed, new):
    armed = replace(delayed, outstanding=new, next_at=new)
    assert stores.timers.arm(delayed.job, 1, NINE, new) == armed
    assert stores.timers.get(delayed.job) == armed
    assert stores.due(delayed.job, new - SECOND) == []
    assert stores.due(delayed.job, new) == [armed]


def test_arming_again_finds_it_armed(stores, delayed):
    armed = stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE)
    assert stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE) == armed


def test_arming_again_after_the_next_dispatch_returns_the_current_timer(stores, delayed):
    stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE)
    stores.timers.advance([to(delayed.job, NINE + 11 * MINUTE, old=NINE + MINUTE)])
    armed = replace(delayed, outstanding=NINE + MINUTE, next_at=NINE + 11 * MINUTE)
    assert stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE) == armed
    assert stores.timers.get(delayed.job) == armed


@pytest.mark.parametrize("outstanding", [NINE - MINUTE, NINE + SECOND, NINE + 10 * MINUTE])
def test_a_run_that_is_not_outstanding_arms_nothing(stores, delayed, outstanding):
    assert stores.timers.arm(delayed.job, 1, outstanding, NINE + MINUTE) is None
    assert stores.timers.get(delayed.job) == delayed


def test_a_run_that_ended_before_the_last_arms_nothing(stores, delayed):
    stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE)
    armed = stores.timers.arm(delayed.job, 1, NINE + MINUTE, NINE + 2 * MINUTE)
    assert stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE) is None
    assert stores.timers.get(delayed.job) == armed


def test_a_finished_fixed_delay_leaves_the_index_and_is_never_armed_again(stores, delayed):
    finished = replace(delayed, next_at=None)
    assert stores.timers.arm(delayed.job, 1, NINE, None) == finished
    assert stores.timers.get(delayed.job) == finished
    assert stores.due(delayed.job, NINE + 9 * HOUR) == []
    assert stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE) is None
    assert stores.timers.get(delayed.job) == finished


def test_a_fixed_delay_that_is_paused_is_not_armed(stores, namespace):
    key = JobKey(namespace=namespace, name="paused")
    paused = timer_of(key, next_at=None, outstanding=NINE, rule="")
    assert stores.definitions.save(creation(key)._replace(timer_after=paused))
    assert stores.timers.arm(key, 1, NINE, NINE + MINUTE) is None
    assert stores.timers.arm(key, 1, NINE, None) is None
    assert stores.timers.get(key) == paused


def test_a_job_that_has_no_fixed_delay_or_does_not_exist_is_not_armed(stores, job, namespace):
    assert stores.timers.arm(job, 1, NINE, NINE + MINUTE) is None
    assert stores.timers.get(job) == timer_of(job)
    nobody = JobKey(namespace=namespace, name="nobody")
    assert stores.timers.arm(nobody, 1, NINE, NINE + MINUTE) is None
    assert stores.timers.get(nobody) is None


def test_concurrent_arms_of_one_end_return_the_same_timer(stores, delayed):
    found = set(together(lambda _: stores.timers.arm(delayed.job, 1, NINE, NINE + MINUTE)))
    assert found == {replace(delayed, outstanding=NINE + MINUTE, next_at=NINE + MINUTE)}
