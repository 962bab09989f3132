"""Pausing and resuming jobs over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.api.conftest import JOB, PATH, Api, FakeClock


def test_a_paused_job_names_who_paused_it(api: Api) -> None:
    api.put()
    answer = api.by(token="olga", role="operator").post(f"{PATH}/pause")
    assert answer.status == 200
    assert answer.body["paused"] is True
    assert answer.body["status"]["next_run_at"] is None
    said = "paused since 2026-11-20T12:00:30Z by olga; resume it to let it run"
    assert answer.body["status"]["idle_because"] == said
    assert api.get().body == answer.body


def test_an_edit_during_a_pause_does_not_move_its_start(api: Api, clock: FakeClock) -> None:
    api.put()
    api.by(token="olga", role="operator").post(f"{PATH}/pause")
    clock.move(hours=1)
    status = api.by(token="ada").put(JOB | {"description": "new"}).body["status"]
    assert status["idle_because"] == "paused since 2026-11-20T12:00:30Z by olga; resume it to let it run"
    assert (status["updated_at"], status["updated_by"]) == ("2026-11-20T13:00:30Z", "ada")
    listed = api.get(PATH.rpartition("/")[0]).body["items"][0]["status"]
    assert listed["idle_because"] == status["idle_because"]
    until = api.by(token="bob").post(f"{PATH}/pause", body={"until": "2026-11-20T20:00:00Z"}).body["status"]
    assert "(since 2026-11-20T12:00:30Z by olga)" in until["idle_because"], "another end of the same pause"
    clock.move(hours=8)
    again = api.by(token="bob").post(f"{PATH}/pause").body["status"]
    assert "paused since 2026-11-20T21:00:30Z by bob" in again["idle_because"], "the first pause had ended by itself"
    api.post(f"{PATH}/resume")
    clock.move(hours=1)
    anew = api.by(token="eve").post(f"{PATH}/pause").body["status"]
    assert "paused since 2026-11-20T22:00:30Z by eve" in anew["idle_because"]


def test_pausing_a_paused_job_changes_nothing(api: Api) -> None:
    api.put()
    first = api.post(f"{PATH}/pause")
    assert api.post(f"{PATH}/pause", body="{}").body == first.body


def test_a_resumed_job_has_a_next_run_again(api: Api) -> None:
    api.put(JOB | {"paused": True})
    answer = api.post(f"{PATH}/resume")
    assert answer.status == 200
    assert answer.body["paused"] is False
    assert answer.body["status"]["next_run_at"] == "2026-11-20T13:00:00Z"


def test_a_job_saved_without_paused_stays_paused(api: Api) -> None:
    api.put(JOB | {"paused": True})
    assert api.put(JOB | {"description": "new"}).body["paused"] is True


def test_a_job_saved_with_paused_false_runs_again(api: Api) -> None:
    api.put(JOB | {"paused": True})
    assert api.put(JOB | {"paused": False}).body["paused"] is False


def test_a_job_may_be_paused_until_an_instant(api: Api, clock: FakeClock) -> None:
    api.put()
    answer = api.by(token="olga", role="operator").post(f"{PATH}/pause", body={"until": "2026-11-20T15:30:00+01:00"})
    assert answer.status == 200
    assert answer.body["paused"] == {"until": "2026-11-20T14:30:00Z"}
    assert answer.body["status"]["next_run_at"] == "2026-11-20T15:00:00Z"
    assert answer.body["status"]["idle_because"].startswith(
        "paused until 2026-11-20T14:30:00Z (since 2026-11-20T12:00:30Z by olga)"
    )
    ahead = api.get(f"{PATH}/next").body
    assert ahead["items"][0]["at"] == "2026-11-20T15:00:00Z"
    assert ahead["idle_because"] == answer.body["status"]["idle_because"]
    assert api.put(JOB | {"description": "new"}).body["paused"] == answer.body["paused"], "left out, it stays"
    clock.move(hours=3)
    shown = api.get().body
    assert (shown["paused"], shown["status"]["idle_because"]) == (False, None)
    assert api.put(shown).body["status"]["revision"] == 3, "put back, it is the same"
    assert api.post(f"{PATH}/resume").body["status"]["revision"] == 3


def test_a_pause_with_an_end_can_be_saved_and_resumed_early(api: Api) -> None:
    saved = api.put(JOB | {"paused": {"until": "2026-11-21T00:00:00Z"}})
    assert saved.body["status"]["next_run_at"] == "2026-11-21T00:00:00Z"
    [item] = api.get(PATH.rpartition("/")[0]).body["items"]
    assert item["paused"] == {"until": "2026-11-21T00:00:00Z"}
    resumed = api.post(f"{PATH}/resume").body
    assert (resumed["paused"], resumed["status"]["next_run_at"]) == (False, "2026-11-20T13:00:00Z")


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ({"until": "2026-11-20T12:00:30Z"}, "until", "is not in the future: it is 2026-11-20T12:00:30Z"),
        ({"until": "tomorrow"}, "until", "'tomorrow' is not an instant"),
        ({"until": None}, "until", "must be text, not null"),
        ({"untl": "2026-12-01T00:00:00Z"}, "untl", "unknown field"),
    ],
)
def test_an_invalid_end_of_a_pause_is_422_and_pauses_nothing(
    api: Api, body: dict[str, Any], path: str, message: str
) -> None:
    api.put()
    answer = api.post(f"{PATH}/pause", body=body)
    assert answer.status == 422
    assert message in answer.errors[path]["message"]
    assert api.get().body["paused"] is False
