"""Differences of two JSON documents, by JSON Pointer."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.domain.difference import ABSENT, Difference, differences


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("/a", 1, 2)]),
        ({"a": 1}, {}, [("/a", 1, ABSENT)]),
        ({}, {"a": None}, [("/a", ABSENT, None)]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, [("/a/c", 2, 3)]),
        ({"a": {"b": 1}}, {"a": 1}, [("/a", {"b": 1}, 1)]),
        ({"a": [1, 2]}, {"a": [1, 3]}, [("/a/1", 2, 3)]),
        ({"a": [1, 2]}, {"a": [1]}, [("/a", [1, 2], [1])]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, [("/a/0/b", 1, 2)]),
        ({"a/b": 1, "c~d": 1}, {"a/b": 2, "c~d": 2}, [("/a~1b", 1, 2), ("/c~0d", 1, 2)]),
        ({"": 1}, {"": 2}, [("/", 1, 2)]),
        ({"a": 1}, {"a": True}, [("/a", 1, True)]),
        ({"a": [0]}, {"a": [False]}, [("/a/0", 0, False)]),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": {}}, {"a": []}, [("/a", {}, [])]),
        (1, 2, [("", 1, 2)]),
    ],
)
def test_a_difference_has_its_pointer_and_both_values(before: Any, after: Any, found: list[Any]) -> None:
    assert differences(before, after) == [Difference(*each) for each in found]


def test_equal_parts_of_a_value_that_is_replaced_are_not_compared() -> None:
    assert differences({"a": [True, {"b": 1}]}, {"a": [1, {"b": 1}]}) == [Difference("/a/0", True, 1)]


def test_fields_are_in_the_order_of_the_older_document_then_of_the_newer() -> None:
    found = differences({"z": 1, "a": 1}, {"n": 1, "a": 2})
    assert [each.path for each in found] == ["/z", "/a", "/n"]


def test_whole_values_that_only_differ_inside_as_true_and_1_differ() -> None:
    assert differences({"a": [1]}, {"a": [True, 2]}) == [Difference("/a", [1], [True, 2])]
