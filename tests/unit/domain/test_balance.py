"""The choice among endpoints: the schedule of tickets, ejection, calls in flight."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import accumulate

import pytest

from minutehand.domain.balance import (
    Balance,
    CallEnd,
    Ejection,
    Hold,
    by_preference,
    hold_of,
    in_turn,
    schedule,
    sorted_endpoints,
)
from minutehand.domain.endpoint import MOST_ENDPOINTS, MOST_WEIGHT, Endpoint

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
SECOND = timedelta(seconds=1)
A, B, C = (Endpoint(f"https://{name}") for name in "abc")
RULE = Ejection(3, 30 * SECOND)


def names(found: list[Endpoint]) -> str:
    return "".join(each.url[-1] for each in found)


@pytest.mark.parametrize(
    ("weights", "turns"),
    [
        ((1,), (0,)),
        ((7,), (0,)),
        ((1, 1, 1), (0, 1, 2)),
        ((20, 20), (0, 1)),
        # The example of nginx's commit "Upstream: smooth weighted round-robin balancing": a a b a c a a.
        ((5, 1, 1), (0, 0, 1, 0, 2, 0, 0)),
        ((2, 1), (0, 1, 0)),
    ],
)
def test_the_schedule_is_that_of_nginx(weights, turns):
    assert schedule(weights) == turns


@pytest.mark.parametrize("weights", [(1, 2, 3), (5, 1, 1), (100, 1), (13, 7, 3, 1), (4, 4, 2, 1, 1), (99, 98, 97)])
def test_at_any_time_each_endpoint_had_its_share_of_the_calls_to_within_less_than_two(weights):
    turns, total = schedule(weights) * 2, sum(weights)
    for place, weight in enumerate(weights):
        had = accumulate(turn == place for turn in turns)
        assert all(abs(calls - n * weight / total) < 2 for n, calls in enumerate(had, start=1))
    assert [schedule(weights).count(place) for place in range(len(weights))] == list(weights)


def test_the_longest_schedule_is_made_once():
    weights = tuple(MOST_WEIGHT - number % 2 for number in range(MOST_ENDPOINTS))
    assert len(schedule(weights)) == sum(weights)
    assert schedule(weights) is schedule(weights)


def test_a_ticket_names_all_endpoints_in_the_order_of_their_turns():
    among = [Endpoint("https://a", 5), Endpoint("https://b"), Endpoint("https://c")]
    assert [names(in_turn(among, ticket)) for ticket in range(7)] == ["abc", "abc", "bac", "acb", "cab", "abc", "abc"]
    assert in_turn([], 3) == []


def test_endpoints_are_sorted_and_bounded_so_that_all_workers_see_the_same():
    many = [Endpoint(f"https://{number:03d}") for number in reversed(range(60))]
    assert sorted_endpoints([*many, many[0]]) == tuple(sorted(many)[:MOST_ENDPOINTS])


def test_an_ejected_endpoint_comes_last_and_takes_no_turn_of_the_others():
    state = Balance(ejected={"https://a": NOW + SECOND})
    orders = [
        names(by_preference([A, B, C], Balance(tickets=n, ejected=state.ejected), NOW, fewest=False)) for n in range(4)
    ]
    assert orders == ["bca", "cba", "bca", "cba"]
    assert names(by_preference([A, B, C], state, NOW + SECOND, fewest=False)) == "abc"


def test_if_all_are_ejected_all_are_tried_in_turn():
    ejected = {each.url: NOW + SECOND for each in (A, B)}
    orders = [names(by_preference([A, B], Balance(tickets=n, ejected=ejected), NOW, fewest=False)) for n in range(3)]
    assert orders == ["ab", "ba", "ab"]


def test_endpoints_to_avoid_come_after_the_others_but_before_ejected_ones():
    state = Balance(ejected={"https://c": NOW + SECOND})
    assert names(by_preference([A, B, C], state, NOW, fewest=False, avoid={"https://a"})) == "bac"
    assert names(by_preference([A, B], state, NOW, fewest=True, avoid={"https://a", "https://b"})) == "ab"


def test_the_endpoint_with_the_fewest_calls_in_flight_for_its_weight_comes_first():
    heavy = Endpoint("https://a", 3)
    held = {Hold(heavy.url, NOW + SECOND): 2, Hold(B.url, NOW + SECOND): 1, Hold(C.url, NOW): 9}
    assert names(by_preference([heavy, B, C], Balance(held=held), NOW, fewest=True)) == "acb"
    assert (
        names(by_preference([heavy, B], Balance(held=held | {Hold(heavy.url, NOW + SECOND): 8}), NOW, fewest=True))
        == "ba"
    )


def test_calls_are_spread_evenly_by_fewest_even_if_none_ends():
    state, endpoints = Balance(), [Endpoint("https://a", 2), B]
    chosen = []
    for _ in range(9):
        best = by_preference(endpoints, state, NOW, fewest=True)[0]
        chosen.append(best)
        state = state.took(hold_of(best.url, NOW, SECOND), NOW)
    assert (names(chosen).count("a"), names(chosen).count("b")) == (6, 3)


def test_a_call_of_a_dead_worker_stops_counting():
    hold = hold_of(A.url, NOW, 30 * SECOND)
    state = Balance().took(hold, NOW)
    assert hold == Hold(A.url, NOW + 60 * SECOND)
    assert [state.in_flight(A.url, at) for at in (NOW, NOW + 60 * SECOND)] == [1, 0]
    assert state.took(hold_of(B.url, NOW + 60 * SECOND, SECOND), NOW + 60 * SECOND).held == {
        Hold(B.url, NOW + 120 * SECOND): 1
    }


@pytest.mark.parametrize("seconds", [0.5, 30, 61, 300, 840])
def test_a_hold_ends_after_its_call_and_the_calls_of_a_job_have_at_most_three_ends_at_a_time(seconds):
    lasts = timedelta(seconds=seconds)
    starts = [NOW + 7 * SECOND * n for n in range(400)]
    holds = {start: hold_of(A.url, start, lasts) for start in starts}
    assert all(start + lasts <= hold.until for start, hold in holds.items())
    for at in starts:
        alive = {hold for start, hold in holds.items() if start <= at < hold.until}
        assert len(alive) <= 3


def test_three_failures_in_a_row_eject_an_endpoint_and_one_more_after_its_return_does_again():
    fails, works = CallEnd(A.url, None, True, RULE), CallEnd(A.url, None, False, RULE)
    state = Balance().ended(fails, NOW).ended(fails, NOW)
    assert not state.is_ejected(A.url, NOW)
    assert not state.ended(works, NOW).ended(fails, NOW).is_ejected(A.url, NOW)
    state = state.ended(fails, NOW)
    assert [state.is_ejected(A.url, NOW + n * SECOND) for n in (0, 29, 30)] == [True, True, False]
    assert state.ended(fails, NOW + 31 * SECOND).is_ejected(A.url, NOW + 60 * SECOND)
    assert state.ended(works, NOW + 31 * SECOND) == Balance()
