"""The requests of a tick in full batches, sent by boto3 alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.recording import Step
from benchmarks.workload import chunks
from minutehand.usecases.dispatching.tick import Parallel

STATEMENTS = 25
MESSAGES = 10


class BareRequests:
    """Recorded requests in full batches, but for the entries: each is stored before the runs that it names, in a call of its own. The
    tick's own row is left out."""

    def __init__(self, recorded: Sequence[Step], *, queue: str) -> None:
        self._queue = queue
        self._queries = [step.request for step in recorded if step.operation == "query"]
        statements: dict[str, list[Any]] = {kind: [] for kind in ("names", "INSERT", "UPDATE")}
        for one in _parts(recorded, "batch_execute_statement", "Statements"):
            statements[next(kind for kind in statements if kind in one["Statement"])].append(one)
        self._names = [*chunks(statements["names"], 1)]
        self._inserts = [*chunks(statements["INSERT"], STATEMENTS)]
        self._updates = [*chunks(statements["UPDATE"], STATEMENTS)]
        messages = enumerate(_parts(recorded, "send_message_batch", "Entries"))
        self._messages = [*chunks([message | {"Id": str(number)} for number, message in messages], MESSAGES)]

    @property
    def calls(self) -> int:
        """The number of calls of `send`."""
        return sum(map(len, (self._queries, self._names, self._inserts, self._messages, self._updates)))

    def send(self, dynamodb: Any, sqs: Any, parallel: Parallel = map) -> list[Any]:
        """Send the requests; their answers."""
        answers = [*parallel(lambda query: dynamodb.query(**query), self._queries)]
        for statements in (self._names, self._inserts):
            answers += parallel(lambda batch: dynamodb.batch_execute_statement(Statements=batch), statements)
        answers += parallel(lambda batch: sqs.send_message_batch(QueueUrl=self._queue, Entries=batch), self._messages)
        answers += parallel(lambda batch: dynamodb.batch_execute_statement(Statements=batch), self._updates)
        return answers


def refused(answers: Sequence[Any]) -> list[Any]:
    """The failures in these answers."""
    failed = [one["Error"] for answer in answers for one in answer.get("Responses", ()) if "Error" in one]
    return failed + [one for answer in answers for one in answer.get("Failed", ())]


def _parts(recorded: Sequence[Step], operation: str, field: str) -> list[Any]:
    return [one for step in recorded if step.operation == operation for one in step.request[field]]
