"""What sweeps have looked at and what is left: progress, spans and watchlists, also after failures and outages."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.instants import floor
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunState
from minutehand.domain.run_key import RunKey
from minutehand.usecases.dispatching.send import OVERDUE
from minutehand.usecases.ports.sweeps import MOST_IN_A_LIST, Span, SweepProgress, Watchlist
from minutehand.usecases.upkeep import sweep as module
from minutehand.usecases.upkeep.sweep import AT_ONCE, FIRST_SPAN, LOOK_EVERY, hours, joined, second_look, sweep
from tests.unit.domain.examples import KEY, MINUTE, SECOND, at, run
from tests.unit.usecases.stage import FOREVER, Stage
from tests.unit.usecases.upkeep.sweeping.sweeps import DAY, HOUR, hasty_sweep, put, sweeps, swept


@pytest.mark.parametrize("gap", [3 * HOUR, DAY, 14 * DAY])
def test_after_an_outage_the_first_sweep_finds_what_was_under_way_and_what_is_new(stage: Stage, gap: timedelta) -> None:
    stage.now = at("10:01:15")
    under_way = run("10:00:05", state=RunState.RUNNING, attempt=1, nonce="n", lease_until=at("10:03"))
    assert swept(stage, under_way) == []
    unseen = run("10:01")
    stage.now += gap
    new = run(key=RunKey.scheduled(KEY, floor(stage.now) - 2 * MINUTE), claimed_at=stage.now - 2 * MINUTE)
    between = run(key=RunKey.scheduled(KEY, floor(stage.now) - gap / 2), claimed_at=stage.now - gap / 2)
    first, second, third, fourth = swept(stage, unseen, new, between)
    assert (first, second) == (new.key, under_way.key)
    assert (third, fourth) == (unseen.key, between.key), "the hour in which sweeps stopped comes before the others"


def test_a_stack_without_progress_begins_two_weeks_back(stage: Stage) -> None:
    stage.state.sweep_progress = None
    oldest = run(key=RunKey.scheduled(KEY, stage.now - FIRST_SPAN + MINUTE), claimed_at=stage.now - FIRST_SPAN)
    assert swept(stage, oldest) == [oldest.key]
    assert stage.state.sweep_progress == SweepProgress(floor(stage.now) - OVERDUE, version=1)


def test_the_progress_ends_where_a_run_may_be_overdue(stage: Stage) -> None:
    swept(stage)
    assert stage.state.sweep_progress == SweepProgress(at("11:00:15"), version=2)
    stage.at("11:00:50")
    swept(stage)
    assert stage.state.sweep_progress == SweepProgress(at("11:00:15"), version=2), "a slower clock moves nothing back"


def test_a_sweep_that_finds_nothing_records_its_progress_once_an_hour(stage: Stage) -> None:
    """And so looks at the same empty minutes again, which costs nothing: one query reads a namespace's whole hour."""
    swept(stage)
    before = stage.state.sweep_progress
    sweeps(stage, until=at("11:59:15"))
    assert stage.state.sweep_progress == before
    lost = run("11:30")
    put(stage, lost)
    (_, found), *_ = sweeps(stage, until=at("12:00:30"))
    assert found == lost.key, "what the index names late is found the sooner"
    recorded = stage.state.sweep_progress
    assert recorded is not None
    assert before is not None
    assert recorded.version > before.version
    stage.now = at("12:30:15")
    swept(stage)
    stage.now = at("13:01:15")
    swept(stage)
    assert stage.state.sweep_progress == SweepProgress(at("13:00:15"), version=recorded.version + 2)


@pytest.mark.parametrize("failing", [("runs", "within"), ("sweeps", "watch"), ("sweeps", "due"), ("sweeps", "record")])
def test_what_a_failed_sweep_looked_at_is_looked_at_again(stage: Stage, failing: tuple[str, str]) -> None:
    """The progress moves last."""
    waits = run("10:30", state=RunState.WAITING, attempt=1, lease_until=at("11:05"))
    getattr(stage, failing[0]).fails(failing[1])
    with pytest.raises(Unavailable):
        swept(stage, waits)
    assert stage.state.sweep_progress == SweepProgress(at("10:00"), version=1)
    assert swept(stage) == []
    assert [one.runs for one in stage.state.watchlists] == [(waits.key,)]


def test_a_watchlist_goes_only_after_its_runs_are_on_another(stage: Stage) -> None:
    waits = run("10:30", state=RunState.WAITING, attempt=1, lease_until=at("11:05"))
    swept(stage, waits)
    [before] = stage.state.watchlists
    stage.now += LOOK_EVERY
    stage.sweeps.fails("watch")
    with pytest.raises(Unavailable):
        swept(stage)
    assert stage.state.watchlists == {before}
    swept(stage)
    [after] = stage.state.watchlists
    assert (after.runs, after.look_at > stage.now) == ((waits.key,), True)


def test_two_sweeps_at_once_forget_nothing_and_send_a_run_once(stage: Stage) -> None:
    put(stage, run("10:30"), run("10:31", state=RunState.WAITING, attempt=1, lease_until=at("11:05")))
    stage.sweeps.before("watch", lambda: sweep(stage.ports, time_left=lambda: FOREVER))
    swept(stage)
    assert len(stage.state.messages) == 1
    assert stage.state.sweep_progress == SweepProgress(at("11:00:15"), version=2)
    assert {key for one in stage.state.watchlists for key in one.runs} == {*stage.state.runs}


def test_many_runs_are_watched_by_several_lists(stage: Stage) -> None:
    put(stage, *(run(f"10:{n // 60:02}:{n % 60:02}") for n in range(2 * MOST_IN_A_LIST + 1)))
    assert len(swept(stage)) == 2 * MOST_IN_A_LIST + 1
    assert sorted(len(one.runs) for one in stage.state.watchlists) == [1, MOST_IN_A_LIST, MOST_IN_A_LIST]
    assert len(stage.outbox.calls) == 1
    assert stage.outbox.calls["send"] == -(-(2 * MOST_IN_A_LIST + 1) // AT_ONCE), "sent together"


def test_an_hour_is_looked_at_once_more_in_case_the_index_did_not_name_a_run(stage: Stage) -> None:
    stage.now = at("11:59:30")
    swept(stage)
    unnamed = run("10:20")
    put(stage, unnamed)
    assert sweeps(stage, until=at("12:05"))[0] == ("12:01:30", unnamed.key)


@pytest.mark.parametrize(
    ("before", "until", "looked"),
    [
        ("09:58", "09:59", None),
        ("09:59", "10:00", ("08:00", "09:00")),
        ("10:00", "10:01", None),
        ("08:30", "11:10", ("07:00", "08:30")),
    ],
)
def test_the_second_look_at_an_hour_comes_an_hour_after_the_first(
    before: str, until: str, looked: tuple[str, str] | None
) -> None:
    span = second_look(at(before), at(until))
    assert hours([span]) == (hours([Span(at(looked[0]), at(looked[1]))]) if looked else [])


def test_a_sweep_that_is_short_of_time_leaves_the_rest_to_the_next(stage: Stage) -> None:
    assert swept(stage, run("10:15"), time_left=timedelta(seconds=9)) == []
    assert stage.state.sweep_progress == SweepProgress(at("11:00:15"), (Span(at("09:00"), at("11:00:15")),), 2)
    assert swept(stage, time_left=timedelta(seconds=10)) == [run("10:15").key]
    assert stage.state.sweep_progress.left == ()


def test_one_unreadable_run_does_not_end_the_sweep_and_is_looked_at_again(stage: Stage) -> None:
    stage.state.namespaces.add("bank")
    bad = run("10:15", key=RunKey.scheduled(JobKey(namespace="bank", name="x"), at("10:15")))
    stage.runs.refuses("look", lambda keys: bad.key in keys)
    assert swept(stage, bad, run("10:15")) == [run("10:15").key]
    stage.runs.refuses("look", lambda keys: False)
    assert bad.key in [key for _, key in sweeps(stage, until=stage.now + MINUTE)]


def test_the_newest_of_many_runs_come_first_and_the_next_sweeps_go_on(stage: Stage) -> None:
    """A page of the index names some ten thousand; after an outage of workers nearly all of them are to be sent again."""
    put(stage, *(run(f"10:{n // 60:02}:{n % 60:02}") for n in range(5 * AT_ONCE)))
    sent: list[list[RunKey]] = []
    for _ in range(3):
        sent.append(sorted(hasty_sweep(stage, 2 * AT_ONCE)))
        stage.now += SECOND
    every = sorted(stage.state.runs)
    assert [len(found) for found in sent] == [3 * AT_ONCE, 2 * AT_ONCE, 0]
    assert sent[0] == every[2 * AT_ONCE :]
    assert stage.state.sweep_progress.left == ()


def test_a_span_with_too_many_runs_is_divided(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_KEYS", 20)
    put(stage, *(run(f"10:{n:02}", key=RunKey.triggered(KEY, at(f"10:{n:02}"), k)) for n in range(45) for k in "ab"))
    put(stage, *(run(key=RunKey.triggered(KEY, at("10:50"), f"k{n}"), claimed_at=at("10:50")) for n in range(30)))
    assert len(swept(stage)) == 120
    ids = [message.run.run_id for message in stage.state.messages]
    assert ids == sorted(ids, reverse=True)


def test_a_sweep_short_of_time_finishes_watchlists_in_turn(stage: Stage) -> None:
    put(stage, *(run(f"09:{n // 60:02}:{n % 60:02}") for n in range(4 * AT_ONCE)))
    keys = sorted(stage.state.runs)
    for n in range(4):
        stage.state.watchlists.add(Watchlist(at("11:00") + n * SECOND, tuple(keys[n * AT_ONCE : (n + 1) * AT_ONCE])))
    for rest in (200, 0):
        hasty_sweep(stage, 150)
        assert len([one for one in stage.state.watchlists if one.look_at < stage.now]) == rest // AT_ONCE
    assert len(stage.state.messages) == 4 * AT_ONCE


def test_spans_are_divided_at_the_hours_and_joined_again() -> None:
    span = Span(at("08:30"), at("11:00:10"))
    parts = hours([span])
    assert [(f"{a:%H:%M:%S}", f"{b:%H:%M:%S}") for a, b in parts] == [
        ("11:00:00", "11:00:10"),
        ("10:00:00", "11:00:00"),
        ("09:00:00", "10:00:00"),
        ("08:30:00", "09:00:00"),
    ]
    assert joined(parts) == (span,)
    apart = (Span(at("10:00"), at("11:00")), Span(at("08:00"), at("09:00")))
    assert joined([apart[1], apart[0]]) == apart
