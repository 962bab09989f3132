"""Transactions, with the conditions that failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from minutehand.adapters.dynamodb.calls.table import CONDITION_FAILED, Table, error_code, is_transient

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import ReadItem


def write_all(table: Table, actions: Sequence[TransactWriteItemTypeDef]) -> Sequence[ReadItem | None] | None:
    """Make all the writes, or none. Conflicts with other writes are retried.

    Returns:
        None if all were made. If conditions failed, one entry for each action: the existing item if the action's condition failed
        and it set `ReturnValuesOnConditionCheckFailure` (without that, empty); None for the other actions.

    Raises:
        Unavailable: if the transaction failed for another reason.
    """
    with table.errors_of("TransactWriteItems"):
        try:
            table.retried(lambda: table.client.transact_write_items(TransactItems=actions), busy=_busy)
        except ClientError as error:
            if CONDITION_FAILED not in _codes(error):
                raise
            return [
                reason.get("Item", {}) if code == CONDITION_FAILED else None
                for code, reason in zip(_codes(error), _reasons(error), strict=True)
            ]
    return None


def _busy(error: ClientError) -> bool:
    codes = _codes(error)
    return CONDITION_FAILED not in codes and any(map(is_transient, codes))


def _codes(error: ClientError) -> Sequence[str]:
    """The error code of each action of a cancelled transaction; otherwise the single code of the error."""
    return [str(reason.get("Code")).removesuffix("Exception") for reason in _reasons(error)] or [error_code(error)]


def _reasons(error: ClientError) -> Sequence[dict[str, Any]]:
    response: Any = error.response
    reasons: Sequence[dict[str, Any]] = response.get("CancellationReasons", ())
    return reasons
