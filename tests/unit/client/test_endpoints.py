"""Endpoint operations of the client."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.client import Client, NotFound


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


def test_the_endpoints_of_a_job_are_shown(client: Client) -> None:
    target = {"type": "http", "url": "http://x/", "endpoints": {"listed": [{"url": "http://10.0.3.7"}]}}
    client.apply_job({"name": "clean", "schedule": "@hourly", "target": target})
    found = client.endpoints("clean")
    assert (found["source"], [each["url"] for each in found["items"]]) == ("listed", ["http://10.0.3.7"])
