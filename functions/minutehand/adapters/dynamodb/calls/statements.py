"""Batches of PartiQL statements, with an outcome for each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from minutehand.adapters.backoff import pause_after
from minutehand.adapters.dynamodb.calls.table import TRANSIENT, Table, error_code

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import BatchStatementRequestTypeDef

    from minutehand.adapters.dynamodb.codecs.values import Item

MOST_PER_BATCH = 25
"""Statements in one BatchExecuteStatement request; a limit of DynamoDB."""

TRIES = 7
"""Most tries of a statement that a busy table refuses. In a minute with many due jobs, a partition is busy for seconds."""

UNREACHABLE = "Unreachable"
"""Outcome of a statement without an answer: it may or may not have been executed."""

_REFUSES_THE_BATCH = frozenset({"DuplicateItem", "Serialization", "Validation"})


def execute(table: Table, statements: Sequence[BatchStatementRequestTypeDef]) -> list[str | None]:
    """Execute statements for distinct items, in batches.

    If DynamoDB refuses a whole batch because of one statement, its statements are executed one by one. Statements that a busy
    table refuses are retried.

    Returns:
        For each statement, in order: None, or its error code without `Exception`.
    """
    outcomes: list[str | None] = [None] * len(statements)
    pending: Sequence[int] = range(len(statements))
    for turn in range(TRIES):
        for start in range(0, len(pending), MOST_PER_BATCH):
            batch = pending[start : start + MOST_PER_BATCH]
            for index, outcome in zip(batch, _answers(table, [statements[index] for index in batch]), strict=True):
                outcomes[index] = outcome
        pending = [index for index in pending if outcomes[index] in TRANSIENT]
        if not pending or turn + 1 == TRIES:
            break
        table.sleep(pause_after(turn))
    return outcomes


def _answers(table: Table, batch: Sequence[BatchStatementRequestTypeDef]) -> Sequence[str | None]:
    try:
        responses = table.client.batch_execute_statement(Statements=batch)["Responses"]
    except (ClientError, ParamValidationError) as error:
        code = error_code(error) if isinstance(error, ClientError) else "Validation"
        if code in _REFUSES_THE_BATCH and len(batch) > 1:
            return [_answers(table, [statement])[0] for statement in batch]
        return [code] * len(batch)
    except BotoCoreError:
        return [UNREACHABLE] * len(batch)
    if len(responses) != len(batch):
        return [UNREACHABLE] * len(batch)
    return [
        response["Error"].get("Code", UNREACHABLE).removesuffix("Exception") if "Error" in response else None
        for response in responses
    ]


def insertion(table: Table, item: Item) -> BatchStatementRequestTypeDef:
    """A PartiQL INSERT of an item; it never replaces an existing one."""
    return {"Statement": _insert(table.name, tuple(item)), "Parameters": [*item.values()]}


@cache
def _insert(table: str, names: tuple[str, ...]) -> str:
    attributes = ", ".join(f"'{name}': ?" for name in names)
    return f'INSERT INTO "{table}" VALUE {{{attributes}}}'


def change(table: Table, changed: Item, expected: Item, removed: tuple[str, ...] = ()) -> BatchStatementRequestTypeDef:
    """A PartiQL UPDATE of an item, if its attributes are as `expected`, which includes its key. It never creates an item."""
    statement = _update(table.name, tuple(changed), removed, tuple(expected))
    return {"Statement": statement, "Parameters": [*changed.values(), *expected.values()]}


@cache
def _update(table: str, changed: tuple[str, ...], removed: tuple[str, ...], expected: tuple[str, ...]) -> str:
    actions = [*(f"SET {name}=?" for name in changed), *(f"REMOVE {name}" for name in removed)]
    return f'UPDATE "{table}" {" ".join(actions)} WHERE {" AND ".join(f"{name}=?" for name in expected)}'


def deletion(table: Table, named: Item) -> BatchStatementRequestTypeDef:
    """A PartiQL DELETE of an item, if its attributes are as `named`, which includes its key."""
    clauses = " AND ".join(f'"{name}" = ?' for name in named)
    return {
        "Statement": f'DELETE FROM "{table.name}" WHERE {clauses}',  # noqa: S608 - the name of the table is no input
        "Parameters": list(named.values()),
    }
