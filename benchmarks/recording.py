"""Recorded requests of a use case: reads are made, writes are confirmed without making them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Fields = dict[str, Any]

_CONFIRMED: Mapping[str, Callable[[Fields], Fields]] = {
    "batch_execute_statement": lambda request: {"Responses": [{} for _ in request["Statements"]]},
    "change_message_visibility_batch": lambda _: {},
    "put_item": lambda _: {},
    "send_message_batch": lambda request: {"Successful": [{"Id": entry["Id"]} for entry in request["Entries"]]},
    "update_item": lambda _: {},
}
"""The answers to writes, by operation."""


class Step(NamedTuple):
    """A request of a service's operation."""

    service: str
    operation: str
    request: Any


class RecordingClient:
    """A boto3 client that records its requests."""

    def __init__(self, service: str, real: Any, record: Callable[[Step], object]) -> None:
        self._service, self._real, self._record = service, real, record

    def __getattr__(self, operation: str) -> Any:
        real = getattr(self._real, operation)

        def call(**request: Any) -> Any:
            self._record(Step(self._service, operation, request))
            return _CONFIRMED[operation](request) if operation in _CONFIRMED else real(**request)

        return call
