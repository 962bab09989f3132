"""Agents say that they and their commands are alive, and report how these ended."""

from __future__ import annotations

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import Unavailable, Unreadable
from minutehand.domain.node import Asked
from minutehand.domain.policies import Retry
from minutehand.domain.run import Progress, Result, RunError, RunState, SkipReason
from minutehand.usecases.agents.beats import Heard, Running, beat
from minutehand.usecases.agents.registering import leave
from minutehand.usecases.agents.reports import Recorded, Report, record
from minutehand.usecases.completion.answers import FOREIGN, Speaker
from minutehand.usecases.completion.cancel import cancel
from minutehand.usecases.ports.target import Outcome
from tests.unit.domain.examples import MINUTE
from tests.unit.usecases.agents.serving import POOL, A, B, Serving

DONE = Outcome(RunState.SUCCEEDED, Result("command", 0, '{"exit_code":0}'))
FAILED = Outcome(RunState.FAILED, None, RunError("ExitCode", "exit code 3"))


@pytest.fixture
def stage() -> Serving:
    return running()


def running(**fields: object) -> Serving:
    """The agent runs the command of nine."""
    stage = Serving(**fields)
    stage.joins(A)
    stage.forward()
    stage.starts()
    return stage


def speaker(stage: Serving, *, attempt: int = 1) -> Speaker:
    return Speaker(stage.nine.key, attempt, "token-1")


def beats(stage: Serving, *running: Running, session: str = "session-a") -> Heard:
    return beat(stage.ports, stage.nodes, A, session, running)


def test_a_beat_keeps_the_node_live_and_extends_the_lease_of_each_attempt(stage: Serving) -> None:
    stage.wait(100)
    heard = beats(stage, Running(speaker(stage), Progress(40, "2 of 5 files")))
    assert heard.unwanted == ()
    assert (heard.node.seen_at, heard.node.running) == (stage.now, 1)
    assert stage.nine.lease_until == stage.now + 3 * MINUTE
    assert stage.nine.progress == Progress(40, "2 of 5 files")


def test_a_beat_says_what_an_operator_asks(stage: Serving) -> None:
    stage.asks(A, Asked.DRAIN)
    assert beats(stage).node.asked is Asked.DRAIN


def test_an_attempt_that_was_cancelled_is_unwanted_and_ends(stage: Serving) -> None:
    cancel(stage.ports, stage.nine.key, who=Actor("ada"))
    heard = beats(stage, Running(speaker(stage)))
    assert heard.unwanted == (speaker(stage),)
    assert stage.nine.state is RunState.CANCELLED


def test_an_attempt_that_is_over_or_somebody_elses_is_unwanted(stage: Serving) -> None:
    theirs = Speaker(stage.nine.key, 1, "a-token-of-another")
    later = speaker(stage, attempt=2)
    assert beats(stage, Running(theirs), Running(later)).unwanted == (theirs, later)
    stage.now = stage.nine.lease_until
    assert beats(stage, Running(speaker(stage))).unwanted == (speaker(stage),)


@pytest.mark.parametrize(
    "error", [Unavailable("no answer"), Unreadable("damaged")], ids=lambda error: type(error).__name__
)
def test_a_beat_whose_attempt_could_not_be_heard_fails_so_that_the_agent_does_not_count_on_it(
    stage: Serving, error: Unavailable
) -> None:
    stage.runs.fails("get", error=error)
    with pytest.raises(Unavailable):
        beats(stage, Running(speaker(stage)))


def test_an_agent_whose_name_another_has_is_told_what_of_its_own_is_unwanted(stage: Serving) -> None:
    leave(stage.nodes, A, "session-a")
    stage.wait(100)
    assert beats(stage, Running(speaker(stage))) == Heard(None, ())
    assert stage.nine.lease_until == stage.now + 3 * MINUTE
    stage.joins(A, "session-of-another")
    later = speaker(stage, attempt=2)
    assert beats(stage, Running(speaker(stage)), Running(later)) == Heard(None, (later,))


def test_a_report_ends_the_run(stage: Serving) -> None:
    [recorded] = record(stage.ports, [Report(speaker(stage), DONE)])
    assert recorded == Recorded(stage.nine)
    assert (stage.nine.state, stage.nine.result) == (RunState.SUCCEEDED, DONE.result)


def test_a_report_tells_the_last_progress_without_the_token(stage: Serving) -> None:
    record(stage.ports, [Report(speaker(stage), DONE, Progress(100, "all with token-1"))])
    assert (stage.nine.state, stage.nine.progress) == (RunState.SUCCEEDED, Progress(100, "all with ****"))


def test_a_report_without_progress_leaves_that_of_the_beat_before(stage: Serving) -> None:
    beats(stage, Running(speaker(stage), Progress(40, "2 of 5 files")))
    record(stage.ports, [Report(speaker(stage), DONE)])
    assert stage.nine.progress == Progress(40, "2 of 5 files")


def test_a_command_that_found_nothing_to_do_skips_the_run(stage: Serving) -> None:
    record(stage.ports, [Report(speaker(stage), Outcome(RunState.SKIPPED, final=True))])
    assert (stage.nine.state, stage.nine.skip_reason) == (RunState.SKIPPED, SkipReason.TARGET)


def test_a_failure_is_retried_unless_it_is_final() -> None:
    for final, state in ((False, RunState.RETRYING), (True, RunState.FAILED)):
        stage = running(retry=Retry(3))
        record(stage.ports, [Report(speaker(stage), FAILED._replace(final=final))])
        assert stage.nine.state is state


def test_a_report_that_is_refused_says_why_and_stops_no_other(stage: Serving) -> None:
    theirs = Report(Speaker(stage.nine.key, 1, "a-token-of-another"), DONE)
    refused, recorded, again = record(stage.ports, [theirs, Report(speaker(stage), DONE), Report(speaker(stage), DONE)])
    assert refused == Recorded(None, FOREIGN)
    assert recorded.run == stage.nine
    assert again.run is None
    assert "has ended: the run is succeeded" in again.problem


def test_reports_that_a_store_did_not_take_are_sent_again(stage: Serving) -> None:
    stage.runs.fails("get")
    with pytest.raises(Unavailable):
        record(stage.ports, [Report(speaker(stage), DONE)])
    assert record(stage.ports, [Report(speaker(stage), DONE)])[0].run == stage.nine


def test_another_agent_takes_over_from_one_that_falls_silent() -> None:
    stage = running(takeovers=1)
    stage.joins(B, "session-b")
    until = stage.nine.lease_until
    assert until is not None
    stage.now = until
    stage.joins(B, "session-b")
    stage.forward()
    stage.wait(1)
    stage.forward()
    assert [message.attempt for message in stage.of(POOL)] == [1, 2]
    [taken_over] = stage.starts(node=B, session="session-b")
    assert taken_over.order == "order of attempt 2 with token-2"
    assert (stage.nine.attempt, stage.nine.takeovers, stage.nine.worker) == (2, 1, "web/b")
    [late] = record(stage.ports, [Report(Speaker(stage.nine.key, 1, "token-1"), DONE)])
    assert late.run is None
