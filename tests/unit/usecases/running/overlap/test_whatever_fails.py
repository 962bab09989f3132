"""Overlap: whatever call fails, runs do not overlap."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest

from minutehand.domain.errors import Conflict, NotAllowed
from minutehand.domain.policies import Overlap
from minutehand.domain.run import RunState
from minutehand.usecases.completion.answers import Speaker, report
from tests.unit.domain.examples import MINUTE, SECOND
from tests.unit.usecases.crashes import attempts_never_repeat, held, in_order, live, rests, states, whatever_fails
from tests.unit.usecases.running.overlap.later import CANCELLED, RUNNING, SKIPPED, SUCCEEDED, WAITING, Later
from tests.unit.usecases.stage import SUCCESS, Stage


def burst(overlap: Overlap) -> Callable[[], Later]:
    """Three runs within half a minute, each longer than that."""

    def play() -> Later:
        return Later(overlap, schedule="0,10,20 0 9 * * *", timeout=2 * MINUTE, takeovers=5)

    return play


def answers_after(stage: Stage, took: timedelta) -> None:
    """Targets that have worked that long report the end, as long as they can."""
    assert isinstance(stage, Later)
    assert len(held(stage)) <= 1, f"{held(stage)} at once"
    for one in in_order(stage):
        under_way = one.state in (RUNNING, WAITING) and one.key in stage.tokens
        if under_way and one.started_at is not None and one.started_at + took <= stage.now:
            with suppress(Conflict, NotAllowed):  # it may know of an earlier attempt only
                report(stage.ports, Speaker(one.key, one.attempt, stage.tokens[one.key]), SUCCESS)


def scene(stage: Stage) -> None:
    assert isinstance(stage, Later)
    live(stage, "09:13", stage.takes_on, meanwhile=lambda: answers_after(stage, 40 * SECOND))


@pytest.mark.parametrize(
    ("overlap", "good"),
    [
        (Overlap.SKIP, {SUCCEEDED, SKIPPED}),
        (Overlap.QUEUE_ONE, {SUCCEEDED, SKIPPED}),
        (Overlap.QUEUE_ALL, {SUCCEEDED}),
        (Overlap.REPLACE, {SUCCEEDED, SKIPPED, CANCELLED}),
    ],
)
@pytest.mark.thorough
def test_whatever_call_fails_runs_do_not_overlap_and_all_end(overlap: Overlap, good: set[RunState]) -> None:
    for trouble, stage in whatever_fails(burst(overlap), scene):
        ended = states(stage)
        assert len(ended) == 3, trouble
        assert set(ended.values()) <= good | {RunState.TIMED_OUT}, f"{trouble}: {ended}"
        assert SUCCEEDED in ended.values(), f"{trouble}: {ended}"
        assert list(ended.values()).count(RunState.TIMED_OUT) <= 1, f"{trouble}: {ended}"
        attempts_never_repeat(stage)
        rests(stage)
