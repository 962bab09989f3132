"""A client that signs its requests, against the application, behind a gateway that checks signatures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from minutehand.cli.main import app
from minutehand.client import Client, ConfigurationError, NotAllowed, find_settings
from minutehand.client.signing import _region, signer
from tests.support.api_server import TARGET, ApiServer
from tests.support.signatures import signed_by
from tests.support.signed_api import KEY, PRINCIPAL, SECRET, SignedApi, signature_of

JOB = {"namespace": "shop", "name": "report", "schedule": "@hourly", "target": TARGET, "description": "Zürich ✓"}


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION", "AWS_SECURITY_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def signed_api() -> Iterator[SignedApi]:
    with SignedApi() as server:
        yield server


def test_a_client_that_signs_its_requests_does_all_that_its_principal_may(signed_api: SignedApi) -> None:
    with Client(signed_api.url, None, auth="iam", retries=0) as client:
        assert client.apply_job(JOB)["job"]["status"]["updated_by"] == PRINCIPAL
        labels = {"team": "a b", "x": "ü"}
        assert [job["name"] for job in client.list_jobs("shop", labels={})] == ["report"]
        assert [job["name"] for job in client.list_jobs("shop", labels=labels)] == []
        run = client.trigger("shop/report", payload={"text": "ü~%2F", "n": [1, None]})
        assert client.run("shop/report", run["run_id"])["run_id"] == run["run_id"]
        client.delete_job("shop/report")
        with pytest.raises(NotAllowed, match=r"the principal .* is admin in 'shop'; this needs viewer in 'other'"):
            client.get_job("other/report")
    for request in signed_api.requests:
        found = signature_of(request)
        assert found is not None, request.target
        assert found[0] == KEY
        assert found[1].endswith("/eu-west-1/execute-api/aws4_request")
        assert "Bearer" not in request.headers["authorization"]
        assert signature_of(request, "another secret") is None


def test_a_wrong_secret_signs_for_nobody(signed_api: SignedApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another secret")
    with Client(signed_api.url, None, auth="iam") as client, pytest.raises(NotAllowed, match="sign the request"):
        client.own_token()


def test_the_command_line_signs_where_the_environment_says_so(
    signed_api: SignedApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINUTEHAND_URL", signed_api.url)
    monkeypatch.setenv("MINUTEHAND_TOKEN", "never-sent")
    monkeypatch.setenv("MINUTEHAND_AUTH", "iam")
    shown = CliRunner().invoke(app, ["token", "whoami"], catch_exceptions=False)
    assert [line.split() for line in shown.output.splitlines()] == [
        ["name", PRINCIPAL],
        ["kind", "principal"],
        ["admin", "shop"],
    ]
    assert "never-sent" not in str(signed_api.requests)


def test_the_token_of_a_session_is_sent_and_signed(api: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "session-token")
    with Client(api.url, None, auth="iam") as client:
        client.health()
    [request] = api.requests
    assert request.headers["x-amz-security-token"] == "session-token"
    assert "x-amz-security-token" in request.headers["authorization"]
    assert signature_of(request) is not None


def test_a_repeated_request_is_still_signed(api: ApiServer) -> None:
    from tests.support.http_server import Canned  # noqa: PLC0415 - of this test alone

    api.canned.append(Canned(status=503))
    with Client(api.url, None, auth="iam", backoff=0) as client:
        client.health()
    assert [signature_of(request) is not None for request in api.requests] == [True, True]


@pytest.mark.parametrize(
    ("url", "region"),
    [
        ("https://a1b2.execute-api.us-east-2.amazonaws.com/iam", "us-east-2"),
        ("https://a1b2-vpce-0a1b.execute-api.us-east-2.amazonaws.com/iam", "us-east-2"),
        ("https://a1b2.execute-api.cn-north-1.amazonaws.com.cn/iam", "cn-north-1"),
        ("https://cron.example.com/iam", "eu-west-1"),
        ("https://cron.example.com/x.execute-api.us-east-2.amazonaws.com/iam", "eu-west-1"),
    ],
)
def test_the_region_is_that_of_the_address_or_else_the_configured_one(url: str, region: str) -> None:
    assert _region(url, "ignored" if region != "eu-west-1" else None) == region


def test_without_a_region_the_error_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_REGION")
    with pytest.raises(ConfigurationError) as refused:
        Client("https://cron.example.com", None, auth="iam")
    assert refused.value.hint == "set AWS_REGION"


def test_without_credentials_the_error_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(ConfigurationError, match="there are no credentials of AWS"):
        Client("https://cron.example.com", None, auth="iam")


def test_an_unknown_profile_is_an_error_of_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(ConfigurationError, match="the credentials of AWS cannot be read"):
        Client("https://cron.example.com", None, auth="iam")


def test_without_botocore_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "botocore.auth", None)
    with pytest.raises(ConfigurationError) as refused:
        signer("https://cron.example.com")
    assert refused.value.hint == "run: pip install 'minutehand[iam]'"


def test_a_client_that_signs_takes_no_token() -> None:
    with pytest.raises(ConfigurationError, match="sends no token"):
        Client("https://cron.example.com", "token", auth="iam")


def test_requests_are_signed_only_where_the_environment_says_so(tmp_path: Path) -> None:
    url = "https://a1b2.execute-api.us-east-2.amazonaws.com/iam"
    plain = {"MINUTEHAND_URL": url, "MINUTEHAND_TOKEN": "t"}
    assert find_settings(plain, tmp_path).auth == "token", "neither credentials of AWS nor its address decide that"
    found = find_settings(plain | {"MINUTEHAND_AUTH": "iam"}, tmp_path)
    assert (found.auth, found.token, found.url) == ("iam", None, url)
    with Client.configured(plain | {"MINUTEHAND_AUTH": "iam"}, tmp_path) as client:
        assert client.url == url


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"MINUTEHAND_AUTH": "sigv4", "MINUTEHAND_URL": "https://x"}, "MINUTEHAND_AUTH is 'sigv4'"),
        ({"MINUTEHAND_AUTH": "iam"}, "MINUTEHAND_URL is not set"),
    ],
)
def test_a_setting_that_cannot_be_is_an_error(environment: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=message):
        find_settings(environment, tmp_path)


def test_the_checker_of_these_tests_knows_the_example_of_aws() -> None:
    """`get-vanilla-query-order-key-case` of AWS's published examples of signatures."""
    headers = {
        "host": "example.amazonaws.com",
        "x-amz-date": "20150830T123600Z",
        "authorization": (
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, "
            "Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
    }
    target = "/?Param2=value2&Param1=value1"
    assert urlsplit(target).query
    assert signed_by("GET", target, headers, b"", {KEY: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}) is not None
