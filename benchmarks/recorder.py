"""Clients that write nothing down: a rehearsal of the tick against them tells the requests that it makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.scene import parts
from minutehand.usecases.dispatching.tick import Parallel

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Request = dict[str, Any]

STATEMENTS = 25
ENTRIES = 10


class Recorder:
    """A client of both services that notes requests. It passes queries on, and says that all else went well."""

    def __init__(self, dynamodb: DynamoDBClient) -> None:
        self._dynamodb = dynamodb
        self.queries: list[Request] = []
        self.inserts: list[Request] = []
        self.updates: list[Request] = []
        self.entries: list[Request] = []

    def query(self, **request: Any) -> Any:
        """As DynamoDB's."""
        self.queries.append(request)
        return self._dynamodb.query(**request)

    def put_item(self, **_: Any) -> Request:
        """As DynamoDB's: the tick's own row, which is not compared."""
        return {}

    def batch_execute_statement(self, *, Statements: list[Request]) -> Request:  # noqa: N803 - boto3's name
        """As DynamoDB's."""
        inserts = Statements[0]["Statement"].startswith("INSERT")
        (self.inserts if inserts else self.updates).extend(Statements)
        return {"Responses": [{} for _ in Statements]}

    def send_message_batch(self, *, QueueUrl: str, Entries: list[Request]) -> Request:  # noqa: ARG002, N803 - boto3's names
        """As SQS's."""
        self.entries.extend(Entries)
        return {"Successful": [{"Id": entry["Id"]} for entry in Entries]}


class Bare:
    """The requests of a rehearsed tick in full batches, ready to be sent by boto3 and by nothing else."""

    def __init__(self, recorded: Recorder, *, queue: str) -> None:
        self._queue = queue
        self._queries = recorded.queries
        self._inserts = [*parts(recorded.inserts, STATEMENTS)]
        self._updates = [*parts(recorded.updates, STATEMENTS)]
        entries = [entry | {"Id": str(number)} for number, entry in enumerate(recorded.entries)]
        self._entries = [*parts(entries, ENTRIES)]

    @property
    def calls(self) -> int:
        """How many calls `send` makes."""
        return len(self._queries) + len(self._inserts) + len(self._entries) + len(self._updates)

    def send(self, dynamodb: Any, sqs: Any, parallel: Parallel = map) -> list[Any]:
        """Make the calls, as many at a time as `parallel` does; their answers."""
        answers = [*parallel(lambda query: dynamodb.query(**query), self._queries)]
        answers += parallel(lambda batch: dynamodb.batch_execute_statement(Statements=batch), self._inserts)
        answers += parallel(lambda batch: sqs.send_message_batch(QueueUrl=self._queue, Entries=batch), self._entries)
        answers += parallel(lambda batch: dynamodb.batch_execute_statement(Statements=batch), self._updates)
        return answers


def refused(answers: list[Any]) -> list[Any]:
    """What in these answers was not done."""
    failed = [one["Error"] for answer in answers for one in answer.get("Responses", ()) if "Error" in one]
    return failed + [one for answer in answers for one in answer.get("Failed", ())]
