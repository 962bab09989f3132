"""Revisions, records of changes and preconditions from Python."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.client import ChangedMeanwhile, Client, Conflict, NotFound
from tests.support.api_server import NOW, ApiServer

JOB: dict[str, Any] = {
    "namespace": "shop",
    "name": "report",
    "schedule": "0 9 * * *",
    "target": {"type": "http", "url": "https://shop.test/report"},
}
NAME = "shop/report"


@pytest.fixture
def edited(api: ApiServer, client: Client) -> Client:
    client.apply_job(JOB)
    api.now = NOW + timedelta(minutes=1)
    client.apply_job(JOB | {"owner": "ada"})
    return client


def test_revisions_are_listed_shown_compared_and_restored(edited: Client) -> None:
    assert [each["number"] for each in edited.revisions(NAME)] == [2, 1]
    assert edited.revisions_page(NAME, limit=1)["items"][0]["changed"] == ["owner"]
    assert edited.revision(NAME, 1)["job"]["owner"] == ""
    diff = edited.diff_revisions(NAME, 2)
    assert diff["items"] == [{"path": "/owner", "before": "", "after": "ada"}]
    assert edited.diff_revisions(NAME, 1, to=2) == diff
    restored = edited.restore(NAME, 1)
    assert (restored["owner"], restored["status"]["revision"]) == ("", 3)
    with pytest.raises(NotFound):
        edited.revision(NAME, 9)


def test_a_change_is_only_made_to_the_revision_that_is_named(edited: Client) -> None:
    other = JOB | {"owner": "eve"}
    for change in (
        lambda: edited.apply_job(other, if_revision=1),
        lambda: edited.apply_job(other, if_revision=0),
        lambda: edited.pause(NAME, if_revision=1),
        lambda: edited.resume(NAME, if_revision=1),
        lambda: edited.restore(NAME, 1, if_revision=1),
        lambda: edited.delete_job(NAME, if_revision=1),
    ):
        with pytest.raises(ChangedMeanwhile, match="revision 2, which") as caught:
            change()
        assert isinstance(caught.value, Conflict)
    assert edited.apply_job(other, if_revision=2)["job"]["status"]["revision"] == 3
    assert edited.pause(NAME, if_revision=3)["paused"] is True
    assert edited.resume(NAME, if_revision=4)["paused"] is False
    edited.delete_job(NAME, if_revision=5)
    assert edited.apply_job(other, if_revision=0)["result"] == "created"


def test_settings_are_only_changed_in_the_revision_that_is_named(client: Client) -> None:
    client.set_namespace("shop", max_concurrency=1, if_revision=0)
    with pytest.raises(ChangedMeanwhile):
        client.set_namespace("shop", max_concurrency=2, if_revision=0)
    assert client.set_namespace("shop", max_concurrency=2, if_revision=1)["status"]["revision"] == 2


def test_records_are_filtered_and_come_from_all_pages(edited: Client, api: ApiServer) -> None:
    assert [each["revision"] for each in edited.audit(namespace="shop")] == [2, 1]
    assert [each["revision"] for each in edited.audit(start=NOW + timedelta(seconds=1))] == [2]
    assert [
        each["revision"] for each in edited.audit(namespace="shop", job="report", end=NOW + timedelta(seconds=1))
    ] == [1]
    first = edited.audit_page(limit=1)
    assert edited.audit_page(cursor=first["next"])["items"][0]["revision"] == 1
    assert list(edited.audit(actor="nobody", action="save")) == []
    asked = len(api.requests)
    with pytest.raises(ValueError, match="no time zone"):
        next(edited.audit(start=datetime(2026, 11, 20)))  # noqa: DTZ001
    assert len(api.requests) == asked
