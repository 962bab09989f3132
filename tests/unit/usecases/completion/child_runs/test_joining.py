"""A child of several parents starts once for all of them, in whatever order they end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.policies import Join
from minutehand.domain.run import Run, RunState
from tests.unit.domain.examples import MINUTE, at
from tests.unit.usecases.completion.child_runs.family import (
    DAY,
    EXTRACT,
    LOAD,
    MAIL,
    REPORT,
    depends,
    end,
    ends,
    follow,
    of,
    sent,
    started,
)
from tests.unit.usecases.stage import Stage

HOUR = timedelta(hours=1)


def test_any_starts_once_for_each_window_at_the_first_end_that_counts(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, LOAD, join=Join.ANY, window=HOUR)
    assert ends(stage, LOAD, "08:10", RunState.FAILED)
    assert started(stage) == []
    first = end(stage, LOAD, "08:20")
    assert follow(stage, first)
    assert ends(stage, EXTRACT, "08:30")
    assert ends(stage, EXTRACT, "09:00")
    assert started(stage) == ["08:00", "09:00"]
    assert of(stage, REPORT)[0].parents == (first.key,)


def test_all_waits_for_each_parent_within_the_window(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, LOAD, window=DAY)
    stage.at("23:00")
    assert ends(stage, EXTRACT, "08:00")
    assert ends(stage, LOAD, "09:00", RunState.FAILED)
    assert started(stage) == [], "the load has failed"
    assert ends(stage, LOAD, "22:59")
    (run,) = of(stage, REPORT)
    assert [key.scheduled_for for key in run.parents] == [at("08:00"), at("22:59")]
    assert (run.scheduled_for, run.starts_at) == (at("00:00"), at("23:00"))


def test_without_a_window_all_join_at_the_same_instant(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, LOAD)
    assert ends(stage, EXTRACT, "08:00")
    assert ends(stage, LOAD, "08:01")
    assert started(stage) == []
    assert ends(stage, LOAD, "08:00")
    assert started(stage) == ["08:00"]


def test_a_parent_may_end_long_after_the_others(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, LOAD)
    assert ends(stage, EXTRACT, "08:00")
    stage.now += 3 * DAY
    assert ends(stage, LOAD, "08:00")
    (run,) = of(stage, REPORT)
    assert run.starts_at == stage.now, "it is not late, but could not begin before"


def test_an_end_before_the_child_was_created_starts_nothing_but_joins(stage: Stage) -> None:
    early = end(stage, EXTRACT, "08:00")
    stage.at("08:00:30")
    depends(stage, REPORT, EXTRACT, LOAD)
    depends(stage, MAIL, EXTRACT)
    assert follow(stage, early)
    assert (started(stage), started(stage, MAIL)) == ([], [])
    assert ends(stage, LOAD, "08:00")
    assert (started(stage), started(stage, MAIL)) == (["08:00"], [])


def both(stage: Stage) -> tuple[Run, Run]:
    """Two parents' runs of one window, not yet ended."""
    return tuple(end(stage, parent, "08:00", RunState.RUNNING) for parent in (EXTRACT, LOAD))


def report_end(stage: Stage, run: Run) -> Run:
    """The write of a worker before it follows up."""
    ended = replace(run, state=RunState.SUCCEEDED, finished_at=stage.now)
    assert stage.runs.move(run, ended) == ended
    return ended


# Each parent reports its own end (e, l) and follows it up (E, L); whatever comes between.
INTERLEAVINGS = ["eElL", "elEL", "elLE", "leEL", "leLE", "lLeE"]


@pytest.mark.parametrize("order", INTERLEAVINGS)
def test_two_parents_that_end_at_once_start_one_run(stage: Stage, order: str) -> None:
    depends(stage, REPORT, EXTRACT, LOAD)
    runs = dict(zip("el", both(stage), strict=True))
    for step in order:
        if step.islower():
            runs[step] = report_end(stage, runs[step])
        else:
            assert follow(stage, runs[step.lower()])
    assert started(stage) == ["08:00"]
    assert REPORT in sent(stage)


@pytest.mark.parametrize("method", ["get", "between", "claim"])
def test_the_other_parent_may_end_and_be_followed_up_at_any_moment(stage: Stage, method: str) -> None:
    depends(stage, REPORT, EXTRACT, LOAD)
    extract, load = both(stage)
    extract = report_end(stage, extract)
    if method == "claim":
        load = report_end(stage, load)
        stage.runs.before("claim", lambda: follow(stage, load))
    else:
        stage.runs.before(method, lambda: follow(stage, report_end(stage, load)))
    assert follow(stage, extract)
    assert started(stage) == ["08:00"]
    assert len(of(stage, REPORT)[0].parents) == 2


def test_a_parent_that_finds_the_run_of_other_parents_does_not_send_it(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, LOAD, join=Join.ANY, window=DAY)
    assert ends(stage, EXTRACT, "08:00")
    assert ends(stage, EXTRACT, "08:01")
    assert ends(stage, LOAD, "08:02")
    assert sent(stage) == [REPORT], "it may be queued for long, and those who made it see to its message"


def test_a_window_with_a_run_reads_no_siblings(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, LOAD, window=DAY)
    assert ends(stage, EXTRACT, "08:00")
    assert ends(stage, LOAD, "08:00")
    stage.work()
    stage.runs.calls.clear()
    stage.now += MINUTE
    assert ends(stage, EXTRACT, "08:01")
    assert stage.runs.calls == {"get": 1}
