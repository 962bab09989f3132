"""Reaching a deployed stack on an emulator."""

from __future__ import annotations

import pytest
from localstack.deployment import api_url, callback_url, wait_until_well
from localstack.elsewhere import _is_loopback
from localstack.errors import LocalStackError

from minutehand.client import MinutehandError


class Api:
    """Answers its health after some failures."""

    def __init__(self, failures: int) -> None:
        self.failures = failures

    def health(self) -> None:
        self.failures -= 1
        if self.failures >= 0:
            raise MinutehandError("not yet")


def test_the_api_is_where_the_emulator_serves_it_by_its_id() -> None:
    output = "https://abc123.execute-api.us-east-1.amazonaws.com/prod"
    assert callback_url("http://127.0.0.1:4566").replace("{api}", "abc123") == api_url("http://127.0.0.1:4566", output)
    assert api_url("http://127.0.0.1:4566", output) == "http://127.0.0.1:4566/_aws/execute-api/abc123/prod"


def test_waiting_ends_with_the_first_good_answer() -> None:
    api = Api(failures=0)
    wait_until_well(api, patience=0, where=lambda: "")  # type: ignore[arg-type]
    assert api.failures == -1


def test_waiting_ends_some_time_with_what_went_wrong_and_where_to_look() -> None:
    with pytest.raises(LocalStackError, match="not yet\nthe log says: no"):
        wait_until_well(Api(failures=1_000_000), patience=-1, where=lambda: "the log says: no")  # type: ignore[arg-type]


@pytest.mark.parametrize(("host", "here"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("echo", False)])
def test_jobs_may_call_loopback_only_where_the_echo_service_is_there(host: str, here: bool) -> None:
    assert _is_loopback(host) is here
