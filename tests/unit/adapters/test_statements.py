"""Batches of statements, when DynamoDB is busy, refuses or does not answer."""

from __future__ import annotations

import pytest
from botocore.exceptions import ConnectTimeoutError, ParamValidationError

from minutehand.adapters.dynamodb.calls.statements import TRIES, UNREACHABLE, execute
from tests.unit.adapters.fakes import client_error, codes, table


def statements(count):
    return [{"Statement": f"statement {number}", "Parameters": []} for number in range(count)]


def asked(client):
    return [[s["Statement"].removeprefix("statement ") for s in r["Statements"]] for r in client.requests]


def test_statements_are_sent_twenty_five_to_a_call():
    jobs, client, _ = table(*(codes(*[None] * size) for size in (25, 25, 10)))
    assert execute(jobs, statements(60)) == [None] * 60
    assert [len(request["Statements"]) for request in client.requests] == [25, 25, 10]


def test_no_statements_are_no_call():
    jobs, client, _ = table()
    assert execute(jobs, []) == []
    assert client.requests == []


@pytest.mark.parametrize("code", ["DuplicateItem", "DuplicateItemException"])
def test_a_code_means_the_same_with_exception_and_without(code):
    jobs, _, _ = table(codes(None, code))
    assert execute(jobs, statements(2)) == [None, "DuplicateItem"]


@pytest.mark.parametrize(
    "code",
    [
        "ThrottlingError",
        "ProvisionedThroughputExceeded",
        "InternalServerError",
        "RequestLimitExceeded",
        "TransactionConflict",
    ],
)
def test_only_statements_that_a_busy_table_refused_are_tried_again(code):
    jobs, client, pauses = table(codes(None, code, "ConditionalCheckFailed", code), codes(None, code), codes(None))
    assert execute(jobs, statements(4)) == [None, None, "ConditionalCheckFailed", None]
    assert asked(client) == [["0", "1", "2", "3"], ["1", "3"], ["3"]]
    assert len(pauses) == 2


def test_a_statement_that_stays_refused_returns_its_code():
    jobs, client, pauses = table(*[codes("ThrottlingError")] * TRIES)
    assert execute(jobs, statements(1)) == ["ThrottlingError"]
    assert (len(client.requests), len(pauses)) == (TRIES, TRIES - 1)


def test_a_call_that_is_throttled_whole_is_tried_again():
    jobs, client, _ = table(client_error("ThrottlingException"), codes(None, None))
    assert execute(jobs, statements(2)) == [None, None]
    assert asked(client) == [["0", "1"], ["0", "1"]]


@pytest.mark.parametrize(
    "refusal",
    [client_error("ValidationException"), client_error("SerializationException"), ParamValidationError(report="")],
)
def test_a_batch_that_is_refused_whole_is_tried_singly(refusal):
    jobs, client, pauses = table(refusal, codes(None), refusal, codes("DuplicateItem"))
    assert execute(jobs, statements(3)) == [
        None,
        "Validation" if "Valid" in repr(refusal) else "Serialization",
        "DuplicateItem",
    ]
    assert asked(client) == [["0", "1", "2"], ["0"], ["1"], ["2"]]
    assert pauses == []


def test_without_an_answer_nothing_is_known_and_the_next_batch_is_tried():
    jobs, _, pauses = table(ConnectTimeoutError(endpoint_url="http://example.org"), codes(None))
    assert execute(jobs, statements(26)) == [UNREACHABLE] * 25 + [None]
    assert pauses == []


def test_a_permanent_refusal_is_returned_for_each_statement():
    jobs, client, _ = table(client_error("AccessDeniedException"))
    assert execute(jobs, statements(2)) == ["AccessDenied"] * 2
    assert len(client.requests) == 1


def test_an_incomplete_answer_counts_as_no_answer():
    jobs, _, _ = table({"Responses": [{}]})
    assert execute(jobs, statements(2)) == [UNREACHABLE] * 2
