"""A scripted DynamoDB client."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from botocore.exceptions import ClientError

from minutehand.adapters.dynamodb.calls.table import Table


def client_error(code: str, operation: str = "Operation", **response: Any) -> ClientError:
    """An error as boto3 raises it."""
    return ClientError({"Error": {"Code": code, "Message": "for a reason"}, **response}, operation)


class Scripted:
    """Answers each call with the next of `answers`: a value, an error to raise, or a function of the request."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(**request: Any) -> Any:
            self.requests.append(request)
            answer = self.answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer(request) if callable(answer) else answer

        return call


def table(*answers: Any) -> tuple[Table, Scripted, list[float]]:
    """A table over a scripted client, the client, and the pauses that were made."""
    client, pauses = Scripted(*answers), []
    return Table(client=client, name="Jobs", sleep=pauses.append), client, pauses


def codes(*outcomes: str | None) -> dict[str, Sequence[Any]]:
    """A BatchExecuteStatement answer: for each statement the code of its error, or None."""
    return {"Responses": [{"Error": {"Code": code}} if code else {"TableName": "Jobs"} for code in outcomes]}
