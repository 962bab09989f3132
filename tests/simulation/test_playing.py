"""Playing many histories, and telling what was found."""

from __future__ import annotations

import pytest

from tests.simulation.__main__ import tell
from tests.simulation.playing import Played, play, play_all


def test_several_processes_play_the_same_histories_in_the_same_order() -> None:
    seeds = range(3, 7)
    assert list(play_all(seeds, jobs=2)) == list(play_all(seeds, jobs=1)) == [play(seed) for seed in seeds]


def test_a_history_that_breaks_a_promise_is_told_with_how_to_see_it_again(capsys: pytest.CaptureFixture[str]) -> None:
    status = tell([Played(6, []), Played(7, ["a run is lost", "an attempt started twice"])])
    assert capsys.readouterr().out.splitlines() == [
        "seed 7: a run is lost",
        "seed 7: an attempt started twice",
        "replay with: python -m tests.simulation 7 --trace",
        "2 histories, 1 with violations",
    ]
    assert status == 1


def test_histories_that_break_none_are_counted_as_they_go(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell(Played(seed, []) for seed in range(2000)) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1000 histories, 0 with violations",
        "2000 histories, 0 with violations",
    ]
