"""Explaining over HTTP: who may ask what, and the answer's form."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.run import RunState
from tests.unit.api.conftest import JOB, PATH, Api, FakeClock
from tests.unit.api.explaining import EXPLAIN, explained, keep


def test_an_instant_is_explained_with_the_whole_run(api: Api, state: MemoryState) -> None:
    api.put()
    keep(state, state=RunState.SUCCEEDED, attempt=1, lateness=timedelta(milliseconds=412))
    answer = explained(api, at="2026-11-20T13:00:00Z")
    [item] = answer.pop("items")
    assert answer == {
        "job": "demo/heartbeat",
        "from": "2026-11-20T13:00:00Z",
        "to": "2026-11-20T13:00:01Z",
        "beside": [],
        "next": None,
    }
    assert [item.pop("run")] == api.get(f"{PATH}/runs").body["items"]
    assert {name: value for name, value in item.items() if value is not None} == {
        "kind": "ran",
        "first": "2026-11-20T13:00:00Z",
        "last": "2026-11-20T13:00:00Z",
        "times": 1,
        "text": "succeeded: attempt 1, 412ms late",
    }


def test_a_range_includes_its_start_and_excludes_its_end(api: Api) -> None:
    api.put()
    answer = explained(api, **{"from": "2026-11-20T13:00:00Z", "to": "2026-11-20T15:00:00Z"})
    assert (answer["from"], answer["to"], answer["next"]) == ("2026-11-20T13:00:00Z", "2026-11-20T15:00:00Z", None)
    [item] = answer["items"]
    assert (item["kind"], item["first"], item["last"], item["times"]) == (
        "not_yet_due",
        "2026-11-20T13:00:00Z",
        "2026-11-20T14:00:00Z",
        2,
    )


def test_the_last_day_is_explained_by_default(api: Api, clock: FakeClock) -> None:
    api.put()
    answer = explained(api)
    assert (answer["from"], answer["to"]) == ("2026-11-19T12:00:30Z", "2026-11-20T12:00:30Z")
    answer = explained(api, **{"from": "2026-11-20T11:00:00Z"})
    assert (answer["from"], answer["to"]) == ("2026-11-20T11:00:00Z", "2026-11-20T12:00:30Z")


def test_a_long_answer_names_the_instant_to_continue_from(api: Api) -> None:
    api.put(JOB | {"schedule": "* * * * * *"})
    answer = explained(api, **{"from": "2026-11-20T13:00:00Z", "to": "2026-11-21T13:00:00Z"})
    assert answer["next"] == "2026-11-20T14:23:20Z"


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"at": "2026-11-20T13:00:00Z", "from": "2026-11-20T13:00:00Z"}, "at"),
        ({"at": "2026-11-20T13:00:00Z", "to": "2026-11-20T13:00:00Z"}, "at"),
        ({"to": "2026-11-20T13:00:00Z"}, "from"),
        ({"from": "2026-11-20T13:00:00Z", "to": "2026-11-20T13:00:00Z"}, "to"),
        ({"from": "2026-11-20T13:00:00Z", "to": "2026-11-20T12:00:00Z"}, "to"),
        ({"at": "yesterday"}, "at"),
        ({"at": "0001-01-01T00:00:00Z"}, "at"),
        ({"from": "1969-12-31T00:00:00Z"}, "from"),
        ({"at": "9999-01-01T00:00:00Z"}, "at"),
        ({"when": "2026-11-20T13:00:00Z"}, "when"),
    ],
)
def test_an_invalid_query_is_refused_with_a_hint(api: Api, query: dict[str, str], path: str) -> None:
    api.put()
    answer = api.get(EXPLAIN, query=query)
    assert answer.status == 400
    assert answer.errors[path]["hint"]


@pytest.mark.parametrize("at", ["1970-01-02T00:00:00Z", "9900-01-01T00:00:00Z"])
def test_the_earliest_and_latest_instants_can_be_explained(api: Api, at: str) -> None:
    api.put()
    assert len(explained(api, at=at)["items"]) == 1


def test_the_widest_range_can_be_explained(api: Api) -> None:
    api.put(JOB | {"schedule": "0 0 1 1 *"})
    answer = explained(api, **{"from": "1970-01-02T00:00:00Z", "to": "9900-01-01T00:00:00Z"})
    assert [item["kind"] for item in answer["items"]] == ["not_there", "not_yet_due"]


def test_an_unknown_job_is_404_but_a_deleted_one_is_not(api: Api) -> None:
    assert api.get(EXPLAIN).status == 404
    api.put()
    api.delete()
    assert api.get(EXPLAIN).status == 200


def test_explaining_needs_a_viewer_of_the_namespace(api: Api) -> None:
    api.put()
    assert api.by(role="viewer", namespaces="demo").get(EXPLAIN).status == 200
    assert api.by(role="viewer", namespaces="shop").get(EXPLAIN).status == 403
