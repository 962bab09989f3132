"""The meter knows each call for the step that it is."""

from __future__ import annotations

import pytest
from benchmarks.meter import step_of

MOVE = {"TableName": "RunsTable", "ExpressionAttributeValues": {":state": {"S": "running"}}}
END = {"TableName": "RunsTable", "ExpressionAttributeValues": {":state": {"S": "failed"}}}


@pytest.mark.parametrize(
    ("operation", "asked", "step"),
    [
        ("BatchExecuteStatement", {"Statements": [{"Statement": 'INSERT INTO "RunsTable" …'}]}, "claim"),
        ("BatchExecuteStatement", {"Statements": [{"Statement": 'UPDATE "JobsTable" …'}]}, "advance"),
        ("BatchExecuteStatement", {"Statements": [{"Statement": 'DELETE FROM "RunsTable" …'}]}, "removal"),
        ("UpdateItem", MOVE, "start"),
        ("UpdateItem", END, "report"),
        ("PutItem", {"Item": {"pk": {"S": "TICKS#2026-11-20"}}}, "tick's row"),
        ("PutItem", {"Item": {"job": {"S": "a/b#output"}}}, "PutItem"),
        ("Query", {"IndexName": "due"}, "due"),
        ("Query", {}, "Query"),
        ("Scan", {}, "Scan"),
    ],
)
def test_a_call_belongs_to_a_step(operation, asked, step):
    assert step_of(operation, asked) == step
