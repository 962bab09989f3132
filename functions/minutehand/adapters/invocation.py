"""Asynchronous invocations of functions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.domain.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

    from minutehand.usecases.dispatching.tick import Parts


class Successor:
    """Delegates shards and buckets to further invocations of a function; the port `HandOver`.

    Args:
        client: returns the Lambda client; called on first use, because most ticks need none.
        function: ARN of the function, with the alias by which it was invoked, if any.
    """

    def __init__(self, client: Callable[[], LambdaClient], function: str) -> None:
        self._client = client
        self._function = function

    def __call__(self, parts: Parts) -> None:
        payload = json.dumps({kind: [*numbers] for kind, numbers in parts._asdict().items()}).encode()
        try:
            self._client().invoke(FunctionName=self._function, InvocationType="Event", Payload=payload)
        except (BotoCoreError, ClientError) as error:
            raise Unavailable(f"{parts} could not be delegated to {self._function}: {error}") from error


class Start:
    """Starts a function and does not wait for it.

    Args:
        client: returns the Lambda client; called on first use, because most callers need none.
        function: name of the function.
    """

    def __init__(self, client: Callable[[], LambdaClient], function: str) -> None:
        self._client = client
        self._function = function

    def __call__(self) -> None:
        """Start the function.

        Raises:
            Unavailable: if Lambda does not accept that.
        """
        try:
            self._client().invoke(FunctionName=self._function, InvocationType="Event", Payload=b"{}")
        except (BotoCoreError, ClientError) as error:
            raise Unavailable(f"the function {self._function} could not be started: {error}") from error
