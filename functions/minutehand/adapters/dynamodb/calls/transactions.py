"""Transactions: all of it or nothing, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from minutehand.adapters.dynamodb.calls.table import CONDITION_FAILED, Table, error_code, passes

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from minutehand.adapters.dynamodb.codecs.values import ReadItem


def write_all(table: Table, actions: Sequence[TransactWriteItemTypeDef]) -> Sequence[ReadItem | None] | None:
    """Make all the writes, or none. Conflicts with other writes are waited out.

    Returns:
        None when all were made. When conditions did not hold: for each action whose condition it was, the item as it
        is, if `ReturnValuesOnConditionCheckFailure` asked for it (else empty); None for the other actions.

    Raises:
        Unavailable: when the transaction was refused for another reason.
    """
    with table.asking("TransactWriteItems"):
        try:
            table.patiently(lambda: table.client.transact_write_items(TransactItems=actions), busy=_busy)
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
    return CONDITION_FAILED not in codes and any(map(passes, codes))


def _codes(error: ClientError) -> Sequence[str]:
    """Why each action was refused, where the whole was cancelled; otherwise the one code there is."""
    return [str(reason.get("Code")).removesuffix("Exception") for reason in _reasons(error)] or [error_code(error)]


def _reasons(error: ClientError) -> Sequence[dict[str, Any]]:
    response: Any = error.response
    reasons: Sequence[dict[str, Any]] = response.get("CancellationReasons", ())
    return reasons
