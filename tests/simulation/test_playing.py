"""Playing many histories, and telling what was found."""

from __future__ import annotations

import pytest

from tests.simulation.__main__ import tell
from tests.simulation.playing import Played, play, play_all
from tests.simulation.rules import Rule


def test_several_processes_play_the_same_histories_in_the_same_order() -> None:
    seeds = range(3, 7)
    assert list(play_all(seeds, jobs=2)) == list(play_all(seeds, jobs=1)) == [play(seed) for seed in seeds]


def test_a_history_that_breaks_a_promise_is_printed_with_the_command_that_replays_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = tell([Played(6, []), Played(7, ["a run is lost", "an attempt started twice"])])
    assert capsys.readouterr().out.splitlines()[:4] == [
        "seed 7: a run is lost",
        "seed 7: an attempt started twice",
        "replay with: python -m tests.simulation 7 --trace",
        "2 histories, 1 with violations",
    ]
    assert status == 1


def test_histories_that_break_none_are_counted_as_they_go(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell(Played(seed, []) for seed in range(2000)) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "1000 histories, 0 with violations",
        "2000 histories, 0 with violations",
    ]


def test_the_player_tells_how_often_each_rule_was_applied(capsys: pytest.CaptureFixture[str]) -> None:
    tell([Played(1, [], {Rule.LOST: 2}), Played(2, [], {Rule.LOST: 3})])
    lines = capsys.readouterr().out.splitlines()
    assert f"        5 times: {Rule.LOST.value}" in lines
    assert len([line for line in lines if " times: " in line]) == len(Rule)
