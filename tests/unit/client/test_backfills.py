from datetime import UTC, datetime, timedelta, timezone

import pytest

from minutehand.client import Client, NotFound
from tests.support.api_server import NOW, ApiServer

SEVEN = datetime(2026, 11, 20, 7, tzinfo=UTC)
EIGHT = datetime(2026, 11, 20, 9, tzinfo=timezone(timedelta(hours=1)))


@pytest.fixture(autouse=True)
def _job(api: ApiServer) -> None:
    api.now = SEVEN - timedelta(hours=1)
    api.add_job("demo/beat", schedule="* * * * *")
    api.now = NOW


def test_a_backfill_is_asked_for_with_a_key_of_its_own_unless_one_is_given(api: ApiServer, client: Client) -> None:
    first = client.backfill("demo/beat", SEVEN, EIGHT)
    assert client.backfill("demo/beat", SEVEN, EIGHT)["id"] != first["id"]
    keyed = client.backfill(
        "demo/beat", SEVEN, EIGHT, order="newest", concurrency=3, ignore_overlap=True, idempotency_key="fix-7"
    )
    again = client.backfill(
        "demo/beat", SEVEN, EIGHT, order="newest", concurrency=3, ignore_overlap=True, idempotency_key="fix-7"
    )
    assert keyed["id"] == again["id"]
    assert api.requests[-1].body == {
        "from": "2026-11-20T07:00:00Z",
        "to": "2026-11-20T08:00:00Z",
        "order": "newest",
        "concurrency": 3,
        "ignore_overlap": True,
    }
    assert "ignore_overlap" not in api.requests[0].body


def test_a_preview_starts_nothing(api: ApiServer, client: Client) -> None:
    found = client.preview_backfill("demo/beat", SEVEN, EIGHT)
    assert (found["occurrences"], found["first"], found["last"]) == (
        60,
        "2026-11-20T07:00:00Z",
        "2026-11-20T07:59:00Z",
    )
    assert api.backfills("demo/beat") == []


def test_a_naive_instant_is_refused(client: Client) -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        client.backfill("demo/beat", SEVEN.replace(tzinfo=None), EIGHT)


def test_backfills_are_shown_listed_and_cancelled(api: ApiServer, client: Client) -> None:
    made = []
    for n in range(60):
        api.now = NOW + timedelta(seconds=n)
        made.append(client.backfill("demo/beat", SEVEN, EIGHT, idempotency_key=f"b{n}"))
    assert client.get_backfill("demo/beat", made[7]["id"]) == made[7]
    assert [found["id"] for found in client.backfills("demo/beat")] == [each["id"] for each in reversed(made)]
    cancelled = client.cancel_backfill("demo/beat", made[7]["id"])
    assert (cancelled["state"], cancelled["reason"]) == ("cancelled", "cancelled by admin")
    with pytest.raises(NotFound):
        client.get_backfill("demo/beat", "gone")


def test_a_resume_shows_of_a_backfill_only_where_the_pause_kept_something_from_running(
    api: ApiServer, client: Client
) -> None:
    client.pause("demo/beat")
    api.now = NOW + timedelta(minutes=5)
    assert client.resume("demo/beat")["backfill"] is None
    client.pause("demo/beat")
    api.now += timedelta(minutes=5)
    backfill = client.resume("demo/beat", catch_up="all")["backfill"]
    assert backfill is not None
    assert (backfill["occurrences"], backfill["state"]) == (5, "active")
    client.pause("demo/beat")
    assert client.resume("demo/beat", catch_up="all")["backfill"] is None
    resumes = [request.body for request in api.requests if request.path.endswith("/resume")]
    assert resumes == [None, {"catch_up": "all"}, {"catch_up": "all"}]
