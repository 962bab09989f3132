"""Connections, refusals and foreign servers."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import urllib3

import minutehand
from minutehand.client import (
    AnswerError,
    Client,
    ConfigurationError,
    Conflict,
    Invalid,
    MinutehandError,
    NotAllowed,
    NotFound,
    Refused,
    Unreachable,
)
from tests.support.api_server import TARGET, TOKEN, ApiServer
from tests.support.http_server import Canned, HttpServer, closed_port, problem


def test_the_client_works_where_the_package_is_not_installed(tmp_path: Path) -> None:
    """So it is in the emulators' containers, which run the checkout."""
    for module in (minutehand, urllib3):  # links to the code alone, without the metadata of an installation
        package = Path(module.__file__ or "").parent
        (tmp_path / package.name).symlink_to(package)
    program = f"from minutehand.client import Client; print(Client('http://127.0.0.1:{closed_port()}', 'a-token').url)"
    # -S leaves out the installed packages, and so their metadata.
    ran = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={"PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_the_client_names_itself_and_its_version_if_it_is_installed(api: ApiServer, client: Client) -> None:
    client.health()
    assert re.fullmatch(r"minutehand(/[0-9.]+)?", api.requests[0].headers["user-agent"])


def test_a_body_is_sent_as_compact_json_in_utf_8_so_that_it_stays_below_the_limit(client: Client) -> None:
    saved = client.apply_job({"name": "beat", "schedule": "@daily", "target": TARGET, "payload": ["早" * 80_000, 1]})
    assert saved["job"]["payload"] == ["早" * 80_000, 1]


def test_half_a_surrogate_pair_is_left_to_the_api(client: Client) -> None:
    with pytest.raises(Invalid, match="half of a surrogate pair"):
        client.apply_job({"name": "beat", "schedule": "@daily", "target": TARGET, "payload": "\ud83d"})


def test_a_busy_answer_is_tried_again(api: ApiServer, client: Client) -> None:
    api.canned.extend([problem(503), problem(429)])
    assert client.health()["status"] == "ok"


def test_a_refusal_is_not_tried_again(api: ApiServer, client: Client) -> None:
    api.canned.append(problem(500))
    with pytest.raises(Refused, match="it will not do"):
        client.health()
    assert len(api.requests) == 1


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, Invalid),
        (401, NotAllowed),
        (403, NotAllowed),
        (404, NotFound),
        (405, Refused),
        (409, Conflict),
        (413, Invalid),
        (422, Invalid),
        (500, Refused),
    ],
)
def test_each_status_has_its_error(api: ApiServer, client: Client, status: int, kind: type[Refused]) -> None:
    api.canned.append(problem(status))
    with pytest.raises(MinutehandError) as caught:
        client.get_job("demo/beat")
    assert type(caught.value) is kind
    assert caught.value.problem()["status"] == status


def test_every_invalid_field_is_in_the_error(client: Client) -> None:
    with pytest.raises(Invalid) as caught:
        client.apply_job({"name": "beat", "target": TARGET, "schedule": "61 * * * *", "colour": "red"})
    assert [(error["path"], error.get("column")) for error in caught.value.errors] == [
        ("colour", None),
        ("schedule", 0),
    ]


def test_errors_in_an_odd_form_are_no_reason_to_fail_otherwise(api: ApiServer, client: Client) -> None:
    api.canned.append(problem(422, errors=["text", {"path": 3, "column": "x"}, {"path": "a", "message": "b"}]))
    with pytest.raises(Invalid) as caught:
        client.get_job("demo/beat")
    assert [error["path"] for error in caught.value.errors] == ["", "a"]


def test_a_wrong_token_is_not_allowed_and_is_in_no_message(api: ApiServer) -> None:
    with Client(api.url, "mh_wrong_one") as client, pytest.raises(NotAllowed) as caught:
        client.get_job("demo/beat")
    assert "mh_wrong_one" not in f"{caught.value!r} {caught.value.problem()} {client!r}"


def test_no_one_listening_is_unreachable_with_the_address_and_what_to_check() -> None:
    url = f"http://127.0.0.1:{closed_port()}"
    with Client(url, TOKEN, backoff=0, origin="MINUTEHAND_URL") as client, pytest.raises(Unreachable) as caught:
        client.health()
    assert url in caught.value.message
    assert "refused" in caught.value.message
    assert "MINUTEHAND_URL" in str(caught.value.hint)


def test_a_connection_closed_without_an_answer_each_time_is_unreachable(api: ApiServer) -> None:
    api.canned.extend([Canned(drop=True)] * 4)
    with Client(api.url, TOKEN, backoff=0) as client, pytest.raises(Unreachable, match="cannot be reached"):
        client.health()


@pytest.mark.parametrize(
    ("canned", "message"),
    [
        (
            Canned(status=502, body=b"<html>Bad\n Gateway</html>", headers={"Content-Type": "text/html"}),
            "HTTP 502, text/html: <html>Bad Gateway",
        ),
        (Canned(status=200, body=b"<html>Welcome</html>"), "no content type"),
        (Canned(status=200, body=b"[1]"), "JSON that is no object"),
        (Canned(status=200, body=b"\xff\xfe"), "HTTP 200"),
        (Canned(status=200, body=b"[" * 100_000), "HTTP 200"),
        (
            Canned(status=302, headers={"Location": "https://elsewhere.example/"}),
            "redirect to https://elsewhere.example/",
        ),
        (Canned(status=404, body=b'{"message": "API not found"}'), "HTTP 404"),
        (Canned(status=403, body=b'{"message": "Missing Authentication Token"}'), "HTTP 403"),
        (Canned(status=200, body=b'{"hello": "world"}'), "has no 'namespace'"),
        (Canned(status=200, body=b'{"namespace": "a", "name": "b", "status": null}'), "has no 'revision'"),
    ],
)
def test_what_does_not_speak_the_api_is_recognised(
    api: ApiServer, client: Client, canned: Canned, message: str
) -> None:
    api.canned.extend([canned] * 4)
    with pytest.raises(AnswerError) as caught:
        client.get_job("demo/beat")
    assert message in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("body", [b'{"items": 3, "next": null}', b'{"items": [1], "next": null}', b'{"items": []}'])
def test_a_page_in_another_form_is_recognised(api: ApiServer, client: Client, body: bytes) -> None:
    api.canned.append(Canned(body=body))
    with pytest.raises(AnswerError):
        list(client.list_jobs("demo"))


def test_a_gateway_s_own_refusal_counts_by_its_status(api: ApiServer, client: Client) -> None:
    api.canned.append(Canned(status=401, body=b'{"message": "Unauthorized"}'))
    with pytest.raises(NotAllowed, match="Unauthorized"):
        client.get_job("demo/beat")


def test_a_redirect_does_not_take_the_token_along(api: ApiServer, client: Client) -> None:
    with HttpServer() as other:
        api.canned.append(Canned(status=307, headers={"Location": f"{other.url}/v1/health"}))
        with pytest.raises(AnswerError):
            client.get_job("demo/beat")
        assert other.requests == []


@pytest.mark.parametrize("job", ["", "demo/", "/beat", "..", "demo/..", "../beat", "a/b/c"])
def test_a_name_that_would_reach_another_path_is_not_sent(api: ApiServer, client: Client, job: str) -> None:
    with pytest.raises(Invalid, match="is not a valid name"):
        client.get_job(job)
    assert api.requests == []


def test_a_name_in_any_script_reaches_the_api_as_one_path_segment(api: ApiServer, client: Client) -> None:
    with pytest.raises(Invalid) as caught:
        client.get_job("демо/早 %2F?")
    assert [
        (error["path"], "демо" in error["message"] or "早 %2F?" in error["message"]) for error in caught.value.errors
    ] == [
        ("namespace", True),
        ("name", True),
    ]


@pytest.mark.parametrize(
    "url", ["", "example.com", "ftp://example.com", "http://", "http://a?b=c", "http://[::1", "https://a#b"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError):
        Client(url, TOKEN)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigurationError) as caught:
        Client("https://me:hunter2@example.com", TOKEN)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "smart“quotes”"])
def test_a_token_that_cannot_be_one_is_refused_and_not_repeated(token: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Client("https://example.com", token)
    assert not token or token not in f"{caught.value} {caught.value.hint}"
