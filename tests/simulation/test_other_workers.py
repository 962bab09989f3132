"""Runs that move to the worker of their job's target: no history breaks a promise, and a message lost on the way is noticed."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import pytest

from minutehand.usecases.running import execute, other_workers
from minutehand.usecases.running.worker import Worker
from tests.simulation import workers
from tests.simulation.mutations import Patch, assert_noticed
from tests.simulation.playing import play

HISTORIES = 40
pytestmark = pytest.mark.thorough


@pytest.fixture
def moving(monkeypatch: Patch) -> None:
    """As if every third run were called by another worker than the one that gets its message, as after edits of targets."""
    random = Random(1)
    monkeypatch.setattr(workers, "Worker", partial(Worker, is_called_elsewhere=lambda _: random.random() < 1 / 3))


def a_message_that_is_deleted_although_the_other_worker_has_none(patch: Patch) -> None:
    right = other_workers.move_to_their_workers

    def move(batch: Any, runs: Any, definitions: Any, elsewhere: Any, ports: Any) -> Any:
        nowhere = ports._replace(outbox=type("Nowhere", (), {"send": lambda _self, sent: [True] * len(sent)})())
        return right(batch, runs, definitions, elsewhere, nowhere)

    patch.setattr(execute, "move_to_their_workers", move)


def test_runs_that_move_between_workers_break_no_promise(moving: None) -> None:
    for seed in range(HISTORIES):
        played = play(seed)
        assert not played.problems, str(played)


def test_a_message_that_is_lost_on_its_way_to_another_worker_is_noticed(moving: None, monkeypatch: Patch) -> None:
    assert_noticed(a_message_that_is_deleted_although_the_other_worker_has_none, monkeypatch, histories=HISTORIES)
