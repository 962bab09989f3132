"""Refusals: what AWS refused of a call, for the log. The ports only say that a call failed, or which of its parts did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from botocore.client import BaseClient

    Client = TypeVar("Client", bound=BaseClient)

OUTCOMES = frozenset(
    ("ConditionalCheckFailed", "DuplicateItem", "NoSuchKey", "PreconditionFailed", "TransactionConflict")
)
"""Error codes that are expected outcomes: a condition does not hold, an item exists or is missing, another writer was faster."""
_LONGEST = 500


def reported(client: Client, report: Callable[[str], None]) -> Client:
    """The client, which from now on calls `report` for each call that AWS refused, in whole or in part, or did not answer.

    The text has the service, the operation, and AWS's error codes and messages. boto3's own retries count as one call.
    """

    def answered(parsed: Any, model: Any, **_: Any) -> None:
        refused = Counter(_refusals(model.name, parsed))
        for (code, message), number in refused.items():
            times = f" ({number} times)" if number > 1 else ""
            report(f"{_name(model)} refused: {code}: {message}"[:_LONGEST] + times)

    def silent(exception: Exception, event_name: str, **_: Any) -> None:
        operation = " ".join(event_name.split(".")[1:])
        report(f"{operation} not answered: {type(exception).__name__}: {exception}"[:_LONGEST])

    client.meta.events.register("after-call", answered)
    client.meta.events.register("after-call-error", silent)
    return client


def _name(model: Any) -> str:
    return f"{model.service_model.service_id.hyphenize()} {model.name}"


def _refusals(operation: str, parsed: Any) -> Iterator[tuple[str, str]]:
    """The codes and messages of an answer's errors: of the whole call, or of its parts."""
    errors = [parsed["Error"]] if "Error" in parsed else []
    if reasons := parsed.get("CancellationReasons"):  # of a transaction, which has one for each action
        errors = [] if any(_code(one) in OUTCOMES for one in reasons) else reasons
    if operation == "BatchExecuteStatement":
        errors += [one["Error"] for one in parsed.get("Responses", ()) if "Error" in one]
    errors += parsed.get("Errors", ())  # DeleteObjects
    if operation == "SendMessageBatch":  # a message that cannot be hidden is gone, or the call raises
        errors += parsed.get("Failed", ())
    for error in errors:
        if (code := _code(error)) not in OUTCOMES and code != "None":
            yield code, error.get("Message", "")


def _code(error: Any) -> str:
    return str(error.get("Code", "Unknown")).removesuffix("Exception")
