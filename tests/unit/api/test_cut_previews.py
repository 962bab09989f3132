"""Previews whose runs take much work to find end early, and say so. The work is counted in steps, not measured in time."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.domain.calendar_filter import Unblocked
from minutehand.usecases.queries import preview
from minutehand.usecases.queries.preview import MOST_STEPS
from tests.unit.api.conftest import JOB, PATH, Api

pytestmark = pytest.mark.thorough

NEARLY_ALWAYS = {"weekly": ["MON-SUN 00:00-23:59"]}
ONCE_A_YEAR = JOB | {"schedule": ["7,22,37 * * * *", "59 23 1 1 *"], "calendars": ["nearly"], "on_blocked": "next_day"}
"""72 occurrences a day that are moved for 92 days and never run, and one a year that does."""


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The steps of each search for a run."""
    taken: list[int] = []
    right = Unblocked.next

    def counted(self: Unblocked, after: Any) -> Any:
        before = self.steps
        found = right(self, after)
        taken.append(self.steps - before)
        return found

    monkeypatch.setattr(Unblocked, "next", counted)
    return taken


def save(api: Api, **fields: Any) -> None:
    assert api.put(NEARLY_ALWAYS, path="/v1/namespaces/demo/calendars/nearly").status < 300
    assert api.put(ONCE_A_YEAR | fields).status == 201


def coming(api: Api, **query: str) -> Any:
    answer = api.by(role="viewer").get(f"{PATH}/next", query=query)
    assert answer.status == 200, answer.body
    return answer.body


@pytest.mark.parametrize("start_at", [None, "9000-01-01T00:00:00Z"])
def test_next_runs_end_early_when_finding_them_takes_too_much_work(
    api: Api, steps: list[int], start_at: str | None
) -> None:
    save(api, start_at=start_at)
    steps.clear()
    found = coming(api, count="100")
    assert found["cut"]
    assert sum(steps[:-1]) <= MOST_STEPS, "no search begins once the work is done"
    ats = [item["at"] for item in found["items"]]
    assert 0 < len(ats) < 20
    further = [item["at"] for item in coming(api, count="2", after=ats[-1])["items"]]
    years = [int(at[:4]) for at in (*ats, *further)]
    assert years == list(range(years[0], years[0] + len(years))), "the answer continues where it ended"


def test_a_preview_that_takes_little_work_is_whole(api: Api) -> None:
    save(api, schedule="0 9 * * *", calendars=[], on_blocked="skip")
    found = coming(api, count="100")
    assert (len(found["items"]), found["cut"]) == (100, False)
    ended = coming(api, count="1")
    assert (len(ended["items"]), ended["cut"]) == (1, False)


def test_a_dry_run_says_that_its_preview_is_cut(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    save(api)
    monkeypatch.setattr(preview, "MOST_STEPS", 1)
    shown = api.put(ONCE_A_YEAR, query={"dry_run": "true"}).body["preview"]
    assert (len(shown["items"]), shown["cut"]) == (1, True)


def test_runs_that_max_runs_counts_are_not_counted_at_any_price(api: Api, steps: list[int]) -> None:
    save(api, max_runs=1_000_000)
    steps.clear()
    answer = api.get(f"{PATH}/next", query={"after": "9000-01-01T00:00:00Z"})
    assert (answer.status, list(answer.errors)) == (400, ["after"])
    assert "too many to count how many max_runs leaves" in answer.errors["after"]["message"]
    assert sum(steps[:-1]) <= MOST_STEPS


def test_too_many_occurrences_to_move_are_refused_also_if_the_job_starts_in_years(api: Api) -> None:
    assert api.put(NEARLY_ALWAYS, path="/v1/namespaces/demo/calendars/nearly").status < 300
    for start_at in (None, "2035-06-01T00:00:00Z"):
        answer = api.put(ONCE_A_YEAR | {"schedule": ["*/5 * * * *", "59 23 1 1 *"], "start_at": start_at})
        assert (answer.status, list(answer.errors)) == (422, ["on_blocked"])
