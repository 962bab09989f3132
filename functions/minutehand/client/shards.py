"""The call about shards, and the shape of what it answers."""

from typing import Literal, TypedDict, cast

from minutehand.client.calls import Calls


class Shards(TypedDict):
    """Over how many shards timers are spread, and how many a tick reads.

    `state`: `awaited` (no tick reads the new number yet), `moving` (`left` shards are still to be looked through), `emptying` (timers are moved, and
    what is written late is waited for, `empty_since` then if nothing was) or `settled`.
    """

    shards: int
    read: int
    state: Literal["awaited", "moving", "emptying", "settled"]
    left: int
    empty_since: str | None


class ShardCalls(Calls):
    """What the API tells of shards."""

    def shards(self) -> Shards:
        """How timers are spread, and how far they have followed a change of the number. Wants an admin of every namespace."""
        answer = self._http.send("GET", "/v1/shards")
        return cast("Shards", self._checked(answer, "shards", "read", "state", "left", "empty_since"))
