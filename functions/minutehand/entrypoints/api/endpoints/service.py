"""The endpoints about a deployment itself: its health and its shards."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

import minutehand
from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.service import HealthDocument, ShardsDocument


def health(call: Call) -> Response[str]:  # noqa: ARG001 - every endpoint is given its call
    """Check that the API answers, without reading a table."""
    return answered(200, HealthDocument(status="ok", version=minutehand.__version__))


def get_shards(call: Call) -> Response[str]:
    """Get the number of timer shards, and the progress of a change of that number."""
    found = call.deployment.shards_of()
    return answered(
        200,
        ShardsDocument(
            shards=found.setting,
            read=found.read,
            state=found.state.value,
            left=found.left,
            empty_since=found.empty_since,
        ),
    )
