"""What a dispatch claims together is listed together, before the claim; what is alone is listed by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from minutehand.adapters.memory import MemoryRuns
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Timer
from minutehand.usecases.ports.sweeps import SweepProgress
from minutehand.usecases.upkeep.sweep import sweep
from tests.unit.domain.examples import at, timer
from tests.unit.usecases.crashes import Died
from tests.unit.usecases.stage import FOREVER, Stage

A, B, C = (JobKey("shop", name) for name in "abc")


@pytest.fixture
def stage() -> Stage:
    stage = Stage("08:59")
    stage.state.namespaces.add("shop")
    stage.state.sweep_progress = SweepProgress(at("08:00"), version=1)
    return stage


def due(stage: Stage, *jobs: JobKey, schedule: str = "0 9 * * *", **fields: object) -> list[Timer]:
    return [stage.put(timer("09:00", schedule, job=job, **fields)) for job in jobs]


def entry_of(stage: Stage, job: JobKey, clock: str = "09:00") -> str:
    return stage.state.runs[RunKey.scheduled(job, at(clock))].entry


def named(stage: Stage) -> list[list[str]]:
    """The jobs that each entry names, in the order in which the entries were stored."""
    return [sorted({key.job.name for key in entry.runs}) for entry in stage.state.entries.values()]


def swept(stage: Stage, clock: str) -> Sequence[RunKey]:
    """What a sweep finds after all messages were lost."""
    stage.state.messages.clear()
    stage.at(clock)
    return sorted(sweep(stage.ports, time_left=lambda: FOREVER))


def test_an_entry_names_what_is_claimed_together(stage: Stage) -> None:
    stage.dispatch(*due(stage, A, B, C))
    assert named(stage) == [["a", "b", "c"]]
    [entry] = stage.state.entries.values()
    assert {entry_of(stage, job) for job in (A, B, C)} == {entry.id}
    assert entry.expires_at == max(each.expires_at for each in stage.state.runs.values())
    assert swept(stage, "09:02") == [RunKey.scheduled(job, at("09:00")) for job in (A, B, C)]


def test_the_occurrences_of_one_job_in_a_minute_are_together(stage: Stage) -> None:
    stage.dispatch(*due(stage, A, schedule="@every 20s"))
    assert [entry.size for entry in stage.state.entries.values()] == [3]
    assert stage.claimed() == ["09:00:00", "09:00:20", "09:00:40", "09:01:00"]
    assert entry_of(stage, A, "09:01:00") == "", "it is alone in its minute"


def test_an_entry_names_runs_of_packed_timers_and_of_those_in_the_index(stage: Stage) -> None:
    due(stage, A, C)
    due(stage, B, JobKey("bank", "a"), schedule="*/5 * * * *", packed=True)
    assert stage.tick().claimed == 4
    assert named(stage) == [["a", "b", "c"]]
    assert entry_of(stage, B) == entry_of(stage, A) != ""


def test_a_run_that_is_alone_of_its_namespace_and_minute_has_no_entry(stage: Stage) -> None:
    stage.dispatch(*due(stage, A, JobKey("bank", "a")))
    assert stage.state.entries == {}
    assert entry_of(stage, A) == ""
    assert stage.runs.calls["enter"] == 0
    assert swept(stage, "09:02") == [RunKey.scheduled(A, at("09:00"))]


def test_counted_runs_are_alone(stage: Stage) -> None:
    stage.dispatch(*due(stage, A, B, runs_left=5))
    assert stage.state.entries == {}
    assert len(stage.state.runs) == 2


def test_a_process_that_dies_between_entry_and_claim_leaves_only_names(stage: Stage) -> None:
    timers = due(stage, A, B)
    stage.runs.fails("claim", error=Died())
    with pytest.raises(Died):
        stage.dispatch(*timers)
    assert (named(stage), stage.state.runs) == ([["a", "b"]], {})
    assert swept(stage, "09:02") == []
    stage.state.sweep_progress = SweepProgress(at("08:00"), version=1)
    stage.at("09:02").dispatch(*timers)
    assert len(stage.state.runs) == 2
    assert swept(stage, "09:04") == [RunKey.scheduled(job, at("09:00")) for job in (A, B)]


def test_no_run_is_claimed_before_its_entry_is_stored(stage: Stage) -> None:
    timers = due(stage, A, B)
    stage.runs.fails("enter", error=Died())
    with pytest.raises(Died):
        stage.dispatch(*timers)
    assert stage.state.runs == {}


@pytest.mark.parametrize("after_effect", [False, True])
def test_a_store_that_does_not_answer_for_an_entry_leaves_its_timers_due(stage: Stage, after_effect: bool) -> None:
    timers = due(stage, A, B)
    stage.runs.fails("enter", after_effect=after_effect)
    assert stage.dispatch(*timers).refused == 1
    assert (stage.state.runs, stage.next_at(A)) == ({}, at("09:00"))
    stage.dispatch(*timers)
    assert named(stage) == [["a", "b"]]
    assert len(stage.sent()) == 2


def test_runs_whose_entry_may_not_be_stored_are_listed_by_themselves(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemoryRuns, "enter", lambda _self, entries: [False] * len(entries))
    stage.dispatch(*due(stage, A, B))
    assert (entry_of(stage, A), stage.state.entries) == ("", {})
    assert swept(stage, "09:02") == [RunKey.scheduled(job, at("09:00")) for job in (A, B)]


def test_groups_that_overlap_have_entries_of_their_own_and_each_run_keeps_its_first(stage: Stage) -> None:
    a, b, c = due(stage, A, B, C)
    stage.dispatch(a, b)
    stage.dispatch(b, c)
    assert named(stage) == [["a", "b"], ["b", "c"]]
    first, second = (entry.id for entry in stage.state.entries.values())
    assert [entry_of(stage, job) for job in (A, B, C)] == [first, first, second]
    assert swept(stage, "09:02") == [RunKey.scheduled(job, at("09:00")) for job in (A, B, C)]


def test_a_dispatch_that_is_repeated_stores_nothing_more(stage: Stage) -> None:
    timers = due(stage, A, B)
    stage.dispatch(*timers)
    before = dict(stage.state.entries)
    stage.dispatch(*timers)
    assert stage.state.entries == before


def test_a_reopened_run_stays_in_its_entry(stage: Stage) -> None:
    due(stage, A, B, C)
    stage.dispatch(*(stage.state.timers[job] for job in (A, B)))
    first = entry_of(stage, A)
    key = RunKey.scheduled(A, at("09:00"))
    skipped = replace(
        stage.state.runs[key], state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED, finished_at=at("08:59")
    )
    stage.state.runs[key] = skipped
    stage.dispatch(*due(stage, A, C, revision=2))
    reopened = stage.state.runs[key]
    assert (reopened.state, reopened.revision, reopened.entry) == (RunState.QUEUED, 2, first)
    assert key in swept(stage, "09:02")


def test_names_of_runs_that_do_not_exist_are_passed_over(stage: Stage) -> None:
    stage.dispatch(*due(stage, A, B, C))
    del stage.state.runs[RunKey.scheduled(B, at("09:00"))]
    assert swept(stage, "09:02") == [RunKey.scheduled(job, at("09:00")) for job in (A, C)]


def test_an_entry_that_cannot_be_read_is_reported_and_stops_no_look(stage: Stage) -> None:
    stage.dispatch(*due(stage, A, B))
    [(place, entry)] = stage.state.entries.items()
    stage.state.entries[*place[:2], "damaged"] = entry._replace(names="report@sixty")
    stage.state.messages.clear()
    problems: list[str] = []
    stage.at("09:02")
    found = sweep(stage.ports, time_left=lambda: FOREVER, unreadable=lambda trouble: problems.append(str(trouble)))
    assert sorted(found) == [RunKey.scheduled(job, at("09:00")) for job in (A, B)]
    assert [problem.split(": ")[0] for problem in problems] == [
        f"entry 20261120T0900#{entry._replace(names='report@sixty').id} of namespace shop cannot be read"
    ]
