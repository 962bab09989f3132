"""Single calls, transactions and reads, when DynamoDB is busy, refuses or does not answer."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import EndpointConnectionError

from minutehand.adapters.dynamodb.definitions import DynamoDefinitions
from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from tests.contract.examples import creation
from tests.unit.adapters.fakes import client_error, table

KEY = {"pk": {"S": "a"}, "sk": {"S": "b"}}
LOST = client_error("ConditionalCheckFailedException", Item=KEY)
CONFLICT = client_error("TransactionConflictException")


def cancelled(*reasons):
    return client_error(
        "TransactionCanceledException",
        CancellationReasons=[r if isinstance(r, dict) else {"Code": r} for r in reasons],
    )


@pytest.mark.parametrize(
    "error",
    [
        client_error("AccessDeniedException"),
        client_error("ResourceNotFoundException"),
        EndpointConnectionError(endpoint_url="http://example.org"),
    ],
)
@pytest.mark.parametrize(
    ("operation", "call"),
    [
        ("GetItem", lambda t: t.get(KEY)),
        ("BatchGetItem", lambda t: list(t.get_many([KEY]))),
        ("Query", lambda t: list(t.query())),
        ("PutItem", lambda t: t.put(KEY)),
        ("PutItem", lambda t: t.put_new(KEY, key="pk")),
        ("DeleteItem", lambda t: t.delete_if(KEY, condition="a", values={})),
        ("UpdateItem", lambda t: t.update_if()),
        ("TransactWriteItems", lambda t: t.write_all([])),
    ],
)
def test_an_error_raises_unavailable_with_table_and_operation(operation, call, error):
    jobs, _, _ = table(error)
    with pytest.raises(Unavailable, match=f"{operation} on table Jobs failed: .") as trouble:
        call(jobs)
    assert trouble.value.__cause__ is error


def test_an_update_whose_condition_fails_returns_the_item():
    jobs, _, _ = table(LOST, client_error("ConditionalCheckFailedException"), {})
    assert (jobs.update_if(), jobs.update_if(), jobs.update_if()) == (KEY, {}, None)


def test_a_conflict_with_a_transaction_is_retried():
    jobs, _, pauses = table(CONFLICT, CONFLICT, {})
    assert jobs.update_if() is None
    assert len(pauses) == 2


def test_a_lasting_conflict_raises():
    jobs, _, pauses = table(*[CONFLICT] * 5)
    with pytest.raises(Unavailable, match="TransactionConflict"):
        jobs.put(KEY)
    assert len(pauses) == 4


def test_a_condition_that_fails_after_a_conflict_is_the_answer():
    jobs, _, _ = table(CONFLICT, LOST)
    assert jobs.put_new(KEY, key="pk") is False


def test_a_transaction_that_is_made_refuses_nothing():
    jobs, _, _ = table({})
    assert jobs.write_all([]) is None


def test_a_transaction_returns_which_conditions_failed_and_the_items():
    jobs, _, _ = table(cancelled("None", {"Code": "ConditionalCheckFailed", "Item": KEY}, "ConditionalCheckFailed"))
    assert jobs.write_all([]) == [None, KEY, {}]


def test_a_failed_condition_is_the_answer_even_beside_a_conflict():
    jobs, client, _ = table(cancelled("TransactionConflict", "ConditionalCheckFailed"))
    assert jobs.write_all([]) == [None, {}]
    assert len(client.requests) == 1


def test_a_new_job_within_a_quota_waits_longer_for_the_item_that_all_new_jobs_write():
    busy = cancelled("None", "TransactionConflict")
    for most, tries in ((None, 5), (7, 10)):
        _, client, pauses = table(*[busy] * tries)
        store = DynamoDefinitions(client, "Jobs", sleep=pauses.append)
        change = creation(JobKey("shop", "load"))._replace(most_jobs=most)
        client.put_item = lambda **_: {}  # the entry of the namespace
        with pytest.raises(Unavailable, match="TransactWriteItems on table Jobs"):
            store.save(change)
        assert len(client.requests) == tries
        assert max(pauses) <= 0.8


@pytest.mark.parametrize(
    "busy",
    [
        cancelled("None", "TransactionConflict"),
        cancelled("ThrottlingError", "None"),
        cancelled("ProvisionedThroughputExceeded"),
        client_error("TransactionInProgressException"),
        client_error("ThrottlingException"),
    ],
)
def test_a_busy_transaction_is_retried_and_then_raises(busy):
    jobs, client, pauses = table(busy, busy, {})
    assert jobs.write_all([]) is None
    assert len(pauses) == 2
    jobs, client, _ = table(*[busy] * 5)
    with pytest.raises(Unavailable, match="TransactWriteItems on table Jobs"):
        jobs.write_all([])
    assert len(client.requests) == 5


def test_an_invalid_transaction_is_not_retried():
    jobs, client, _ = table(cancelled("ValidationError", "None"))
    with pytest.raises(Unavailable, match="TransactionCanceledException"):
        jobs.write_all([])
    assert len(client.requests) == 1


def answer(items, unread=()):
    unprocessed = {"Jobs": {"Keys": list(unread)}} if unread else {}
    return {"Responses": {"Jobs": items}, "UnprocessedKeys": unprocessed}


def test_many_items_are_read_a_hundred_to_a_call_and_consistently():
    jobs, client, _ = table(answer([KEY] * 100), answer([KEY] * 20))
    assert len(list(jobs.get_many([KEY] * 120))) == 120
    assert [len(r["RequestItems"]["Jobs"]["Keys"]) for r in client.requests] == [100, 20]
    assert all(r["RequestItems"]["Jobs"]["ConsistentRead"] for r in client.requests)


def test_unread_keys_are_requested_again():
    jobs, client, pauses = table(answer([1], [KEY]), answer([2]))
    assert list(jobs.get_many([KEY, KEY])) == [1, 2]
    assert client.requests[1]["RequestItems"]["Jobs"] == {"Keys": [KEY], "ConsistentRead": True}
    assert len(pauses) == 1


def test_keys_that_stay_unread_raise_instead_of_missing():
    jobs, _, _ = table(*[answer([], [KEY])] * 5)
    with pytest.raises(Unavailable, match="left 1 of its keys unread"):
        list(jobs.get_many([KEY]))


def test_a_query_reads_all_pages_and_leaves_out_empty_ones():
    pages = [{"Items": [1], "LastEvaluatedKey": KEY}, {"Items": [], "LastEvaluatedKey": KEY}, {"Items": [2]}]
    jobs, client, _ = table(*pages)
    assert list(jobs.query()) == [[1], [2]]
    assert [r.get("ExclusiveStartKey") for r in client.requests] == [None, KEY, KEY]


def test_an_item_nested_too_deeply_is_unreadable_like_any_other_damage():
    jobs, _, _ = table()
    deep = {**KEY, "payload": {"S": "[" * 100_000}}
    with pytest.raises(Unavailable, match="item a b of table Jobs cannot be read by this version: RecursionError"):
        jobs.decoded(deep, lambda item: json.loads(item["payload"]["S"]))
