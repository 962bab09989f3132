"""Schemathesis makes requests from the served OpenAPI description, valid and invalid ones, and judges the answers of the deployed stack.

Each operation gets some requests, always the same ones. A token for a namespace of its own keeps them from the other tests' jobs. It must
not revoke itself, so routes of tokens are left out.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Stack, root

NAMESPACE = "described"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "ignored_auth",
)
GATEWAY_WAITS = "29"
"""Seconds that API Gateway waits for an answer."""
SETTINGS = f"""
[parameters]
"path.namespace" = "{NAMESPACE}"
"path.name" = "job"
"""


@pytest.fixture
def token(stack: Stack) -> Iterator[str]:
    made = stack.client.create_token("described", role="admin", namespaces=[NAMESPACE])
    yield made["secret"]
    stack.client.revoke_token(made["id"])
    for job in stack.client.list_jobs(NAMESPACE):
        stack.client.delete_job(f"{NAMESPACE}/{job['name']}")


@pytest.fixture(scope="module")
def schemathesis() -> Path:
    make = shutil.which("make") or "make"
    made = subprocess.run(
        [make, ".venv-schemathesis/.installed"], cwd=root(), capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return root() / ".venv-schemathesis" / "bin" / "schemathesis"


@pytest.mark.timeout(400)
def test_the_api_answers_as_it_is_described(stack: Stack, token: str, schemathesis: Path, tmp_path: Path) -> None:
    settings = tmp_path / "schemathesis.toml"
    settings.write_text(SETTINGS, encoding="utf-8")
    judged = subprocess.run(
        [
            *(schemathesis, "--config-file", settings, "run", f"{stack.record.url}/v1/openapi.json"),
            *("--url", stack.record.url, "--header", f"Authorization: Bearer {token}"),
            *("--checks", ",".join(CHECKS), "--phases", "examples,fuzzing", "--mode", "all"),
            *("--exclude-path-regex", "^/v1/tokens"),
            *("--request-timeout", GATEWAY_WAITS),
            *("--max-examples", "8", "--seed", "1", "--no-color", "--continue-on-failure"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert judged.returncode == 0, judged.stdout[-20_000:] + judged.stderr
