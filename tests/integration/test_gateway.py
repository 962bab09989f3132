"""What the documentation says of the gateway and of tokens, on the stack that `make up` makes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
import urllib3
from localstack.down import bring_down
from localstack.place import CHECKOUT, Place, Record
from localstack.up import Wish, bring_up

DOCS = (CHECKOUT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    place = Place(state=tmp_path_factory.mktemp("gateway") / ".minutehand")
    try:
        yield bring_up(place, Wish(demo=False), lambda _: None)
    finally:
        bring_down(place, lambda _: None)


def _ask(record: Record, method: str, path: str, token: str = "", body: object = None) -> tuple[int, str, object]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    data = None if body is None else json.dumps(body).encode()
    answer = urllib3.request(method, record.url + path, headers=headers, body=data)
    return answer.status, answer.headers.get("Content-Type", ""), json.loads(answer.data)


@pytest.mark.parametrize(
    ("method", "path", "with_token", "status", "message"),
    [
        ("GET", "/v1/namespaces/demo/jobs", False, 401, "Unauthorized"),
        ("GET", "/v1/nowhere", True, 403, "Missing Authentication Token"),
        ("GET", "/v1/nowhere", False, 403, "Missing Authentication Token"),
        ("PATCH", "/v1/namespaces/demo/jobs/a", True, 403, "Missing Authentication Token"),
        ("DELETE", "/v1/namespaces/demo/jobs", True, 403, "Missing Authentication Token"),
    ],
)
def test_what_the_emulators_gateway_refuses_is_a_message_as_documented(
    record: Record, method: str, path: str, *, with_token: bool, status: int, message: str
) -> None:
    answer = _ask(record, method, path, record.token if with_token else "")
    assert answer == (status, "application/json", {"message": message})
    assert f"{status}, `{message}`" in DOCS


def test_a_token_that_nobody_was_given_is_refused_by_the_gateway(record: Record) -> None:
    answer = _ask(record, "GET", "/v1/namespaces/demo/jobs", "nobodys")
    assert answer == (401, "application/json", {"message": "Unauthorized"})


def test_the_documented_recipe_makes_a_viewers_token(record: Record) -> None:
    [recipe] = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
    environment = {
        "PATH": os.defpath,
        "JOBS_TABLE": record.jobs_table,
        "AWS_ENDPOINT_URL": record.endpoint_url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    made = subprocess.run([sys.executable, "-c", recipe], env=environment, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    token = made.stdout.strip()
    assert _ask(record, "GET", "/v1/namespaces/demo/jobs", token)[0] == 200
    assert _ask(record, "GET", "/v1/namespaces/other/jobs", token)[0] == 403
    assert _ask(record, "PUT", "/v1/namespaces/demo/jobs/a", token, {})[0] == 403
