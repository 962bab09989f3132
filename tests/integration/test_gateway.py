"""The documented answers of the gateway, on the stack of `make up`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
import urllib3
from localstack.lifecycle import down, up
from localstack.workspace import CHECKOUT, StackInfo, Workspace

DOCS = (CHECKOUT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def info(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StackInfo]:
    workspace = Workspace(state=tmp_path_factory.mktemp("gateway") / ".minutehand")
    try:
        yield up(workspace, lambda _: None, demo_jobs=False)
    finally:
        down(workspace, lambda _: None)


def _ask(info: StackInfo, method: str, path: str, token: str = "", body: object = None) -> tuple[int, str, object]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    data = None if body is None else json.dumps(body).encode()
    answer = urllib3.request(method, info.url + path, headers=headers, body=data, timeout=30)
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
def test_a_refusal_of_the_emulators_gateway_is_documented(
    info: StackInfo, method: str, path: str, *, with_token: bool, status: int, message: str
) -> None:
    answer = _ask(info, method, path, info.token if with_token else "")
    assert answer == (status, "application/json", {"message": message})
    assert f"{status}, `{message}`" in DOCS


def test_an_unknown_token_is_refused_by_the_gateway(info: StackInfo) -> None:
    answer = _ask(info, "GET", "/v1/namespaces/demo/jobs", "unknown")
    assert answer == (401, "application/json", {"message": "Unauthorized"})


def test_the_documented_request_makes_a_viewers_token(info: StackInfo) -> None:
    [body] = re.findall(r"/v1/tokens … -d '(\{.+?\})'", DOCS)
    status, _, made = _ask(info, "POST", "/v1/tokens", info.token, json.loads(body))
    assert status == 201
    assert isinstance(made, dict)
    assert _ask(info, "GET", "/v1/namespaces/demo/jobs", made["secret"])[0] == 200
    assert _ask(info, "GET", "/v1/namespaces/other/jobs", made["secret"])[0] == 403
    assert _ask(info, "PUT", "/v1/namespaces/demo/jobs/a", made["secret"], {})[0] == 403
