"""Contract of stores of answers to CloudFormation."""

from __future__ import annotations

from tests.contract.examples import MINUTE, NINE


def test_an_answer_comes_back_as_it_was_stored(stores, namespace):
    stores.stack_answers.put(namespace, '{"Status": "SUCCESS", "Reason": "größe"}', expires_at=NINE + MINUTE)
    assert stores.stack_answers.get(namespace) == '{"Status": "SUCCESS", "Reason": "größe"}'


def test_an_answer_replaces_an_earlier_one_of_the_same_request(stores, namespace):
    for answer in ("first", "second"):
        stores.stack_answers.put(namespace, answer, expires_at=NINE + MINUTE)
    assert stores.stack_answers.get(namespace) == "second"


def test_an_unknown_request_has_no_answer(stores, namespace):
    assert stores.stack_answers.get(f"{namespace}-unknown") is None
