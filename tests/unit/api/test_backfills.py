"""Backfills, and resuming with a catch-up, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.run import RunState
from tests.unit.api.conftest import JOB, PATH, Api, FakeClock

BACKFILLS = f"{PATH}/backfills"
MORNING = {"from": "2026-11-20T06:00:00Z", "to": "2026-11-20T12:00:00Z"}
KEY = {"Idempotency-Key": "fix-7"}


def _started(api: Api, **body: Any) -> dict[str, Any]:
    api.put()
    found: dict[str, Any] = api.post(BACKFILLS, body=MORNING | body, headers=KEY).body
    return found


def test_a_backfill_answers_202_and_its_progress(api: Api, state: MemoryState) -> None:
    api.put()
    answer = api.post(BACKFILLS, body=MORNING | {"concurrency": 2}, headers=KEY)
    assert answer.status == 202
    identity = answer.body["id"]
    assert answer.body == {
        "id": identity,
        "job": "demo/heartbeat",
        "from": "2026-11-20T06:00:00Z",
        "to": "2026-11-20T12:00:00Z",
        "order": "oldest",
        "concurrency": 2,
        "ignore_overlap": False,
        "state": "active",
        "occurrences": 6,
        "remaining": 4,
        "active": [f"20261120T060000Z~backfill-{identity}", f"20261120T070000Z~backfill-{identity}"],
        "ended": {},
        "created_at": "2026-11-20T12:00:30Z",
        "created_by": "ada",
        "finished_at": None,
        "reason": None,
    }
    assert [message.run.run_id for message in state.messages] == answer.body["active"]
    assert api.get(f"{BACKFILLS}/{identity}").body == answer.body
    assert api.get(BACKFILLS).body == {"items": [answer.body], "next": None}
    assert api.get(f"{PATH}/runs/{answer.body['active'][0]}").body["starts_at"] == "2026-11-20T12:00:30Z"


def test_a_repeated_idempotency_key_answers_200_and_the_same_backfill(api: Api, clock: FakeClock) -> None:
    first = _started(api)
    clock.move(seconds=5)
    again = api.post(BACKFILLS, body=MORNING, headers=KEY)
    assert (again.status, again.body) == (200, first)
    other = api.post(BACKFILLS, body=MORNING | {"order": "newest"}, headers=KEY)
    assert (other.status, other.body["type"]) == (409, "urn:problem-type:minutehand:key-reused")
    assert api.post(BACKFILLS, body=MORNING).body["id"] != first["id"]


def test_a_dry_run_counts_occurrences_and_creates_nothing(api: Api, state: MemoryState) -> None:
    api.put()
    answer = api.post(BACKFILLS, body={"dry_run": True, "from": "2026-11-20T07:30:00+01:00", "to": MORNING["to"]})
    assert answer.status == 200
    assert answer.body == {
        "from": "2026-11-20T06:30:00Z",
        "to": "2026-11-20T12:00:00Z",
        "occurrences": 5,
        "first": "2026-11-20T07:00:00Z",
        "last": "2026-11-20T11:00:00Z",
    }
    assert (state.backfills, state.messages) == ({}, [])


def test_every_error_of_a_backfill_is_reported_at_once(api: Api) -> None:
    api.put()
    answer = api.post(
        BACKFILLS, body={"from": "2026-11-20", "order": "random", "concurrency": 101, "form": 1, "dryrun": True}
    )
    assert answer.status == 422
    assert {path: error["message"] for path, error in answer.errors.items()} == {
        "from": "'2026-11-20' is not an instant",
        "to": "this is required",
        "order": "'random' is not a valid value",
        "concurrency": "101 is out of range",
        "form": "unknown field",
        "dryrun": "unknown field",
    }
    assert answer.errors["concurrency"]["hint"] == "give 1 to 100"
    assert answer.errors["form"]["hint"] == "did you mean `from`?"
    assert answer.errors["dryrun"]["hint"] == "did you mean `dry_run`?"
    assert api.post(BACKFILLS).errors.keys() == {"from", "to"}


@pytest.mark.parametrize(
    ("body", "path", "words"),
    [
        ({"to": "2026-11-20T05:00:00Z"}, "to", "is not after from"),
        ({"to": "2026-11-21T00:00:00Z"}, "to", "is in the future"),
        ({"from": "2026-11-20T11:10:00Z"}, "from", "the schedule has no occurrence"),
        ({"from": "2024-11-20T00:00:00Z"}, "to", "the range has about 17,500 occurrences; 10,000 is the most"),
    ],
)
def test_a_range_that_cannot_be_replayed_is_refused(api: Api, body: dict[str, str], path: str, words: str) -> None:
    api.put()
    answer = api.post(BACKFILLS, body=MORNING | body)
    assert answer.status == 422
    assert words in answer.errors[path]["message"]
    assert answer.errors[path]["hint"]


def test_a_manual_job_has_nothing_to_replay(api: Api) -> None:
    api.put(JOB | {"schedule": "@manual"})
    answer = api.post(BACKFILLS, body=MORNING)
    assert answer.status == 422
    assert answer.body["detail"] == (
        "the job's schedule is @manual: it has no occurrences to replay; trigger the job instead"
    )


def test_a_cancel_ends_waiting_runs_and_names_who_requested_it(api: Api, state: MemoryState, clock: FakeClock) -> None:
    started = _started(api)
    answer = api.by(token="eve", role="operator").post(f"{BACKFILLS}/{started['id']}/cancel")
    assert answer.status == 200
    assert (answer.body["state"], answer.body["reason"]) == ("cancelled", "cancelled by eve")
    assert (answer.body["ended"], answer.body["active"], answer.body["remaining"]) == ({"cancelled": 1}, [], 0)
    assert answer.body["finished_at"] is not None
    assert {run.state for run in state.runs.values()} == {RunState.CANCELLED}
    clock.move(seconds=5)
    assert api.post(f"{BACKFILLS}/{started['id']}/cancel").body == answer.body


def test_a_cancel_takes_no_body(api: Api) -> None:
    assert api.post(f"{BACKFILLS}/{_started(api)['id']}/cancel", body={"force": True}).status == 400


def test_the_backfills_of_a_deleted_job_can_be_read_and_name_the_reason(api: Api, state: MemoryState) -> None:
    started = _started(api)
    api.delete()
    [(key, one)] = state.backfills.items()
    assert api.get(f"{BACKFILLS}/{started['id']}").status == 200
    assert [found["id"] for found in api.get(BACKFILLS).body["items"]] == [one.id]
    assert key[0].name == "heartbeat"


def test_backfills_are_listed_newest_first(api: Api, clock: FakeClock) -> None:
    api.put()
    made = []
    for _ in range(3):
        made.append(api.post(BACKFILLS, body=MORNING).body["id"])
        clock.move(seconds=1)
    page = api.get(BACKFILLS, query={"limit": "2"}).body
    rest = api.get(BACKFILLS, query={"limit": "2", "cursor": page["next"]}).body
    assert [found["id"] for found in page["items"] + rest["items"]] == made[::-1]
    assert api.get(BACKFILLS, query={"cursor": "nonsense"}).status == 400


@pytest.mark.parametrize("path", [BACKFILLS, f"{BACKFILLS}/abc"])
def test_an_unknown_job_or_backfill_is_404(api: Api, path: str) -> None:
    assert api.get(path).status == 404
    assert api.post(f"{BACKFILLS}/abc/cancel").status == 404
    assert api.post(BACKFILLS, body=MORNING).status == 404


def test_a_viewer_may_read_but_not_start_or_cancel_backfills(api: Api) -> None:
    identity = _started(api)["id"]
    viewer = api.by(role="viewer")
    assert viewer.get(f"{BACKFILLS}/{identity}").status == 200
    assert viewer.post(BACKFILLS, body=MORNING).status == 403
    assert viewer.post(f"{BACKFILLS}/{identity}/cancel").status == 403


# Resuming.


def _paused(api: Api, clock: FakeClock, hours: int = 3) -> None:
    api.put()
    api.post(f"{PATH}/pause")
    clock.move(seconds=3600 * hours)


def test_a_resume_replays_nothing_by_default(api: Api, state: MemoryState, clock: FakeClock) -> None:
    _paused(api, clock)
    answer = api.post(f"{PATH}/resume")
    assert (answer.status, answer.body["paused"], answer.body["backfill"]) == (200, False, None)
    assert state.backfills == {}


@pytest.mark.parametrize(("catch_up", "occurrences", "first"), [("all", 3, "13"), ("latest", 1, "15")])
def test_a_resume_may_replay_the_occurrences_of_the_pause(
    api: Api, clock: FakeClock, catch_up: str, occurrences: int, first: str
) -> None:
    _paused(api, clock)
    answer = api.post(f"{PATH}/resume", body={"catch_up": catch_up})
    assert (answer.status, answer.body["paused"]) == (200, False)
    started = answer.body["backfill"]
    assert (started["id"], started["occurrences"]) == ("resume-3", occurrences)
    assert started["active"] == [f"20261120T{first}0000Z~backfill-resume-3"]
    assert api.get(f"{PATH}/runs/{started['active'][0]}").status == 200
    assert api.get(f"{BACKFILLS}/resume-3").body == started


def test_a_resume_with_too_much_to_replay_leaves_the_job_paused(api: Api, clock: FakeClock) -> None:
    _paused(api, clock, hours=24 * 730)
    answer = api.post(f"{PATH}/resume", body={"catch_up": "all"})
    assert answer.status == 422
    assert "the range has about 17,500 occurrences" in answer.errors["catch_up"]["message"]
    assert api.get().body["paused"] is True


def test_a_resume_refuses_unknown_fields_and_values(api: Api, clock: FakeClock) -> None:
    _paused(api, clock)
    answer = api.post(f"{PATH}/resume", body={"catchup": "all", "catch_up": "some"})
    assert answer.status == 422
    assert answer.errors["catchup"]["hint"] == "did you mean `catch_up`?"
    assert answer.errors["catch_up"]["message"] == "'some' is not a valid value"


def test_the_answer_to_a_resume_can_be_saved_again(api: Api, clock: FakeClock) -> None:
    _paused(api, clock)
    answer = api.post(f"{PATH}/resume", body={"catch_up": "all"})
    again = api.put(answer.body)
    assert (again.status, again.body["status"]["revision"]) == (200, answer.body["status"]["revision"])
