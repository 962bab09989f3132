"""The handler of the sweep."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.adapters.sharding import BUCKETS
from minutehand.domain.errors import Unavailable
from minutehand.entrypoints import sharding, sweep
from minutehand.usecases.ports.shards import Layout
from tests.unit.domain.examples import KEY
from tests.unit.entrypoints.handling import Context, unpack
from tests.unit.usecases.stage import SHARDS, Port, Stage


def test_a_sweep_reports_how_many_runs_it_sent_again(stage: Stage) -> None:
    stage.at("10:01")
    stage.state.messages.clear()
    assert sweep.handler({}, Context())["resent"] == len(stage.state.messages) > 0


def test_a_sweep_unpacks_timers_that_do_not_belong_in_their_bucket(stage: Stage) -> None:
    stage.put(replace(stage.state.timers[KEY], next_at=None))
    unpacked = [
        sweep.handler({}, Context())["unpacked"]
        for stage.now in [stage.now + turn * timedelta(minutes=1) for turn in range(BUCKETS)]
    ]
    assert sum(unpacked) == 1
    assert not stage.state.timers[KEY].packed


def test_a_sweep_moves_timers_to_shards_that_ticks_read_and_reports_how_many(stage: Stage) -> None:
    unpack(stage)
    stage.state.places.update(dict.fromkeys(stage.state.places, SHARDS))
    assert sweep.handler({}, Context())["resharded"] == 0
    stage.state.layout = Layout(SHARDS + 1)
    assert sweep.handler({}, Context())["resharded"] == len(stage.state.timers)


class Hurried(Context):
    """Has a minute less once the sweep searches for runs."""

    def __init__(self, stage: Stage) -> None:
        self._left = 150_000
        stage.runs.before("within", self._look)

    def _look(self) -> None:
        self._left -= 60_000

    def get_remaining_time_in_millis(self) -> int:
        return self._left


def test_timers_are_moved_and_renewed_even_if_the_search_for_runs_takes_all_its_time(stage: Stage) -> None:
    unpack(stage)
    stage.at("10:01")
    stage.state.layout = Layout(SHARDS + 1)
    stage.state.places.update(dict.fromkeys(stage.state.places, SHARDS))
    answer = sweep.handler({}, Hurried(stage))
    assert (answer["resent"], answer["resharded"]) == (0, len(stage.state.timers))
    assert stage.timers.renewal().done


def test_an_error_while_moving_timers_does_not_stop_the_search_for_runs(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Port(sharding.index())
    index.fails("layout")
    monkeypatch.setattr(sweep, "index", lambda: index)
    stage.at("10:01")
    stage.state.messages.clear()
    with pytest.raises(Unavailable, match="layout"):
        sweep.handler({}, Context())
    assert stage.state.messages


def test_an_error_in_the_search_for_runs_does_not_stop_moving_timers(stage: Stage) -> None:
    unpack(stage)
    stage.runs.fails("within")
    stage.state.layout = Layout(SHARDS + 1)
    stage.state.places.update(dict.fromkeys(stage.state.places, SHARDS))
    with pytest.raises(Unavailable, match="within"):
        sweep.handler({}, Context())
    assert SHARDS not in stage.state.places.values()
    assert stage.timers.renewal() is not None
