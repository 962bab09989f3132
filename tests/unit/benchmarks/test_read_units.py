"""Item sizes and read units follow DynamoDB's published rules."""

from __future__ import annotations

import pytest
from benchmarks import read_units

from minutehand.adapters.dynamodb.calls.metering import item_size


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
def test_an_item_s_size_is_that_of_its_names_and_values(item, size):
    assert item_size(item) == size


def test_an_unknown_type_is_refused():
    with pytest.raises(ValueError, match="type B"):
        item_size({"b": {"B": b""}})


def test_a_query_adds_sizes_before_it_rounds_up():
    assert read_units.of_query([text_of(3000)] * 2, consistent=False) == 1.0
    assert read_units.of_query([text_of(3000)] * 2, consistent=True) == 2.0
    assert read_units.of_query([], consistent=False) == 0.5


def test_gets_round_each_size_up_and_missing_items_cost_a_unit():
    assert read_units.of_gets([text_of(100), text_of(4097)], keys=3, consistent=True) == 4.0
    assert read_units.of_gets([], keys=1, consistent=False) == 0.5
