"""Actor: who asks for a change, and from where."""

from __future__ import annotations

from typing import NamedTuple

LONGEST_CLIENT = 200
"""Most characters that are kept of the name that a client gives itself."""
LONGEST_ADDRESS = 64


class Actor(NamedTuple):
    """Who asks for a change.

    Attributes:
        name: name of the token; stored with what it changes, as `updated_by` and the like.
        address: the IP address that the request came from, as the gateway saw it; empty if unknown.
        client: what the client calls itself (`User-Agent`); anybody may write anything there.
        request: id of the request, as the logs have it.
        token_id: the token's id, as several tokens may have one name; empty for other callers.
    """

    name: str
    address: str = ""
    client: str = ""
    request: str = ""
    token_id: str = ""

    @classmethod
    def of(cls, name: str, *, address: str = "", client: str = "", request: str = "", token_id: str = "") -> Actor:
        """An actor from texts of any length: each becomes one line, without control characters, and is cut."""
        return cls(name, _line(address, LONGEST_ADDRESS), _line(client, LONGEST_CLIENT), request, token_id)


def _line(text: str, most: int) -> str:
    return "".join(character if character.isprintable() else " " for character in text[:most]).strip()
