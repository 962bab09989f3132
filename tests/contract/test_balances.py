"""Contract of stores of the state of jobs' endpoints."""

from __future__ import annotations

import pytest

from minutehand.domain.balance import Balance, CallEnd, Ejection, Hold
from minutehand.usecases.ports.endpoints import Balances
from tests.contract.examples import HOUR, MINUTE, NINE, SECOND
from tests.contract.stores import in_dynamodb
from tests.contract.test_capacity import meter  # noqa: F401 - a fixture
from tests.contract.together import together

A, B = "https://10.0.3.7:8443/größe", "http://[fd00::1]:80"
RULE = Ejection(3, 30 * SECOND)
HOLD, LATER = Hold(A, NINE + MINUTE), Hold(B, NINE + HOUR)


def end(url: str = A, *, hold: Hold | None = None, failed: bool | None = None, gone: tuple[str, ...] = ()) -> CallEnd:
    return CallEnd(url, hold, failed, RULE, gone)


def test_a_job_begins_without_state(stores, job):
    assert stores.balances.get(job) == Balance()


def test_tickets_count_up_and_return_the_state(stores, job):
    assert stores.balances.draw(job, NINE) == Balance(tickets=1)
    stores.balances.record(job, end(failed=True), NINE)
    assert stores.balances.draw(job, NINE) == Balance(tickets=2, failures={A: 1}) == stores.balances.get(job)


def test_workers_at_once_draw_different_tickets(stores, job):
    drawn = together(lambda _: stores.balances.draw(job, NINE).tickets)
    assert sorted(drawn) == list(range(1, len(drawn) + 1))


def test_calls_in_flight_are_counted_by_endpoint_and_end(stores, job):
    empty = Balance()
    assert stores.balances.take(job, empty, HOLD, NINE) is None
    assert stores.balances.take(job, Balance(tickets=1), HOLD, NINE) is None
    assert stores.balances.take(job, Balance(tickets=2), LATER, NINE) is None
    state = stores.balances.get(job)
    assert (state.tickets, state.held) == (3, {HOLD: 2, LATER: 1})
    assert (state.in_flight(A, NINE), state.in_flight(A, NINE + MINUTE)) == (2, 0)
    stores.balances.record(job, end(hold=HOLD), NINE)
    assert stores.balances.get(job).held == {HOLD: 1, LATER: 1}


def test_of_workers_that_read_the_same_state_one_takes_and_the_others_get_the_state_after_it(stores, job):
    stores.balances.draw(job, NINE)
    before = stores.balances.get(job)
    answers = together(lambda _: stores.balances.take(job, before, HOLD, NINE))
    after = Balance(tickets=2, held={HOLD: 1})
    assert answers.count(None) == 1
    assert all(answer in (None, after) for answer in answers)
    assert stores.balances.get(job) == after


def test_a_take_without_state_that_comes_too_late_gets_the_state(stores, job):
    stores.balances.take(job, Balance(), HOLD, NINE)
    assert stores.balances.take(job, Balance(), HOLD, NINE) == Balance(tickets=1, held={HOLD: 1})


def test_a_take_drops_calls_of_workers_that_died(stores, job):
    stores.balances.take(job, Balance(), HOLD, NINE)
    before = stores.balances.get(job)
    assert stores.balances.take(job, before, LATER, NINE + MINUTE) is None
    assert stores.balances.get(job).held == {LATER: 1}


def test_the_late_end_of_a_call_whose_count_was_dropped_does_not_count(stores, job):
    stores.balances.take(job, Balance(), HOLD, NINE)
    stores.balances.take(job, stores.balances.get(job), LATER, NINE + MINUTE)
    stores.balances.record(job, end(hold=HOLD), NINE + 2 * MINUTE)
    assert stores.balances.get(job).in_flight(A, NINE) == 0


def test_failures_in_a_row_eject_an_endpoint_and_a_success_brings_it_back(stores, job):
    for failures in (1, 2):
        stores.balances.record(job, end(failed=True), NINE)
        assert stores.balances.get(job) == Balance(failures={A: failures})
    stores.balances.record(job, end(failed=True), NINE)
    state = stores.balances.get(job)
    assert state == Balance(failures={A: 3}, ejected={A: NINE + 30 * SECOND})
    assert [state.is_ejected(A, at) for at in (NINE, NINE + 30 * SECOND)] == [True, False]
    stores.balances.record(job, end(failed=True), NINE + MINUTE)
    assert stores.balances.get(job).ejected == {A: NINE + MINUTE + 30 * SECOND}, "one failure after its return suffices"
    stores.balances.record(job, end(failed=False), NINE + HOUR)
    assert stores.balances.get(job) == Balance()


def test_failures_of_workers_at_once_are_all_counted(stores, job):
    ends = together(lambda _: stores.balances.record(job, end(failed=True), NINE))
    state = stores.balances.get(job)
    assert state.failures == {A: len(ends)}
    assert state.is_ejected(A, NINE)


def test_a_failure_makes_the_state_forget_endpoints_that_are_gone(stores, job):
    for _ in range(3):
        stores.balances.record(job, end(B, failed=True), NINE)
    stores.balances.record(job, end(A, failed=True, gone=(B,)), NINE)
    assert stores.balances.get(job) == Balance(failures={A: 1})


@pytest.mark.services
def test_each_change_costs_one_write_unit_and_an_ejection_one_more(meter, server, job):  # noqa: F811 - the fixture
    client, _, calls, units = meter
    balances: Balances = in_dynamodb(client, server.jobs_table, server.runs_table).balances
    balances.draw(job, NINE)
    balances.take(job, Balance(tickets=1), HOLD, NINE)
    balances.record(job, end(hold=HOLD, failed=False), NINE)
    assert units == [1, 1, 1]
    for _ in range(3):
        balances.record(job, end(failed=True), NINE)
    assert units == [1] * 7
    assert calls == {"UpdateItem": 7}
