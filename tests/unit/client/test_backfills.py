from datetime import UTC, datetime, timedelta, timezone

import pytest

from minutehand.client import Client, NotFound
from tests.unit.client.fake.documents import make_backfill
from tests.unit.client.fake_api import FakeApi

SEVEN = datetime(2026, 11, 20, 7, tzinfo=UTC)
EIGHT = datetime(2026, 11, 20, 9, tzinfo=timezone(timedelta(hours=1)))


@pytest.fixture(autouse=True)
def _job(api: FakeApi) -> None:
    api.add_job("demo/beat")


def test_a_backfill_is_asked_for_with_a_key_of_its_own_unless_one_is_given(api: FakeApi, client: Client) -> None:
    first = client.backfill("demo/beat", SEVEN, EIGHT)
    assert client.backfill("demo/beat", SEVEN, EIGHT)["id"] != first["id"]
    keyed = client.backfill(
        "demo/beat", SEVEN, EIGHT, order="newest", concurrency=3, ignore_overlap=True, idempotency_key="fix-7"
    )
    assert keyed["id"] == "fix-7"
    assert api.requests[-1].body == {
        "from": "2026-11-20T07:00:00Z",
        "to": "2026-11-20T08:00:00Z",
        "order": "newest",
        "concurrency": 3,
        "ignore_overlap": True,
    }
    assert "ignore_overlap" not in api.requests[0].body


def test_a_preview_starts_nothing(api: FakeApi, client: Client) -> None:
    found = client.preview_backfill("demo/beat", SEVEN, EIGHT)
    assert (found["occurrences"], found["first"]) == (60, "2026-11-20T07:00:00Z")
    assert api.backfills["demo/beat"] == {}


def test_a_naive_instant_is_refused(client: Client) -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        client.backfill("demo/beat", SEVEN.replace(tzinfo=None), EIGHT)


def test_backfills_are_shown_listed_and_cancelled(api: FakeApi, client: Client) -> None:
    api.backfills["demo/beat"] = {f"b{n}": make_backfill("demo/beat", f"b{n}") for n in range(60)}
    assert client.get_backfill("demo/beat", "b7") == make_backfill("demo/beat", "b7")
    assert [found["id"] for found in client.backfills("demo/beat")] == [f"b{n}" for n in range(59, -1, -1)]
    assert client.cancel_backfill("demo/beat", "b7")["state"] == "cancelled"
    with pytest.raises(NotFound):
        client.get_backfill("demo/beat", "gone")


def test_a_resume_says_what_is_to_be_made_up_for_only_where_something_is(api: FakeApi, client: Client) -> None:
    api.backfills["demo/beat"] = {"resume-3": make_backfill("demo/beat", "resume-3")}
    assert client.resume("demo/beat")["backfill"] is None
    resumed = client.resume("demo/beat", catch_up="all")
    assert resumed["backfill"] is not None
    assert resumed["backfill"]["id"] == "resume-3"
    assert [request.body for request in api.requests] == [None, {"catch_up": "all"}]
