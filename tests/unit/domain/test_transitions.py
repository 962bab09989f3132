"""The transition table, and the refusal of every other move."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from minutehand.domain.run import RunState
from minutehand.domain.transitions import MOVES, IllegalMove, check
from tests.unit.domain.examples import run

GUIDE = Path(__file__).parents[3] / "docs" / "reference" / "runs.md"
FINAL = [state for state in RunState if state.finished and state is not RunState.SKIPPED]


def test_every_state_is_in_the_table() -> None:
    assert set(MOVES) == set(RunState)


@pytest.mark.parametrize("state", FINAL)
def test_no_state_follows_a_final_one(state: RunState) -> None:
    assert not MOVES[state]


def test_every_active_state_leads_to_an_end() -> None:
    for state in RunState:
        if not state.finished:
            assert any(after in FINAL for after in MOVES[state])


def test_a_skipped_run_can_only_be_reopened() -> None:
    assert MOVES[RunState.SKIPPED] == {RunState.QUEUED}


def test_an_attempt_starts_from_the_queue_after_a_retry_or_as_a_takeover() -> None:
    assert {state for state in RunState if RunState.RUNNING in MOVES[state]} == {
        RunState.QUEUED, RunState.RETRYING, RunState.RUNNING,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"), [(b, a) for b in RunState for a in RunState if a not in MOVES[b] and a is not b]
)
def test_a_move_that_is_not_in_the_table_is_refused(before: RunState, after: RunState) -> None:
    with pytest.raises(IllegalMove, match=f"cannot go from {before.value} to {after.value}"):
        check(run(state=before), replace(run(), state=after))


def test_a_finished_run_is_not_changed_either() -> None:
    with pytest.raises(IllegalMove):
        check(run(state=RunState.SUCCEEDED), run(state=RunState.SUCCEEDED, attempt=2))


def test_a_repeated_write_is_allowed() -> None:
    check(run(state=RunState.SUCCEEDED), run(state=RunState.SUCCEEDED))


def test_the_guide_shows_the_moves_from_one_state_to_another_and_no_others() -> None:
    shown = re.findall(r"^  (\w+) --> (\w+)", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    moves = [(before.value, after.value) for before, found in MOVES.items() for after in found if after is not before]
    assert sorted(shown) == sorted([*moves, ("running", "running")]), "a take-over is shown too"
