"""The soak's checker notices broken policies: overlap, limits, fixed delays, chains, triggers and backfills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from tests.soak.evidence import Act, Evidence, Job
from tests.soak.schedules import Span
from tests.unit.soak.scene import JOB, at, broken, call_of, did, run_of, well

AFTER = Job(name="after", kind="@after", delay=10)
CHILD = Job(name="child", kind="chain, child", parents=(JOB.name,))


def _only(job: Job, runs: Sequence[dict[str, Any]], acts: tuple[Act, ...] = ()) -> Evidence:
    calls = tuple(call_of(run) for run in runs if run["attempt"])
    return replace(well(), jobs={job.name: job}, runs={job.name: tuple(runs)}, calls=calls, acts=acts)


def test_two_calls_at_once_are_noticed_where_runs_must_not_overlap() -> None:
    busy = well(replace(JOB, overlap="skip"))
    long = replace(busy.calls[1], ended=at(61))
    assert "limits kept" in broken(replace(busy, calls=(*busy.calls[:1], long, *busy.calls[2:])))


def test_one_call_more_than_the_limit_is_noticed() -> None:
    limited = well(replace(JOB, max_concurrency=2))
    two = replace(limited.calls[1], ended=at(61))
    assert broken(replace(limited, calls=(*limited.calls[:1], two, *limited.calls[2:]))) == {}
    three = replace(limited.calls[0], ended=at(61))
    assert "limits kept" in broken(replace(limited, calls=(three, two, *limited.calls[2:])))


def test_a_caller_that_went_away_may_be_noticed_a_moment_late() -> None:
    replaced = well(replace(JOB, overlap="replace"))
    gone = replace(replaced.calls[1], ended=at(60.4), status=0)
    assert "limits kept" not in broken(replace(replaced, calls=(*replaced.calls[:1], gone, *replaced.calls[2:])))


def _delayed(*begun: float) -> Evidence:
    runs = []
    for second in begun:
        run = run_of(AFTER, at(round(second)), started_at=at(second), finished_at=at(second + 1))
        runs.append(run | {"starts_at": at(second).isoformat()})
    return _only(AFTER, runs, (did("paused", at(begun[-1] + 20), job=AFTER.name),))


def test_a_fixed_delay_that_is_kept_is_right() -> None:
    assert broken(_delayed(0, 11, 22.5)) == {}


def test_a_fixed_delay_that_is_cut_short_is_noticed() -> None:
    [violation] = broken(_delayed(0, 10, 22))["delays kept"]
    assert "before the delay of 10 s was over" in violation


def test_a_fixed_delay_that_stands_still_is_noticed() -> None:
    assert "overdue found" in broken(_delayed(0, 11, 311))
    unpaused = replace(_delayed(0, 11, 22), acts=())
    [violation] = broken(unpaused)["overdue found"]
    assert "the run after 20261122T120052Z" in violation, "until the end of the soak there was no next run"


def _chain(*children: dict[str, Any]) -> Evidence:
    parent = well()
    jobs = {JOB.name: JOB, CHILD.name: CHILD}
    runs = {JOB.name: parent.runs[JOB.name], CHILD.name: tuple(children)}
    return replace(parent, jobs=jobs, runs=runs, calls=(*parent.calls, *(call_of(run) for run in children)))


def _children() -> list[dict[str, Any]]:
    count = len(well().runs[JOB.name])
    return [
        run_of(
            CHILD, at(30 * number), suffix="~child-1", claimed_at=at(30 * number + 1), started_at=at(30 * number + 2)
        )
        for number in range(count)
    ]


def test_a_chain_that_runs_after_each_success_is_right() -> None:
    assert broken(_chain(*_children())) == {}


def test_a_child_that_does_not_run_is_noticed() -> None:
    assert list(broken(_chain(*_children()[:-1]))) == ["children run once"]


def test_a_child_that_runs_twice_is_noticed() -> None:
    twice = run_of(CHILD, at(30), suffix="~child-2", claimed_at=at(31), started_at=at(32))
    assert list(broken(_chain(*_children(), twice))) == ["children run once"]


def test_a_child_that_runs_before_its_parent_has_succeeded_is_noticed() -> None:
    children = _children()
    children[3] |= {"started_at": at(90.3).isoformat()}
    assert "children after parents" in broken(_chain(*children))
    odd = run_of(CHILD, at(45), suffix="~child-1")
    assert "children after parents" in broken(_chain(*_children(), odd))


def test_a_request_that_the_api_never_answers_is_noticed() -> None:
    pause = did("paused", at(1799), answered=None)
    assert list(broken(replace(well(), acts=(pause,)))) == ["requests answered"]


MANUAL = Job(name="manual", kind="triggers")


def _triggered(*ids: tuple[str, ...], runs: int = 1) -> Evidence:
    started = [run_of(MANUAL, at(number), suffix=f"~trigger-{number}", claimed_at=at(number)) for number in range(runs)]
    acts = tuple(did("triggered", at(0), job=MANUAL.name, ids=one) for one in ids)
    return _only(MANUAL, started, acts)


def test_a_trigger_has_one_run() -> None:
    name = "20261122T120030Z~trigger-0"
    assert broken(_triggered((name, name))) == {}
    assert "triggers run once" in broken(_triggered((name, name), runs=0)), "lost"
    assert "triggers run once" in broken(_triggered((name, name), runs=2)), "invented"
    both = (name, "20261122T120031Z~trigger-1")
    assert "triggers run once" in broken(_triggered(both, runs=2)), "the same key, two runs"


def _backfilled(*seconds: int, state: str = "done") -> Evidence:
    start = at(-3600)
    found = well()
    runs = [
        run_of(
            JOB,
            start + timedelta(seconds=one),
            suffix="~backfill-b1",
            starts_at=at(0),
            claimed_at=at(0),
            started_at=at(1),
        )
        for one in seconds
    ]
    act = did("backfilled", at(0), ids=("b1",), span=Span(start, start + timedelta(seconds=90)))
    return replace(
        found,
        runs={JOB.name: (*found.runs[JOB.name], *runs)},
        calls=(*found.calls, *(call_of(run) for run in runs)),
        acts=(act,),
        backfills={"b1": {"state": state}},
    )


def test_a_backfill_runs_each_instant_of_its_range_once() -> None:
    assert broken(_backfilled(0, 30, 60)) == {}
    assert "backfills complete" in broken(_backfilled(0, 60)), "one is lost"
    assert "backfills complete" in broken(_backfilled(0, 30, 60, 90)), "one too many"
    assert "backfills complete" in broken(_backfilled(0, 30, 60, state="active")), "it never ends"
