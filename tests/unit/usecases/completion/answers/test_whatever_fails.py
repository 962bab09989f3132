"""Reports and cancels while any call to a store or queue fails."""

from __future__ import annotations

from contextlib import suppress

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Conflict, Unavailable
from minutehand.domain.run import RunState
from minutehand.usecases.completion import cancel
from minutehand.usecases.completion.answers import Speaker, report
from tests.unit.domain.examples import MINUTE, SECOND, job
from tests.unit.usecases.completion.answers.waiting import FAILED, RETRY, WAITS, due, there
from tests.unit.usecases.crashes import Died, attempts_never_repeat, live, rests, whatever_fails
from tests.unit.usecases.stage import SUCCESS, Stage


@pytest.mark.thorough
def test_whatever_call_fails_a_report_is_written_and_followed_up() -> None:
    """A job with a fixed delay, whose next run is the follow-up."""

    def play() -> Stage:
        stage = Stage("09:00")
        stage.save(job("@after 1m", timeout=2 * MINUTE))
        stage.at("09:01").work(lambda _: WAITS)
        return stage.at("09:02")

    def scene(stage: Stage) -> None:
        run = stage.run("09:01")
        assert run is not None
        for _ in range(5):
            with suppress(Died, Conflict, Unavailable):  # a target that got no answer asks again
                report(stage.ports, Speaker(run.key, 1, "token-1"), SUCCESS)
                break
        stage.now += 10 * SECOND
        live(stage, "09:08")

    for trouble, stage in whatever_fails(play, scene):
        first = stage.run("09:01")
        assert first is not None
        assert (first.state, first.attempt) == (RunState.SUCCEEDED, 1), trouble
        following = stage.run("09:03") or stage.run("09:03:10")
        assert following is not None, f"{trouble}: {stage.claimed()}"
        assert following.state is RunState.SUCCEEDED, trouble
        attempts_never_repeat(stage)


@pytest.mark.parametrize("state", ["queued", "retrying", "waiting"])
@pytest.mark.thorough
def test_whatever_call_fails_a_cancelled_run_ends(state: str) -> None:
    def play() -> Stage:
        stage = due(retry=RETRY)
        if state != "queued":
            stage.work(lambda _: FAILED if state == "retrying" else WAITS)
        return stage

    def scene(stage: Stage) -> None:
        for _ in range(5):
            with suppress(Died, Unavailable):
                cancel.cancel(stage.ports, there(stage).key, who=Actor("ada"))
                break
        live(stage, "09:12", lambda _: WAITS)

    for trouble, stage in whatever_fails(play, scene):
        assert (there(stage).state, there(stage).cancelled_by) == (RunState.CANCELLED, "ada"), trouble
        rests(stage)
