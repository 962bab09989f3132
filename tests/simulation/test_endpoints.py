"""Several endpoints under faults: the promises hold; and each rule, broken on purpose, is noticed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.domain.balance import Balance, Hold, hold_of
from minutehand.domain.run import RunState
from minutehand.targets.http.endpoint_fields import Choose
from minutehand.targets.http.endpoints import balancer
from minutehand.targets.http.endpoints.balancer import Balancer, Sent
from tests.simulation.endpoints import Several, problems
from tests.simulation.mutations import Mutation, Patch, assert_noticed

SEEDS = 60
GROUP = 15
pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("first", range(0, SEEDS, GROUP))
def test_endpoints_that_fail_and_workers_that_die_break_no_promise(first: int) -> None:
    for seed in range(first, first + GROUP):
        assert not problems(seed), f"seed {seed}"


def test_the_histories_have_cases_of_each_kind() -> None:
    cases: dict[str, int] = dict.fromkeys(("elsewhere", "ejected", "died in flight", "fewest"), 0)
    for seed in range(12):
        scenario = Several(seed)
        scenario.play()
        by_attempt = [(each.run, each.attempt) for each in scenario.tried]
        cases["elsewhere"] += len(by_attempt) - len(set(by_attempt))
        cases["ejected"] += len(scenario.ejections)
        cases["fewest"] += scenario.policy.choose is Choose.FEWEST
        cases["died in flight"] += scenario.died
    assert all(cases.values()), cases


def a_request_that_is_sent_again(patch: Patch) -> None:
    """After any failure, whether or not the endpoint received it."""
    patch.setattr(Sent, "may_go_elsewhere", property(lambda self: self.outcome.state is RunState.FAILED))


def an_ejection_without_end(patch: Patch) -> None:
    patch.setattr(Balance, "is_ejected", lambda self, url, _now: url in self.ejected)


def an_ejection_that_nobody_heeds(patch: Patch) -> None:
    patch.setattr(Balance, "is_ejected", lambda *_: False)


def a_call_that_counts_for_ever(patch: Patch) -> None:
    def endless(url: str, now: datetime, lasts: timedelta) -> Hold:
        return hold_of(url, now, lasts)._replace(until=now + timedelta(days=1))

    patch.setattr(balancer, "hold_of", endless)


def a_call_that_waits_for_the_state(patch: Patch) -> None:
    right = Balancer._first

    def first(self: Balancer, shared: Any) -> Any:
        self._balances.draw(shared.job, self._clock())
        return right(self, shared)

    patch.setattr(Balancer, "_first", first)


def a_record_that_names_only_the_last_endpoint(patch: Patch) -> None:
    right = Balancer.call

    def call(self: Balancer, *given: Any) -> Any:
        outcome = right(self, *given)
        return outcome._replace(endpoints=outcome.endpoints[-1:])

    patch.setattr(Balancer, "call", call)


MUTATIONS: Sequence[Mutation] = (
    a_request_that_is_sent_again,
    an_ejection_without_end,
    an_ejection_that_nobody_heeds,
    a_call_that_counts_for_ever,
    a_call_that_waits_for_the_state,
    a_record_that_names_only_the_last_endpoint,
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_each_rule_broken_on_purpose_is_noticed(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch, problems, histories=60)
