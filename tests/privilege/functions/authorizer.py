"""The exercise of the authorizer."""

from __future__ import annotations

from tests.privilege.scene import Scene
from tests.privilege.setups import Effects


def authorizer(scene: Scene) -> Effects:
    """A request with the admin token."""
    header = f"Bearer {scene.bench.record.token}"
    arn = "arn:aws:execute-api:us-east-1:000000000000:api/prod/GET/v1/health"
    answer = scene.runner.invoke("Authorizer", {"type": "TOKEN", "authorizationToken": header, "methodArn": arn})
    return {"a known token is accepted": answer.get("principalId") == "admin"}
