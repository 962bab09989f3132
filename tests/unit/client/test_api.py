import json
from datetime import datetime, timedelta, timezone

import pytest

from minutehand.client import (
    AnswerError,
    Client,
    Conflict,
    NotFound,
)
from tests.support.api_server import ApiServer
from tests.support.http_server import Canned

DOCUMENT = {
    "namespace": "demo",
    "name": "beat",
    "schedule": "@hourly",
    "target": {"type": "http", "url": "https://example.com/"},
}


def test_health_needs_no_token(api: ApiServer) -> None:
    with Client(api.url, None) as client:
        assert client.health() == {"status": "ok", "version": "0.1.0"}
    assert "authorization" not in api.requests[0].headers


def test_a_job_is_created_then_unchanged_then_updated(client: Client) -> None:
    assert client.apply_job(DOCUMENT)["result"] == "created"
    assert client.apply_job(DOCUMENT)["result"] == "unchanged"
    changed = client.apply_job(DOCUMENT | {"schedule": "@daily"})
    assert (changed["result"], changed["job"]["status"]["revision"]) == ("updated", 2)


def test_a_dry_run_says_what_would_happen_and_saves_nothing(api: ApiServer, client: Client) -> None:
    assert client.apply_job(DOCUMENT, dry_run=True)["result"] == "created"
    assert api.jobs == {}
    client.apply_job(DOCUMENT)
    assert client.apply_job(DOCUMENT, dry_run=True)["result"] == "unchanged"
    assert client.apply_job(DOCUMENT | {"timeout": "5s"}, dry_run=True)["result"] == "updated"
    assert api.jobs["demo/beat"]["timeout"] == "1m"


def test_a_job_that_was_got_can_be_applied_again_as_it_is(client: Client) -> None:
    client.apply_job(DOCUMENT)
    assert client.apply_job(client.get_job("demo/beat"))["result"] == "unchanged"


def test_warnings_and_a_preview_come_beside_the_job(api: ApiServer, client: Client) -> None:
    surprising = DOCUMENT | {"schedule": "0 9 13 * FRI"}
    planned = client.apply_job(surprising, dry_run=True)
    [warning] = planned["warnings"]
    assert (warning["path"], warning["column"]) == ("schedule", 4)
    assert planned["preview"]["items"][0]["at"] == "2026-11-20T09:00:00Z"
    saved = client.apply_job(surprising)
    assert (saved["warnings"], "preview" in saved) == ([warning], False)
    assert saved["job"] == client.get_job("demo/beat")


def test_the_runs_to_come_are_asked_for_behind_an_instant(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    assert [run["at"] for run in client.next_runs("demo/beat", count=2)["items"]] == [
        "2026-11-20T09:00:00Z",
        "2026-11-20T10:00:00Z",
    ]
    after = datetime(2026, 11, 20, 18, tzinfo=timezone(timedelta(hours=9)))
    client.next_runs("demo/beat", count=3, after=after)
    assert api.requests[-1].query == {"count": "3", "after": "2026-11-20T09:00:00Z"}
    with pytest.raises(ValueError, match="has no time zone"):
        client.next_runs("demo/beat", after=after.replace(tzinfo=None))
    with pytest.raises(NotFound):
        client.next_runs("demo/ghost")


def test_an_explanation_is_asked_for_by_instant_or_stretch(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    at = datetime(2026, 11, 20, 18, tzinfo=timezone(timedelta(hours=9)))
    assert [item["kind"] for item in client.explain("demo/beat", at=at)["items"]] == ["not_yet_due"]
    assert api.requests[-1].query == {"at": "2026-11-20T09:00:00Z"}
    client.explain("demo/beat", start=at, end=at + timedelta(hours=1))
    assert api.requests[-1].query == {"from": "2026-11-20T09:00:00Z", "to": "2026-11-20T10:00:00Z"}
    client.explain("demo/beat")
    assert api.requests[-1].query == {}
    with pytest.raises(ValueError, match="has no time zone"):
        client.explain("demo/beat", at=at.replace(tzinfo=None))
    with pytest.raises(NotFound):
        client.explain("demo/ghost")


def test_a_name_without_namespace_is_in_the_default_one(api: ApiServer, client: Client) -> None:
    api.add_job("default/beat")
    assert client.get_job("beat")["namespace"] == "default"


@pytest.mark.thorough
def test_a_list_goes_through_all_its_pages_in_order_and_asks_only_for_what_is_read(
    api: ApiServer, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("minutehand.client.lists.JOBS_AT_ONCE", 50)
    names = [f"job-{n:03}" for n in range(120)]
    for name in names:
        api.add_job(f"demo/{name}")
    jobs = client.list_jobs("demo")
    assert next(jobs)["name"] == "job-000"
    assert len(api.requests) == 1
    assert [job["name"] for job in jobs] == names[1:]
    assert len(api.requests) == 3


def test_runs_come_newest_first_over_all_pages(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    ids = [f"20261120T09{n // 60:02}{n % 60:02}Z" for n in range(130)]
    for run_id in ids:
        api.add_run("demo/beat", run_id)
    assert [run["run_id"] for run in client.runs("demo/beat")] == ids[::-1]
    assert client.run("demo/beat", ids[7])["run_id"] == ids[7]


def test_a_list_that_would_never_end_is_an_error(api: ApiServer, client: Client) -> None:
    endless = Canned(body=json.dumps({"items": [], "next": "again"}).encode())
    api.canned.extend([endless, endless])
    with pytest.raises(AnswerError, match="names itself"):
        list(client.list_jobs("demo"))


def test_pause_and_resume_answer_the_job(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    assert client.pause("demo/beat")["paused"] is True
    assert client.resume("demo/beat")["paused"] is False


def test_a_pause_may_end_by_itself(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    until = datetime(2026, 12, 1, 9, tzinfo=timezone(timedelta(hours=1)))
    assert client.pause("demo/beat", until=until)["paused"] == {"until": "2026-12-01T08:00:00Z"}
    rounded = client.pause("demo/beat", until=until - timedelta(milliseconds=600))["paused"]
    assert rounded == {"until": "2026-12-01T08:00:00Z"}, "such as half an hour from now: the API takes whole seconds"
    with pytest.raises(ValueError, match="no time zone"):
        client.pause("demo/beat", until=datetime(2026, 12, 1, 9))  # noqa: DTZ001 - what must be refused


def test_runs_in_one_state_come_over_all_pages(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    for n in range(130):
        api.add_run("demo/beat", f"20261120T09{n // 60:02}{n % 60:02}Z", "failed" if n % 2 else "succeeded")
    assert {run["state"] for run in client.runs("demo/beat", state="failed")} == {"failed"}
    assert len(list(client.runs("demo/beat", state="failed"))) == 65
    assert list(client.runs("demo/beat", state="active")) == []


def test_a_run_is_cancelled_and_one_that_has_ended_is_a_conflict(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", "20261120T090000Z", "queued")
    api.add_run("demo/beat", "20261120T090100Z", "failed")
    assert client.cancel("demo/beat", "20261120T090000Z")["state"] == "cancelled"
    with pytest.raises(Conflict, match="failed"):
        client.cancel("demo/beat", "20261120T090100Z")


def test_a_redrive_goes_over_all_pages(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    for n in range(60):
        api.add_run("demo/beat", f"20261120T0700{n:02}Z", "lost" if n % 3 else "queued")
    assert len(client.redrive("demo/beat")) == 20
    assert len(client.redrive("demo/beat", lost=True)) == 40
    assert [run["run_id"] for run in client.redrive("demo/beat", "20261120T070000Z")] == ["20261120T070000Z"]


def test_a_redrive_of_a_namespace_goes_over_all_pages(api: ApiServer, client: Client) -> None:
    for n in range(25):
        api.add_job(f"demo/job-{n}")
        api.add_run(f"demo/job-{n}", "20261120T070000Z", "lost" if n % 2 else "queued")
    assert len(client.redrive_namespace("demo")) == 13
    assert len(client.redrive_namespace("demo", lost=True)) == 12


def test_each_trigger_has_a_key_of_its_own_unless_one_is_given(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    first, second = client.trigger("demo/beat"), client.trigger("demo/beat")
    assert first["run_id"] != second["run_id"]
    third = client.trigger("demo/beat", idempotency_key="order-7")
    assert client.trigger("demo/beat", idempotency_key="order-7") == third


def test_a_trigger_whose_answer_was_lost_is_asked_again_and_runs_once(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    api.canned.append(Canned(drop=True, late=True))
    run = client.trigger("demo/beat")
    assert list(api.runs("demo/beat")) == [run["run_id"]]
    assert len(api.requests) == 2


def test_a_delete_whose_answer_was_lost_has_deleted(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    api.canned.append(Canned(drop=True, late=True))
    client.delete_job("demo/beat")
    assert api.jobs == {}
    with pytest.raises(NotFound):
        client.delete_job("demo/beat")


def test_a_trigger_sends_a_payload_only_when_one_is_given(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    client.trigger("demo/beat")
    client.trigger("demo/beat", payload=None)
    client.trigger("demo/beat", payload={"day": 1}, ignore_overlap=True)
    assert [request.body for request in api.requests] == [
        None,
        {"payload": None},
        {"payload": {"day": 1}, "ignore_overlap": True},
    ]
