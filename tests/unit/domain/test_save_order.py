"""The order in which jobs of one request are saved."""

from __future__ import annotations

from minutehand.domain.save_order import save_order


def test_parents_come_before_their_children_and_others_keep_their_order() -> None:
    assert save_order("dcba", {"d": "bc", "c": "a", "b": "a"}).sorted == [3, 1, 2, 0]
    assert save_order("cab", {}).sorted == [0, 1, 2]


def test_parents_that_are_not_among_the_jobs_and_the_job_itself_do_not_count() -> None:
    assert save_order("ab", {"a": "xa"}) == ([0, 1], [])


def test_jobs_of_a_circle_and_those_behind_one_have_no_place() -> None:
    assert save_order("abcd", {"a": "b", "b": "a", "c": "a"}) == ([3], [0, 1, 2])


def test_of_equal_keys_only_the_first_has_a_place() -> None:
    assert save_order("aba", {}) == ([0, 1], [])


def test_a_chain_of_thousands_is_sorted() -> None:
    keys = list(range(5000))
    assert save_order(keys[::-1], {n: [n - 1] for n in keys}).sorted == keys[::-1]
