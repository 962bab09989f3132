"""The call about shards, and the shape of what it answers."""

from typing import cast

from minutehand.client.calls import Calls
from minutehand.client.models import Shards


class ShardCalls(Calls):
    """What the API tells of shards."""

    def shards(self) -> Shards:
        """How timers are spread, and how far they have followed a change of the number. Wants an admin of every namespace."""
        answer = self._http.send("GET", "/v1/shards")
        return cast("Shards", self._checked(answer, "shards", "read", "state", "left", "empty_since"))
