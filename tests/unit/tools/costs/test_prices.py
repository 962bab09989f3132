import json
import re
from pathlib import Path

import pytest

from minutehand.tools.costs import prices
from minutehand.tools.costs.prices import PriceError, read_prices, shipped_prices
from minutehand.tools.costs.units import Unit, Usage

SHIPPED = json.loads(Path(prices.__file__).with_name("prices.json").read_text(encoding="utf-8"))
OWN = {
    "as_of": "2026-01-02",
    "source": "my contract",
    "regions": {"eu-north-1": {"dynamodb_write": 0.5, "sqs_call": 1}},
}


def test_every_price_that_is_shipped_has_the_day_of_its_record_and_its_document() -> None:
    assert set(SHIPPED["documents"]) == {unit.key for unit in Unit}
    for region in SHIPPED["regions"].values():
        for key, price in region.items():
            assert key in SHIPPED["documents"]
            assert re.fullmatch(r"20\d\d-\d\d-\d\d", price["as_of"])
            assert price["as_of"] <= SHIPPED["as_of"]


def test_all_that_a_stack_uses_has_a_price_in_the_first_region() -> None:
    assert set(shipped_prices().region("us-east-1").prices) == set(Unit)


def test_a_region_without_prices_is_refused_with_those_that_have_some() -> None:
    with pytest.raises(PriceError) as refused:
        shipped_prices().region("mars-1")
    assert refused.value.message == "there are no prices for the region 'mars-1'"
    assert "us-east-1, us-east-2" in str(refused.value.hint)
    assert "--prices" in str(refused.value.hint)


def test_prices_of_ones_own_count_for_what_they_name() -> None:
    own = read_prices(json.dumps(OWN)).region("eu-north-1")
    assert (own.as_of, own.source) == ("2026-01-02", "my contract")
    assert own.dollars(Unit.DYNAMODB_WRITE, 3_000_000) == 1.5
    assert own.dollars(Unit.DYNAMODB_READ, 3_000_000) is None
    assert own.cost(Usage({Unit.DYNAMODB_WRITE: 2e6, Unit.DYNAMODB_READ: 9e9, Unit.SQS_CALL: 1e6})) == 2.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "it is not JSON"),
        ("[]", "it has no `regions`"),
        ('{"regions": {}}', "it has no `regions`"),
        ('{"as_of": 2026, "regions": {"a": {}}}', "as_of is not a text"),
        ('{"regions": {"a": 1}}', "regions.a is not a mapping of prices"),
        ('{"regions": {"a": {"dynamo": 1}}}', "regions.a.dynamo: unknown key"),
        ('{"regions": {"a": {"sqs_call": "1"}}}', "regions.a.sqs_call: '1' is not a price"),
        ('{"regions": {"a": {"sqs_call": -1}}}', "regions.a.sqs_call: -1 is not a price"),
        ('{"regions": {"a": {"sqs_call": true}}}', "regions.a.sqs_call: True is not a price"),
        ('{"regions": {"a": {"sqs_call": NaN}}}', "regions.a.sqs_call: nan is not a price"),
        ('{"regions": {"a": {"sqs_call": {"as_of": "2026-01-02"}}}}', "is not a price"),
    ],
)
def test_a_file_of_prices_that_is_wrong_is_refused_with_what_would_be_right(text: str, message: str) -> None:
    with pytest.raises(PriceError) as refused:
        read_prices(text)
    assert message in refused.value.message
    assert refused.value.hint
