"""The exercise of the authorizer."""

from __future__ import annotations

from minutehand.adapters.dynamodb.tokens import DynamoTokens
from minutehand.domain.token import digest_of
from tests.privilege.scene import Scene
from tests.privilege.setups import Effects


def authorizer(scene: Scene) -> Effects:
    """A request with the admin token, whose use was not noted before."""
    secret = scene.bench.record.token
    tokens = DynamoTokens(scene.bench.dynamodb, scene.bench.record.jobs_table)
    stored = tokens.get(digest_of(secret))
    assert stored is not None
    tokens.put(stored._replace(last_used_at=None))
    arn = "arn:aws:execute-api:us-east-1:000000000000:api/prod/GET/v1/health"
    answer = scene.runner.invoke(
        "Authorizer", {"type": "TOKEN", "authorizationToken": f"Bearer {secret}", "methodArn": arn}
    )
    used = tokens.get(stored.digest)
    return {
        "a known token is accepted": answer.get("principalId") == "admin",
        "the use of a token is noted": used is not None and used.last_used_at is not None,
    }
