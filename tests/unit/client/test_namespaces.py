from datetime import UTC, datetime

import pytest

from minutehand.client import AnswerError, ChangedMeanwhile, Client, Invalid
from tests.support.api_server import ApiServer
from tests.support.http_server import Canned

UNTIL = datetime(2026, 12, 1, 9, tzinfo=UTC)


def test_a_namespace_is_limited_paused_and_resumed(api: ApiServer, client: Client) -> None:
    assert client.get_namespace("shop")["status"]["revision"] == 0
    assert client.set_namespace("shop", max_concurrency=5)["max_concurrency"] == 5
    assert client.pause_namespace("shop")["status"]["paused"]
    assert client.pause_namespace("shop", until=UNTIL)["status"]["paused_until"] == "2026-12-01T09:00:00Z"
    assert not client.resume_namespace("shop")["status"]["paused"]
    assert client.set_namespace("shop", max_concurrency=None) == client.get_namespace("shop")
    assert [request.body for request in api.requests if request.method == "POST"] == [
        None,
        {"until": "2026-12-01T09:00:00Z"},
        None,
    ]


def test_a_namespace_is_changed_only_if_it_has_the_revision_that_is_named(client: Client) -> None:
    client.set_namespace("shop", max_concurrency=5, if_revision=0)
    for late in (0, 2):
        with pytest.raises(ChangedMeanwhile):
            client.pause_namespace("shop", if_revision=late)
        with pytest.raises(ChangedMeanwhile):
            client.resume_namespace("shop", if_revision=late)
    assert client.pause_namespace("shop", if_revision=1)["status"]["paused"]
    assert not client.resume_namespace("shop", if_revision=2)["status"]["paused"]


def test_without_a_name_it_is_the_default_one(client: Client) -> None:
    assert client.get_namespace()["namespace"] == "default"


def test_an_end_without_time_zone_and_a_name_that_is_none_ask_nothing(api: ApiServer, client: Client) -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        client.pause_namespace(until=datetime(2026, 12, 1, 9))  # noqa: DTZ001 - that is the point
    with pytest.raises(Invalid, match="is not a valid name"):
        client.get_namespace("shop/report")
    assert api.requests == []


def test_an_answer_that_is_no_namespace_is_refused(api: ApiServer, client: Client) -> None:
    api.canned.append(Canned(status=200, body=b'{"namespace": "shop"}'))
    with pytest.raises(AnswerError, match="max_concurrency"):
        client.get_namespace("shop")
