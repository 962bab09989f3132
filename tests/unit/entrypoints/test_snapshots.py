"""Objects created before a SnapStart snapshot."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_MADE = {
    "api": "from minutehand.entrypoints import api, clients, tokens; made = [clients.dynamodb, clients.sqs, tokens.tokens, api._app]",
    "authorizer": "from minutehand.entrypoints import authorizer, clients, tokens; made = [clients.dynamodb, tokens.tokens]",
}


def _made(function: str, environment: dict[str, str]) -> set[bool]:
    done = subprocess.run(
        [sys.executable, "-c", f"{_MADE[function]}; print(*(one.cache_info().currsize for one in made))"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "AWS_DEFAULT_REGION": "us-east-1"} | environment,
    )
    return {bool(int(one)) for one in done.stdout.split()}


@pytest.mark.parametrize("function", [*_MADE])
@pytest.mark.thorough
def test_a_snapshot_contains_the_clients(function: str) -> None:
    # Without credentials and without a service: creating a client makes no request.
    names = {"JOBS_TABLE": "jobs", "RUNS_TABLE": "runs", "HTTP_QUEUE_URL": "queue", "WORKER": "http"}
    stack = names | {"AWS_EC2_METADATA_DISABLED": "true"}
    assert _made(function, stack | {"AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"}) == {True}


@pytest.mark.parametrize("function", [*_MADE])
@pytest.mark.thorough
def test_without_a_snapshot_clients_are_made_when_needed(function: str) -> None:
    assert _made(function, {"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}) == {False}
