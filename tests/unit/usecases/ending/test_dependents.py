"""What the end of a run starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.job import Dependency, JobKey, Join, On
from minutehand.domain.run import Run, RunKey, RunState, SkipReason
from minutehand.usecases.definitions import manage
from minutehand.usecases.ending.dependents import start_children
from tests.unit.domain.examples import MINUTE, at, job
from tests.unit.usecases.stage import Stage

EXTRACT, LOAD, REPORT, MAIL = (JobKey("shop", name) for name in ("extract", "load", "report", "mail"))
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ENDED = [RunState.SUCCEEDED, RunState.FAILED, RunState.TIMED_OUT, RunState.CANCELLED, RunState.LOST, RunState.SKIPPED]


@pytest.fixture
def stage() -> Stage:
    stage = Stage("08:00")
    for parent in (EXTRACT, LOAD):
        stage.save(job("@manual", key=parent))
    return stage


def depends(
    stage: Stage, child: JobKey, *parents: JobKey | Dependency, window: timedelta | None = None, **how: Any
) -> None:
    """Save a job that depends on these."""
    entries = tuple(p if isinstance(p, Dependency) else Dependency(p, On.SUCCESS) for p in parents)
    stage.save(job("@manual", key=child, depends_on=entries, join_window=window, **how))


def end(
    stage: Stage, parent: JobKey, clock: str, state: RunState = RunState.SUCCEEDED, *, key: RunKey | None = None
) -> Run:
    """Have a run of a parent end now, and record it; nothing follows yet."""
    run = Run(
        key=key or RunKey.scheduled(parent, at(clock)),
        target="http",
        revision=1,
        claimed_at=stage.now,
        expires_at=stage.now + DAY,
        state=state,
        finished_at=stage.now,
    )
    stage.state.runs[run.key] = run
    return run


def follow(stage: Stage, run: Run) -> bool:
    """Do what follows from the end of a run."""
    return start_children(run, stage.state.definitions[run.key.job], stage.world)


def ends(
    stage: Stage, parent: JobKey, clock: str, state: RunState = RunState.SUCCEEDED, *, key: RunKey | None = None
) -> bool:
    return follow(stage, end(stage, parent, clock, state, key=key))


def of(stage: Stage, child: JobKey) -> list[Run]:
    """The runs of a job, by their nominal instant."""
    return sorted((run for key, run in stage.state.runs.items() if key.job == child), key=lambda run: run.key.run_id)


def started(stage: Stage, child: JobKey = REPORT) -> list[str]:
    return [f"{run.scheduled_for:%H:%M}" for run in of(stage, child)]


def sent(stage: Stage) -> list[JobKey]:
    return [message.run.job for message in stage.state.messages]


@pytest.mark.parametrize("on", list(On))
def test_a_child_starts_at_the_ends_that_it_asks_for(stage: Stage, on: On) -> None:
    depends(stage, REPORT, Dependency(EXTRACT, on))
    for minute, state in enumerate(ENDED):
        assert ends(stage, EXTRACT, f"08:0{minute}", state)
    begun = {ENDED[int(clock[-1])] for clock in started(stage)}
    assert (
        begun
        == {
            On.SUCCESS: {RunState.SUCCEEDED},
            On.FAILURE: {RunState.FAILED, RunState.TIMED_OUT, RunState.LOST},
            On.END: set(ENDED) - {RunState.SKIPPED},
            On.SKIPPED: {RunState.SKIPPED},
        }[on]
    )
    assert len(sent(stage)) == len(begun)


@pytest.mark.parametrize("state", [state for state in RunState if not state.finished])
def test_a_run_that_has_not_ended_starts_nothing(stage: Stage, state: RunState) -> None:
    depends(stage, REPORT, EXTRACT)
    assert ends(stage, EXTRACT, "08:00", state)
    assert started(stage) == []


def test_a_childs_run_is_sent_at_once_and_names_its_parent(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    stage.at("08:07:30")
    parent = end(stage, EXTRACT, "08:00")
    assert follow(stage, parent)
    (run,) = of(stage, REPORT)
    assert (run.parents, run.revision, run.state) == ((parent.key,), 1, RunState.QUEUED)
    (message,) = stage.state.messages
    assert (message.run, message.attempt, message.not_before) == (run.key, 1, at("08:07:30"))


def test_following_up_again_changes_nothing(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    run = end(stage, EXTRACT, "08:00")
    assert follow(stage, run)
    stage.work()
    before = dict(stage.state.runs)
    assert follow(stage, run)
    assert (stage.state.runs, stage.state.messages) == (before, [])
    assert [run.state for run in of(stage, REPORT)] == [RunState.SUCCEEDED]


def test_each_instant_of_a_parent_starts_a_run_of_its_own(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    for clock in ("08:00", "08:01", "08:01"):
        assert ends(stage, EXTRACT, clock)
    assert started(stage) == ["08:00", "08:01"]


def test_triggered_and_backfilled_runs_count_as_scheduled_ones_do(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    by_hand = RunKey.triggered(EXTRACT, at("08:03"), "by-hand")
    replayed = RunKey.backfilled(EXTRACT, at("07:00"), "replay")
    for key in (by_hand, replayed):
        assert ends(stage, EXTRACT, "", key=key)
    assert [run.parents for run in of(stage, REPORT)] == [(replayed,), (by_hand,)]


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


def test_what_ended_before_the_child_was_made_starts_nothing_but_joins(stage: Stage) -> None:
    early = end(stage, EXTRACT, "08:00")
    stage.at("08:00:30")
    depends(stage, REPORT, EXTRACT, LOAD)
    depends(stage, MAIL, EXTRACT)
    assert follow(stage, early)
    assert (started(stage), started(stage, MAIL)) == ([], [])
    assert ends(stage, LOAD, "08:00")
    assert (started(stage), started(stage, MAIL)) == (["08:00"], [])


def test_a_parent_that_was_skipped_and_is_opened_again_counts_by_its_end(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    depends(stage, MAIL, Dependency(EXTRACT, On.SKIPPED))
    assert ends(stage, EXTRACT, "08:00", RunState.SKIPPED)
    assert (started(stage), started(stage, MAIL)) == ([], ["08:00"])
    assert ends(stage, EXTRACT, "08:00")
    assert (started(stage), started(stage, MAIL)) == (["08:00"], ["08:00"])


@pytest.mark.parametrize("what", ["deleted", "no longer dependent"])
def test_who_is_no_child_any_more_is_not_started(stage: Stage, what: str) -> None:
    depends(stage, REPORT, EXTRACT)
    definition = stage.state.definitions[EXTRACT]  # as a worker has read it before
    if what == "deleted":
        manage.delete(stage.world, REPORT, who="ada")
    else:
        depends(stage, REPORT, LOAD)
    assert start_children(end(stage, EXTRACT, "08:00"), definition, stage.world)
    assert started(stage) == []


def test_a_paused_childs_run_is_made_and_skipped_by_the_worker(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    manage.pause(stage.world, REPORT, who="ada")
    assert ends(stage, EXTRACT, "08:00")
    stage.work()
    (run,) = of(stage, REPORT)
    assert (run.state, run.skip_reason, stage.called) == (RunState.SKIPPED, SkipReason.PAUSED, [])


def test_a_job_without_children_costs_no_call(stage: Stage) -> None:
    run = end(stage, EXTRACT, "08:00")
    before = [port.calls.copy() for port in (stage.runs, stage.definitions, stage.outbox)]
    assert follow(stage, run)
    assert [port.calls for port in (stage.runs, stage.definitions, stage.outbox)] == before


def test_a_worker_follows_a_chain_to_its_end(stage: Stage) -> None:
    depends(stage, LOAD, EXTRACT)
    depends(stage, REPORT, LOAD)
    depends(stage, MAIL, REPORT, EXTRACT)
    stage.save(job(key=EXTRACT))
    stage.tick()
    for clock in ("08:01", "08:01:01", "08:01:02", "08:01:03"):
        stage.at(clock)
        assert all(handled.deletable for handled in stage.work())
    assert [key.job.name for key, _ in stage.called] == ["extract", "load", "report", "mail"]
    assert {key.scheduled_for for key, _ in stage.called} == {at("08:01")}
    assert [key.job for key in of(stage, MAIL)[0].parents] == [REPORT, EXTRACT]


def test_a_failed_parent_starts_who_waits_for_its_failure(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    depends(stage, MAIL, Dependency(EXTRACT, On.FAILURE))
    stage.save(job(key=EXTRACT))
    stage.tick()
    stage.at("08:01")
    (message, *_) = stage.receive()

    def breaks(**_: Any) -> Any:
        raise ValueError("no such table")

    (handled,) = stage.execute([message], breaks)
    assert handled.deletable
    assert (started(stage), started(stage, MAIL)) == ([], ["08:01"])


def both(stage: Stage) -> tuple[Run, Run]:
    """Two parents' runs of one window, not yet ended."""
    return tuple(end(stage, parent, "08:00", RunState.RUNNING) for parent in (EXTRACT, LOAD))  # type: ignore[return-value]


def report_end(stage: Stage, run: Run) -> Run:
    """What a worker records before it looks at what follows."""
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


def fails(port: Callable[[Stage], Any], method: str, *, after: bool = False) -> Callable[[Stage], None]:
    return lambda stage: port(stage).fails(method, after_effect=after)


def refuses_once(stage: Stage) -> None:
    stage.outbox.before("send", lambda: setattr(stage.picky, "refuses", lambda _message: True))


@pytest.mark.parametrize(
    "trouble",
    [
        fails(lambda stage: stage.runs, "claim"),
        fails(lambda stage: stage.runs, "claim", after=True),
        fails(lambda stage: stage.runs, "between"),
        fails(lambda stage: stage.outbox, "send"),
        fails(lambda stage: stage.outbox, "send", after=True),
        refuses_once,
    ],
    ids=["claim", "after the claim", "siblings", "send", "after the send", "refused message"],
)
def test_until_a_childs_run_has_its_message_the_parents_stays(stage: Stage, trouble: Callable[[Stage], None]) -> None:
    depends(stage, REPORT, EXTRACT, LOAD)
    end(stage, LOAD, "08:00")
    run = end(stage, EXTRACT, "08:00")
    trouble(stage)
    try:
        done = follow(stage, run)
    except Unavailable:
        done = False
    assert not done
    stage.picky.refuses = lambda _message: False
    assert follow(stage, run), "when the message comes again"
    assert started(stage) == ["08:00"]
    assert REPORT in sent(stage)


def test_who_finds_a_run_that_others_have_made_sends_no_message_for_them(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, LOAD, join=Join.ANY, window=DAY)
    assert ends(stage, EXTRACT, "08:00")
    assert ends(stage, EXTRACT, "08:01")
    assert ends(stage, LOAD, "08:02")
    assert sent(stage) == [REPORT], "it may be queued for long, and those who made it see to its message"


def unreadable(jobs: Sequence[JobKey]) -> bool:
    return REPORT in jobs


def test_a_child_that_cannot_be_read_keeps_no_other_from_starting(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    depends(stage, MAIL, EXTRACT)
    stage.definitions.refuses("get", unreadable)
    run = end(stage, EXTRACT, "08:00")
    assert not follow(stage, run)
    assert (started(stage), started(stage, MAIL)) == ([], ["08:00"])


def test_siblings_that_cannot_be_read_keep_no_other_child_from_starting(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, LOAD)
    depends(stage, MAIL, EXTRACT)
    stage.runs.refuses("between", lambda *_: True)
    assert not ends(stage, EXTRACT, "08:00")
    assert (started(stage), started(stage, MAIL)) == ([], ["08:00"])


def test_a_childs_run_that_cannot_be_read_keeps_no_other_from_starting(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    depends(stage, MAIL, EXTRACT)
    run = end(stage, EXTRACT, "08:00")
    assert follow(stage, run)
    (mine,) = (one.key for one in of(stage, REPORT))
    del stage.state.runs[of(stage, MAIL)[0].key]
    stage.runs.refuses("get", lambda keys: mine in keys)
    assert not follow(stage, run)
    assert started(stage, MAIL) == ["08:00"]


def test_a_window_that_is_done_reads_no_siblings_any_more(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, LOAD, window=DAY)
    assert ends(stage, EXTRACT, "08:00")
    assert ends(stage, LOAD, "08:00")
    stage.work()
    stage.runs.calls.clear()
    stage.now += MINUTE
    assert ends(stage, EXTRACT, "08:01")
    assert stage.runs.calls == {"get": 1}


@pytest.mark.parametrize(("days", "kept", "starts"), [(2, None, True), (31, None, False), (2, 5, False)])
def test_what_ended_so_long_ago_that_its_child_s_run_may_be_forgotten_starts_none_again(
    stage: Stage, days: int, kept: int | None, starts: bool
) -> None:
    depends(stage, MAIL, EXTRACT, retention_count=kept)
    ended = end(stage, EXTRACT, "08:00")
    stage.now += days * DAY
    assert follow(stage, ended)
    assert any(key.job == MAIL for key in stage.state.runs) is starts
