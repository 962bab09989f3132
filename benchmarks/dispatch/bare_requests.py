"""The requests of a tick, recorded without writing, and sent by boto3 alone in full batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.workload import chunks
from minutehand.usecases.dispatching.tick import Parallel

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Request = dict[str, Any]

STATEMENTS = 25
ENTRIES = 10


class Recorder:
    """A client of both services that records requests. It forwards queries and confirms writes without making them."""

    def __init__(self, dynamodb: DynamoDBClient) -> None:
        self._dynamodb = dynamodb
        self.queries: list[Request] = []
        self.inserts: list[Request] = []
        self.updates: list[Request] = []
        self.entries: list[Request] = []

    def query(self, **request: Any) -> Any:
        """A query."""
        self.queries.append(request)
        return self._dynamodb.query(**request)

    def put_item(self, **_: Any) -> Request:
        """The tick's own row, which is not compared."""
        return {}

    def batch_execute_statement(self, *, Statements: list[Request]) -> Request:  # noqa: N803 - boto3's name
        """A batch of claims or advances."""
        inserts = Statements[0]["Statement"].startswith("INSERT")
        (self.inserts if inserts else self.updates).extend(Statements)
        return {"Responses": [{} for _ in Statements]}

    def send_message_batch(self, *, QueueUrl: str, Entries: list[Request]) -> Request:  # noqa: ARG002, N803 - boto3's names
        """A batch of messages."""
        self.entries.extend(Entries)
        return {"Successful": [{"Id": entry["Id"]} for entry in Entries]}


class BareRequests:
    """The recorded requests in full batches."""

    def __init__(self, recorded: Recorder, *, queue: str) -> None:
        self._queue = queue
        self._queries = recorded.queries
        self._inserts = [*chunks(recorded.inserts, STATEMENTS)]
        self._updates = [*chunks(recorded.updates, STATEMENTS)]
        entries = [entry | {"Id": str(number)} for number, entry in enumerate(recorded.entries)]
        self._entries = [*chunks(entries, ENTRIES)]

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


def refused(answers: list[Any]) -> list[Any]:
    """The failures in these answers."""
    failed = [one["Error"] for answer in answers for one in answer.get("Responses", ()) if "Error" in one]
    return failed + [one for answer in answers for one in answer.get("Failed", ())]
