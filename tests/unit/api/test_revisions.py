"""Earlier revisions of jobs over HTTP: listed, shown, compared and saved again."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from tests.unit.api.conftest import HEARTBEAT, JOB, PATH, Api, FakeClock

REVISIONS = f"{PATH}/revisions"
SECOND: dict[str, Any] = JOB | {"description": "second", "retry": {"max_attempts": 3}, "labels": {"team/a": "b"}}


@pytest.fixture
def edited(api: Api) -> Api:
    """A job with three revisions: created, edited, paused."""
    api.put()
    api.by(token="eve").put(SECOND)
    api.post(f"{PATH}/pause")
    return api


def test_revisions_are_listed_newest_first_in_pages(edited: Api) -> None:
    first = edited.get(REVISIONS, query={"limit": "2"}).body
    second = edited.get(REVISIONS, query={"limit": "2", "cursor": first["next"]}).body
    assert [(each["number"], each["did"], each["by"]) for each in first["items"] + second["items"]] == [
        (3, "paused", "ada"),
        (2, "edited", "eve"),
        (1, "created", "ada"),
    ]
    assert second["next"] is None
    assert first["items"][1]["changed"] == ["description", "labels", "retry"]
    assert edited.get(f"{PATH}x/revisions", query={"cursor": first["next"]}).status == 400


def test_revisions_of_a_deleted_job_are_listed_and_those_of_no_job_are_not_found(edited: Api) -> None:
    edited.delete()
    assert edited.get(REVISIONS).body["items"][0]["did"] == "deleted"
    assert edited.get(f"{PATH}x/revisions").status == 404


def test_a_revision_shows_the_job_as_it_was_and_put_takes_it(edited: Api) -> None:
    shown = edited.get(f"{REVISIONS}/2").body
    assert (shown["number"], shown["did"], shown["missing"]) == (2, "edited", False)
    assert (shown["job"]["description"], shown["job"]["retry"]["max_attempts"]) == ("second", 3)
    assert edited.get(f"{REVISIONS}/1").body["job"]["description"] == ""
    assert edited.put(shown["job"]).body["paused"] is False


@pytest.mark.parametrize("number", ["0", "9", "-1", "01", "x", "2%20", "99999999999"])
def test_a_revision_that_never_was_is_not_found(edited: Api, number: str) -> None:
    for path in (f"{REVISIONS}/{number}", f"{REVISIONS}/{number}/diff"):
        assert edited.get(path).status == 404
    assert edited.post(f"{REVISIONS}/{number}/restore").status == 404


def test_a_difference_is_what_a_revision_changed(edited: Api) -> None:
    body = edited.get(f"{REVISIONS}/2/diff").body
    assert (body["job"], body["from"], body["to"]) == ("demo/heartbeat", 1, 2)
    assert body["items"] == [
        {"path": "/description", "before": "", "after": "second"},
        {"path": "/labels/team~1a", "after": "b"},
        {"path": "/retry/max_attempts", "before": 1, "after": 3},
    ]
    assert edited.get(f"{REVISIONS}/3/diff").body["items"] == [{"path": "/paused", "before": False, "after": True}]


def test_the_first_revision_set_every_field(edited: Api) -> None:
    body = edited.get(f"{REVISIONS}/1/diff").body
    assert (body["from"], body["to"]) == (0, 1)
    assert {"path": "/schedule", "after": JOB["schedule"]} in body["items"]


@pytest.mark.parametrize(("number", "to"), [("1", "3"), ("3", "1")])
def test_of_two_revisions_the_older_one_is_before(edited: Api, number: str, to: str) -> None:
    body = edited.get(f"{REVISIONS}/{number}/diff", query={"against": to}).body
    assert (body["from"], body["to"]) == (1, 3)
    assert [each["path"] for each in body["items"]] == [
        "/description",
        "/labels/team~1a",
        "/paused",
        "/retry/max_attempts",
    ]


@pytest.mark.parametrize("to", ["0", "x", "", "1.5"])
def test_a_revision_to_compare_with_is_a_number(edited: Api, to: str) -> None:
    assert "to" in edited.get(f"{REVISIONS}/1/diff", query={"to": to}).errors


def test_a_delete_takes_every_field_away(edited: Api) -> None:
    edited.delete()
    items = edited.get(f"{REVISIONS}/4/diff").body["items"]
    assert {"path": "/description", "before": "second"} in items
    assert not [each for each in items if "after" in each]


def test_a_restore_saves_the_earlier_job_as_a_new_revision_and_leaves_the_pause(edited: Api, clock: FakeClock) -> None:
    clock.move(minutes=1)
    answer = edited.by(token="bob").post(f"{REVISIONS}/1/restore")
    assert answer.status == 200
    assert answer.headers["etag"] == '"4"'
    assert (answer.body["description"], answer.body["paused"]) == ("", True)
    assert answer.body["status"]["updated_by"] == "bob"
    assert answer.body["warnings"] == []
    assert edited.get(f"{REVISIONS}/4/diff", query={"against": "1"}).body["items"] == [
        {"path": "/paused", "before": False, "after": True}
    ]
    assert edited.post(f"{REVISIONS}/1/restore").body["status"]["revision"] == 4, "restored already"


def test_a_deleted_job_is_restored(edited: Api) -> None:
    edited.delete()
    answer = edited.post(f"{REVISIONS}/2/restore")
    assert (answer.status, answer.body["description"]) == (201, "second")
    assert edited.post(f"{REVISIONS}/4/restore").status == 409, "that one deleted the job"


def test_a_restore_passes_the_checks_of_a_save(api: Api) -> None:
    api.put({"weekly": ["SAT"]}, path="/v1/namespaces/demo/calendars/weekend")
    api.put(JOB | {"calendars": ["weekend"]})
    api.put(JOB)
    api.delete("/v1/namespaces/demo/calendars/weekend")
    answer = api.post(f"{REVISIONS}/1/restore")
    assert (answer.status, answer.errors.keys()) == (422, {"calendars"})
    assert api.get().body["status"]["revision"] == 2


def test_a_restore_takes_no_body(edited: Api) -> None:
    assert edited.post(f"{REVISIONS}/1/restore", body={"x": 1}).status == 400


def test_a_revision_that_an_earlier_version_stored_says_that_it_has_no_job(edited: Api, state: MemoryState) -> None:
    del state.past_jobs[HEARTBEAT, 1]
    shown = edited.get(f"{REVISIONS}/1").body
    assert (shown["job"], shown["missing"]) == (None, True)
    for answer in (edited.get(f"{REVISIONS}/2/diff"), edited.post(f"{REVISIONS}/1/restore")):
        assert answer.status == 409
        assert "revision 1 of job demo/heartbeat was stored by a version" in answer.body["detail"]


def test_a_restore_keeps_a_job_in_shadow_and_warns(api: Api) -> None:
    api.put()
    api.put(SECOND | {"shadow": True})
    answer = api.post(f"{REVISIONS}/1/restore")
    assert (answer.body["description"], answer.body["shadow"]) == ("", True)
    [warning] = answer.body["warnings"]
    assert warning["path"] == "shadow"
    assert "stays so" in warning["message"]
    assert api.put(JOB | {"shadow": False}).body["shadow"] is False
    assert api.post(f"{REVISIONS}/2/restore").body["shadow"] is True, "as that revision says"
