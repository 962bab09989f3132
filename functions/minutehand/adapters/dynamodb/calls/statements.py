"""Batches of PartiQL statements, each with an outcome of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from minutehand.adapters.backoff import pauses
from minutehand.adapters.dynamodb.calls.table import Table, error_code, passes

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import BatchStatementRequestTypeDef

MOST_PER_BATCH = 25
"""Statements in one BatchExecuteStatement: a limit of DynamoDB."""

TRIES = 7
"""How often a statement is tried that a busy table refuses. In a minute in which much is due, a partition is busy for seconds."""

UNREACHABLE = "Unreachable"
"""The outcome when there was no answer: nothing is known about what the statement did."""

_REFUSED_WHOLE = frozenset({"DuplicateItem", "Serialization", "Validation"})


def execute(table: Table, statements: Sequence[BatchStatementRequestTypeDef]) -> list[str | None]:
    """Execute the statements, no two of which may concern the same item.

    A batch that is refused whole, because of one statement in it, is tried statement by statement. What a busy table
    refuses is tried a few times more.

    Returns:
        for each statement, in order, None or the code of its error, without `Exception`.
    """
    outcomes: list[str | None] = [None] * len(statements)
    pending: Sequence[int] = range(len(statements))
    for pause in pauses(TRIES):
        for start in range(0, len(pending), MOST_PER_BATCH):
            batch = pending[start : start + MOST_PER_BATCH]
            for index, outcome in zip(batch, _answers(table, [statements[index] for index in batch]), strict=True):
                outcomes[index] = outcome
        pending = [index for index in pending if passes(outcomes[index] or "")]
        if not pending or pause is None:
            break
        table.sleep(pause)
    return outcomes


def _answers(table: Table, batch: Sequence[BatchStatementRequestTypeDef]) -> Sequence[str | None]:
    try:
        responses = table.client.batch_execute_statement(Statements=batch)["Responses"]
    except ParamValidationError:
        return _one_by_one(table, batch, "Validation")
    except ClientError as error:
        code = error_code(error)
        return _one_by_one(table, batch, code) if code in _REFUSED_WHOLE else [code] * len(batch)
    except BotoCoreError:
        return [UNREACHABLE] * len(batch)
    if len(responses) != len(batch):
        return [UNREACHABLE] * len(batch)
    return [
        response["Error"].get("Code", UNREACHABLE).removesuffix("Exception") if "Error" in response else None
        for response in responses
    ]


def _one_by_one(table: Table, batch: Sequence[BatchStatementRequestTypeDef], code: str) -> Sequence[str | None]:
    if len(batch) == 1:
        return [code]
    return [_answers(table, [statement])[0] for statement in batch]
