"""What the authorizer is for."""

from __future__ import annotations

from tests.privilege.scene import Scene
from tests.privilege.situations import Effects


def authorizer(scene: Scene) -> Effects:
    """A request with the admin token."""
    header = f"Bearer {scene.bench.record.token}"
    arn = "arn:aws:execute-api:us-east-1:000000000000:api/prod/GET/v1/health"
    answer = scene.lab.invoke("Authorizer", {"type": "TOKEN", "authorizationToken": header, "methodArn": arn})
    return {"a token is known": answer.get("principalId") == "admin"}
