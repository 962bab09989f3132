"""Warnings about limits to which jobs of a namespace give different maxima."""

from __future__ import annotations

import pytest

from minutehand.adapters.memory import MemoryDefinitions
from minutehand.domain.errors import Unavailable
from tests.unit.api.conftest import JOB, Api

OTHER = "/v1/namespaces/demo/jobs/other"


def limited(**most: int) -> dict[str, object]:
    return JOB | {"limits": [{"name": name, "max": each} for name, each in most.items()]}


@pytest.mark.parametrize("query", [None, {"dry_run": "true"}])
def test_a_save_warns_if_another_job_gives_a_limit_another_max(api: Api, query: dict[str, str] | None) -> None:
    api.put(limited(licence=1, db=5), OTHER)
    answer = api.put(limited(db=3, licence=1), query=query)
    assert answer.status < 300
    assert answer.body["warnings"] == [
        {
            "path": "limits[0].max",
            "pointer": "/limits/0/max",
            "message": (
                "3 for the limit db, but job demo/other gives it 5: jobs that give 3 wait until one of the limit's first 3"
                " slots is free"
            ),
            "hint": "give all jobs of the limit the same max",
        }
    ]


def test_the_warning_about_a_max_of_one_names_one_slot(api: Api) -> None:
    api.put(limited(db=5), OTHER)
    [warning] = api.put(limited(db=1)).body["warnings"]
    assert warning["message"].endswith("jobs that give 1 wait until the limit's first slot is free")


def test_nothing_is_warned_of_where_all_give_the_same_max(api: Api) -> None:
    for path in (OTHER, "/v1/namespaces/elsewhere/jobs/other"):
        api.put(limited(db=3), path)
    api.put(limited(db=3, licence=2))
    assert api.put(limited(db=4), "/v1/namespaces/third/jobs/other").body["warnings"] == []
    assert api.put(limited(db=3, licence=1)).body["warnings"] == [], "its own former max does not count"


def test_a_job_that_was_deleted_or_no_longer_names_the_limit_is_not_compared(api: Api) -> None:
    api.put(limited(db=5), OTHER)
    api.put(JOB, OTHER)
    api.put(limited(db=6), "/v1/namespaces/demo/jobs/third")
    api.delete("/v1/namespaces/demo/jobs/third")
    assert api.put(limited(db=3)).body["warnings"] == []


def test_a_save_succeeds_without_the_warning_if_the_other_jobs_cannot_be_read(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise Unavailable("the table does not answer")

    api.put(limited(db=5), OTHER)
    monkeypatch.setattr(MemoryDefinitions, "page", fails)
    answer = api.put(limited(db=3))
    assert (answer.status, answer.body["warnings"]) == (201, [])


def test_a_job_without_limits_is_compared_with_no_other(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(MemoryDefinitions, "page", lambda *args: asked.append(args))
    assert api.put().status == 201
    assert not asked
