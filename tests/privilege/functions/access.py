"""The exercise of the function that serves the routes of tokens."""

from __future__ import annotations

from tests.privilege.functions.api import requester
from tests.privilege.scene import Scene
from tests.privilege.setups import Effects


def access(scene: Scene) -> Effects:
    """A token that is made, shown, listed and revoked."""
    ask = requester(scene, "Access")
    made, token = ask("POST", "/v1/tokens", {"name": "ci", "role": "viewer", "namespaces": [scene.namespace]})
    path = f"/v1/tokens/{token.get('id', 't-aaaaaaaaaa')}"
    listed, tokens = ask("GET", "/v1/tokens")
    return {
        "a token is made": made == 201 and len(token["secret"]) == 40,
        "tokens are listed": listed == 200 and bool(tokens["items"]),
        "a token is shown": ask("GET", path)[0] == 200,
        "a token is revoked": ask("DELETE", path)[0] == 204,
    }
