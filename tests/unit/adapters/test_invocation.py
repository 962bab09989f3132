"""A tick has another invocation of itself dispatch shards."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from minutehand.adapters.invocation import Successor
from minutehand.domain.errors import Unavailable
from tests.unit.adapters.fakes import Scripted, client_error

ARN = "arn:aws:lambda:eu-central-1:123456789012:function:tick:live"


def test_the_function_is_called_by_the_name_it_was_called_by_and_nobody_waits_for_it() -> None:
    client: Any = Scripted({"StatusCode": 202})
    Successor(lambda: client, ARN)([3, 7])
    [request] = client.requests
    assert json.loads(request.pop("Payload")) == {"shards": [3, 7]}
    assert request == {"FunctionName": ARN, "InvocationType": "Event"}


@pytest.mark.parametrize(
    "error",
    [
        client_error("TooManyRequestsException"),
        client_error("AccessDeniedException"),
        EndpointConnectionError(endpoint_url="x"),
    ],
)
def test_where_it_cannot_be_asked_one_learns_which_shards_and_why(error: Exception) -> None:
    client: Any = Scripted(error)
    with pytest.raises(Unavailable) as refusal:
        Successor(lambda: client, ARN)([3, 7])
    assert str(refusal.value) == f"shards 3, 7 could not be handed over to {ARN}: {error}"
