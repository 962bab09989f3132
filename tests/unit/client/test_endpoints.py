"""Endpoint operations of the client."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.client import Client, Invalid, NotFound
from tests.support.api_server import NOW


def test_a_service_registers_itself_and_is_listed_until_it_is_removed(client: Client) -> None:
    made = client.register("shop/reports", "a", url="https://10.0.3.7:8443", weight=2, ttl=timedelta(seconds=30))
    assert (made["name"], made["url"], made["weight"]) == ("a", "https://10.0.3.7:8443", 2)
    assert client.registered("shop/reports") == [made]
    client.deregister("shop/reports", "a")
    assert client.registered("shop/reports") == []
    with pytest.raises(NotFound):
        client.deregister("shop/reports", "a")


def test_a_service_without_namespace_is_in_the_default_one(client: Client) -> None:
    made = client.register("reports", "a", url="https://10.0.3.7")
    assert client.registered("default/reports") == [made]


@pytest.mark.parametrize(
    ("ttl", "seconds"), [("1h30m", 5400), (timedelta(hours=1, minutes=30), 5400), (timedelta(days=1), 86_400)]
)
def test_the_time_of_a_registration_is_text_or_a_timedelta(client: Client, ttl: Any, seconds: int) -> None:
    made = client.register("reports", "a", url="https://10.0.3.7", ttl=ttl)
    assert datetime.fromisoformat(made["expires_at"]) == NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("ttl", "error", "words"),
    [
        (5, TypeError, r"5 is not a duration; pass timedelta\(seconds=90\), or text such as '90s' or '1h30m'"),
        (None, TypeError, "None is not a duration"),
        (timedelta(seconds=10.5), ValueError, "is not a duration in whole seconds"),
        ("soon", Invalid, "ttl: 'soon' is not a duration"),
    ],
)
def test_what_is_no_duration_is_refused(client: Client, ttl: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        client.register("reports", "a", url="https://10.0.3.7", ttl=ttl)


def test_the_endpoints_of_a_job_are_shown(client: Client) -> None:
    target = {"type": "http", "url": "http://x/", "endpoints": {"listed": [{"url": "http://10.0.3.7"}]}}
    client.apply_job({"name": "clean", "schedule": "@hourly", "target": target})
    found = client.endpoints("clean")
    assert (found["source"], [each["url"] for each in found["items"]]) == ("listed", ["http://10.0.3.7"])
