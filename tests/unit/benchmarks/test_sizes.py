"""Reads are weighed as DynamoDB's published rules say."""

from __future__ import annotations

import pytest
from benchmarks.sizes import read_singly, read_together

from minutehand.adapters.dynamodb.codecs.sizes import item_size


def text_of(size: int) -> dict[str, dict[str, str]]:
    return {"k": {"S": "x" * (size - 1)}}


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ({"name": {"S": "ü"}}, 4 + 2),
        ({"n": {"N": "1"}}, 1 + 2),
        ({"n": {"N": "-12345"}}, 1 + 4),
        ({"n": {"N": "86400"}}, 1 + 3),
        ({"b": {"BOOL": True}}, 1 + 1),
        ({"l": {"L": [{"S": "ab"}, {"S": "c"}]}}, 1 + 3 + 1 + 2 + 1 + 1),
        ({"m": {"M": {"ab": {"S": "c"}}}}, 1 + 3 + 1 + 2 + 1),
    ],
)
def test_an_item_weighs_its_names_and_its_values(item, size):
    assert item_size(item) == size


def test_a_type_that_is_not_known_is_refused_and_not_guessed():
    with pytest.raises(ValueError, match="type B"):
        item_size({"b": {"B": b""}})


def test_what_a_query_reads_is_added_before_it_is_rounded_up():
    assert read_together([text_of(3000)] * 2, consistent=False) == 1.0
    assert read_together([text_of(3000)] * 2, consistent=True) == 2.0
    assert read_together([], consistent=False) == 0.5


def test_what_gets_read_is_rounded_up_one_by_one_and_what_is_absent_costs_too():
    assert read_singly([text_of(100), text_of(4097)], asked=3, consistent=True) == 4.0
    assert read_singly([], asked=1, consistent=False) == 0.5
