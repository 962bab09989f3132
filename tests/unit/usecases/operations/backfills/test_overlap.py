"""Overlap of a backfill with the scheduled runs of its job."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from random import Random

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Conflict
from minutehand.domain.policies import Overlap
from minutehand.domain.run import Run, RunState
from minutehand.usecases.completion.answers import Speaker, report
from minutehand.usecases.definitions import namespaces
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, at
from tests.unit.usecases.operations.backfills.replaying import asked, replayed, stored, watch, work_off
from tests.unit.usecases.stage import SUCCESS, Stage

MINUTES = 10


class Slow(Stage):
    """A job of each minute whose target takes 20 seconds, with more to replay than there is time for."""

    def __init__(self, overlap: Overlap) -> None:
        super().__init__("11:00:30")
        self.save(overlap=overlap)
        asked(self, "06:00", "08:00")
        self.under_way: list[tuple[datetime, Speaker]] = []

    def live(self, shuffle: Random | None) -> None:
        """Ten minutes and one more, second by second; a worker takes what has arrived in its order, or in any."""
        for _ in range((MINUTES + 1) * 60):
            if self.now.second == 0:
                self.tick()
            for until, speaker in [one for one in self.under_way if one[0] <= self.now]:
                self.under_way.remove((until, speaker))
                self._report(speaker)
            if shuffle:
                shuffle.shuffle(self.state.messages)
            self.work(self._takes_on)
            self.now += timedelta(seconds=1)

    def _takes_on(self, made: Call) -> Outcome:
        self.under_way.append((self.now + timedelta(seconds=20), Speaker(made.run.key, made.run.attempt, made.token)))
        return Outcome(RunState.WAITING)

    def _report(self, speaker: Speaker) -> None:
        try:
            report(self.ports, speaker, SUCCESS)
        except Conflict:  # it was cancelled meanwhile
            assert self.state.runs[speaker.run].state is RunState.CANCELLED

    def known(self, *, replays: bool) -> list[Run]:
        """What the backfill had made, or what the schedule had named a minute ago."""
        over = self.now - timedelta(minutes=1)
        return [r for r in self.state.runs.values() if (r.key.backfill is not None) is replays and r.starts_at < over]


@pytest.mark.parametrize("shuffle", [None, Random(7)], ids=["in order", "in any order"])
@pytest.mark.parametrize("overlap", [policy for policy in Overlap if policy is not Overlap.ALLOW])
@pytest.mark.thorough
def test_a_backfill_keeps_no_occurrence_of_the_schedule_from_its_run(overlap: Overlap, shuffle: Random | None) -> None:
    stage = Slow(overlap)
    stage.live(shuffle)
    assert [run.state for run in stage.known(replays=False)] == [RunState.SUCCEEDED] * MINUTES
    ends = Counter(run.state for run in stage.known(replays=True) if run.state.finished)
    cancelled = ends.pop(RunState.CANCELLED, 0)
    assert cancelled <= (MINUTES if overlap is Overlap.REPLACE else 0)
    assert ends[RunState.SUCCEEDED] >= MINUTES - 2
    assert ends.total() == ends[RunState.SUCCEEDED]


def test_while_its_namespace_is_paused_a_backfill_rests(stage: Stage) -> None:
    asked(stage)
    namespaces.pause(stage.ports, KEY.namespace, until=at("11:10"), who=Actor("bob"))
    work_off(stage)
    watch(stage)
    assert (replayed(stage), stored(stage).active, stored(stage).finished_at) == ([], (), None)
    assert stored(stage).counts == {RunState.SKIPPED: 1}  # what had been sent before the pause
    stage.at("11:11")
    watch(stage)
    work_off(stage)
    assert replayed(stage) == ["09:01", "09:02", "09:03", "09:04"]
    assert stored(stage).finished_at == stage.now
