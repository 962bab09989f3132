"""Handing work over to another invocation of the same function."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.domain.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient


class Successor:
    """Has further invocations of a function dispatch shards, as `HandOver` does.

    Args:
        client: makes the client, or answers the one there is; most ticks need none.
        function: the function's ARN, with its alias where it was called by one.
    """

    def __init__(self, client: Callable[[], LambdaClient], function: str) -> None:
        self._client = client
        self._function = function

    def __call__(self, shards: Sequence[int]) -> None:
        """See `HandOver`."""
        payload = json.dumps({"shards": [*shards]}).encode()
        try:
            self._client().invoke(FunctionName=self._function, InvocationType="Event", Payload=payload)
        except (BotoCoreError, ClientError) as error:
            which = ", ".join(map(str, shards))
            raise Unavailable(f"shards {which} could not be handed over to {self._function}: {error}") from error
