"""Delegation of shards and buckets to a further invocation of the tick."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from minutehand.adapters.invocation import Successor
from minutehand.domain.errors import Unavailable
from minutehand.usecases.dispatching.tick import Parts
from tests.unit.adapters.fakes import Scripted, client_error

ARN = "arn:aws:lambda:eu-central-1:123456789012:function:tick:live"


def test_the_function_is_invoked_asynchronously_by_its_own_arn() -> None:
    client: Any = Scripted({"StatusCode": 202})
    Successor(lambda: client, ARN)(Parts([3, 7], [1]))
    [request] = client.requests
    assert json.loads(request.pop("Payload")) == {"shards": [3, 7], "buckets": [1]}
    assert request == {"FunctionName": ARN, "InvocationType": "Event"}


@pytest.mark.parametrize(
    "error",
    [
        client_error("TooManyRequestsException"),
        client_error("AccessDeniedException"),
        EndpointConnectionError(endpoint_url="x"),
    ],
)
def test_a_failed_invocation_names_the_parts_and_the_reason(error: Exception) -> None:
    client: Any = Scripted(error)
    with pytest.raises(Unavailable) as refusal:
        Successor(lambda: client, ARN)(Parts([3, 7], [1]))
    assert str(refusal.value) == f"shards 3, 7 and buckets 1 could not be delegated to {ARN}: {error}"
