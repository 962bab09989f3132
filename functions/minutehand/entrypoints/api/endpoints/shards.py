"""The endpoint of shards: over how many timers are spread, and how far they have followed a change of that number."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.instants import to_text
from minutehand.domain.token import Role
from minutehand.entrypoints.api.call import Call, Endpoint, answered


def get_shards(call: Call) -> Response[str]:
    """How many shards there are and are read, and how far timers have been moved."""
    found = call.shards_of()
    return answered(
        200,
        {
            "shards": found.setting,
            "read": found.read,
            "state": found.state.value,
            "left": found.left,
            "empty_since": to_text(found.empty_since) if found.empty_since else None,
        },
    )


SHARDS = (Endpoint(method="GET", path="/v1/shards", role=Role.ADMIN, answer=get_shards),)
