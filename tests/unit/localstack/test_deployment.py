"""Addresses and health of a deployed stack."""

from __future__ import annotations

import pytest
from localstack.deployment import api_url, callback_url, wait_until_healthy
from localstack.errors import LocalStackError
from localstack.external import _is_loopback
from localstack.ministack import is_ministack

from minutehand.client import MinutehandError
from tests.support.http_server import HttpServer, document


class Api:
    """Healthy after some failures."""

    def __init__(self, failures: int) -> None:
        self.failures = failures

    def health(self) -> None:
        self.failures -= 1
        if self.failures >= 0:
            raise MinutehandError("not yet")


def test_the_callback_url_is_the_api_url_once_the_id_is_known() -> None:
    output = "https://abc123.execute-api.us-east-1.amazonaws.com/prod"
    assert callback_url("http://127.0.0.1:4566").replace("{api}", "abc123") == api_url("http://127.0.0.1:4566", output)
    assert api_url("http://127.0.0.1:4566", output) == "http://127.0.0.1:4566/_aws/execute-api/abc123/prod"


def test_the_wait_ends_with_the_first_good_answer() -> None:
    api = Api(failures=0)
    wait_until_healthy(api, timeout=0, hint=lambda: "")
    assert api.failures == -1


def test_the_wait_times_out_with_the_last_error_and_the_hint() -> None:
    with pytest.raises(LocalStackError, match="not yet\nthe log says: no"):
        wait_until_healthy(Api(failures=1_000_000), timeout=-1, hint=lambda: "the log says: no")


@pytest.mark.parametrize(
    ("host", "loopback"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("echo", False)]
)
def test_jobs_may_call_loopback_only_if_the_echo_service_is_on_it(host: str, loopback: bool) -> None:
    assert _is_loopback(host) is loopback


def test_only_ministack_gets_the_settings_that_it_needs() -> None:
    with HttpServer() as server:
        server.canned.append(document({"edition": "light"}))
        assert is_ministack(server.url)
        assert server.requests[0].path.endswith("/_ministack/health")
        assert not is_ministack(server.url)  # a LocalStack answers 404
    assert not is_ministack(server.url)
