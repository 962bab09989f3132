"""The requests of a tick in full batches, sent by boto3 alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.recording import Step
from benchmarks.workload import chunks
from minutehand.usecases.dispatching.tick import Parallel

STATEMENTS = 25
ENTRIES = 10


class BareRequests:
    """Recorded requests in full batches; the tick's own row is left out."""

    def __init__(self, recorded: Sequence[Step], *, queue: str) -> None:
        self._queue = queue
        self._queries = [step.request for step in recorded if step.operation == "query"]
        statements = _parts(recorded, "batch_execute_statement", "Statements")
        inserts = [one["Statement"].startswith("INSERT") for one in statements]
        self._inserts = [*chunks([one for one, insert in zip(statements, inserts, strict=True) if insert], STATEMENTS)]
        self._updates = [
            *chunks([one for one, insert in zip(statements, inserts, strict=True) if not insert], STATEMENTS)
        ]
        entries = enumerate(_parts(recorded, "send_message_batch", "Entries"))
        self._entries = [*chunks([entry | {"Id": str(number)} for number, entry in entries], ENTRIES)]

    @property
    def calls(self) -> int:
        """The number of calls of `send`."""
        return len(self._queries) + len(self._inserts) + len(self._entries) + len(self._updates)

    def send(self, dynamodb: Any, sqs: Any, parallel: Parallel = map) -> list[Any]:
        """Send the requests; their answers."""
        answers = [*parallel(lambda query: dynamodb.query(**query), self._queries)]
        answers += parallel(lambda batch: dynamodb.batch_execute_statement(Statements=batch), self._inserts)
        answers += parallel(lambda batch: sqs.send_message_batch(QueueUrl=self._queue, Entries=batch), self._entries)
        answers += parallel(lambda batch: dynamodb.batch_execute_statement(Statements=batch), self._updates)
        return answers


def refused(answers: Sequence[Any]) -> list[Any]:
    """The failures in these answers."""
    failed = [one["Error"] for answer in answers for one in answer.get("Responses", ()) if "Error" in one]
    return failed + [one for answer in answers for one in answer.get("Failed", ())]


def _parts(recorded: Sequence[Step], operation: str, field: str) -> list[Any]:
    return [one for step in recorded if step.operation == operation for one in step.request[field]]
