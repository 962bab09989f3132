"""Long outputs: the whole text in one place, its end in another, and a report in any case."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import NotFound
from minutehand.domain.policies import Backoff, Retry
from minutehand.domain.run import Result, Run, RunError, RunState
from minutehand.usecases.completion.answers import Speaker, report
from minutehand.usecases.completion.report import LONGEST, LONGEST_ERROR, keep_output
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.ports.outputs import Output, whole
from minutehand.usecases.ports.target import Outcome
from minutehand.usecases.queries.show_output import MOST_IN_AN_ANSWER, show_output
from tests.unit.domain.examples import at, run
from tests.unit.usecases.stage import Stage

KEY = run().key
EXPIRES = at("09:00") + timedelta(days=30)


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00:00")


def ok(body: str, *, cut: bool = False) -> Result:
    return Result(type="http", status=200, body=body, cut=cut)


def keep(stage: Stage, result: Result | None, error: RunError | None = None) -> Output:
    assert keep_output(stage.outputs, KEY, 1, whole(result, error, EXPIRES), stage.now)
    return stage.state.outputs[KEY, 1]


def reported(stage: Stage, body: str) -> Run:
    """The run after a worker has reported an answer."""
    stage.save(schedule="* * * * *")
    stage.at("09:01").tick()
    outcome = Outcome(state=RunState.SUCCEEDED, result=ok(body))
    [handled] = stage.execute([Received(run=stage.receive()[0].run, attempt=1, receipt="r")], lambda _: outcome)
    assert handled.run is not None
    return handled.run


def test_a_text_of_four_kilobytes_is_kept_beside_the_run_and_nowhere_else(stage: Stage) -> None:
    kept = keep(stage, ok("é" * 2048))
    assert (kept.result, kept.truncated, stage.state.texts) == (ok("é" * 2048), False, {})


def test_of_a_longer_text_the_end_is_kept_there_and_the_whole_elsewhere(stage: Stage) -> None:
    kept = keep(stage, ok("a" + "é" * 2048, cut=True))
    assert (kept.result, kept.size, kept.truncated) == (ok("é" * 2048, cut=True), 4097, True)
    assert stage.outputs.read(kept.place) == "a" + "é" * 2048


def test_the_end_begins_between_characters(stage: Stage) -> None:
    kept = keep(stage, ok("é" * 2048 + "a"))
    assert kept.result == ok("é" * 2047 + "a")
    assert LONGEST == 4096


def test_a_worker_s_report_holds_the_beginning_and_what_is_beside_it_the_end(stage: Stage) -> None:
    ended = reported(stage, "first line\n" + "x" * 500_000 + "\nlast line")
    kept = stage.state.outputs[ended.key, 1]
    assert ended.detailed
    assert ended.result is not None
    assert ended.result.body.startswith("first line\n")
    assert kept.result is not None
    assert kept.result.body.endswith("\nlast line")
    assert kept.expires_at == ended.expires_at


def test_if_the_whole_text_cannot_be_stored_its_end_is_kept(stage: Stage) -> None:
    stage.outputs.fails("store")
    kept = keep(stage, ok("x" * 5000))
    assert (kept.result, kept.size, kept.truncated, kept.place) == (ok("x" * 4096), 5000, True, "")
    assert stage.outputs.calls["store"] == 1, "a worker's lease goes on meanwhile"


def test_the_whole_of_an_old_occurrence_is_stored_for_as_long_as_its_record_is_kept(stage: Stage) -> None:
    """Counted from now, and not from the instant of the run."""
    kept_for: list[timedelta] = []
    stage.outputs.refuses("store", lambda run, attempt, text, lasts: kept_for.append(lasts))
    definition = stage.save(schedule="@daily", retention=timedelta(days=30))
    begin, end = stage.now - timedelta(days=800), stage.now - timedelta(days=799)
    backfill.start(stage.ports, definition.job.key, BackfillSpec(begin, end), identity="old", who=Actor("ada"))
    stage.work(lambda _: Outcome(state=RunState.SUCCEEDED, result=ok("x" * 5000)))
    assert kept_for == [timedelta(days=30)]


def test_if_the_end_cannot_be_kept_nothing_is(stage: Stage) -> None:
    stage.outputs.fails("keep", times=4)
    assert not keep_output(stage.outputs, KEY, 1, whole(ok("x" * 5000), None, EXPIRES), stage.now)


def test_of_a_huge_error_the_beginning_of_the_message_and_the_end_of_the_stack_are_kept(stage: Stage) -> None:
    error = RunError(type="ValueError", message="why: " + "x" * 100_000, stack="x" * 100_000 + " here")
    kept = keep(stage, None, error).error
    assert kept is not None
    assert (kept.message[:5], kept.stack[-5:]) == ("why: ", " here")
    assert len(kept.message) == len(kept.stack) == LONGEST_ERROR


def test_a_retried_attempt_keeps_even_a_short_answer_beside_the_run(stage: Stage) -> None:
    stage.save(schedule="* * * * *", retry=Retry(2, Backoff()))
    stage.at("09:01").tick()
    answers = iter(["busy", "done"])

    def call(_: object) -> Outcome:
        body = next(answers)
        state = RunState.SUCCEEDED if body == "done" else RunState.FAILED
        return Outcome(state=state, result=ok(body), error=None if body == "done" else RunError("HttpStatus", body))

    key = stage.receive()[0].run
    for clock, attempt in (("09:01", 1), ("09:05", 2)):
        stage.at(clock).execute([Received(run=key, attempt=attempt, receipt="r")], call)
    ended = stage.state.runs[key]
    assert (ended.state, ended.attempt, ended.detailed) == (RunState.SUCCEEDED, 2, False)
    assert show_output(stage.outputs, ended, 1).text == "busy"
    assert show_output(stage.outputs, ended, 2).text == "done"


def test_a_late_report_whose_whole_cannot_be_kept_says_so(stage: Stage) -> None:
    stage.save(schedule="* * * * *")
    stage.at("09:01").tick()
    stage.work(lambda _: Outcome(RunState.WAITING))
    stage.outputs.fails("keep", times=4)
    late = Outcome(RunState.SUCCEEDED, ok("x" * 3000))
    ended = report(stage.ports, Speaker(next(iter(stage.state.runs)), 1, "token-1"), late)
    shown = show_output(stage.outputs, ended)
    assert (shown.text, shown.truncated) == ("x" * 256, True)


def ended(body: str | None, **fields: object) -> Run:
    result = None if body is None else ok(body)
    return run(state=RunState.SUCCEEDED, attempt=2, result=result, **fields)


def test_a_short_output_is_shown_from_the_run_s_own_record(stage: Stage) -> None:
    shown = show_output(stage.outputs, ended("done"))
    assert (shown.attempt, shown.text, shown.size, shown.truncated, shown.url) == (2, "done", 4, False, None)
    assert stage.outputs.calls == {}


@pytest.mark.parametrize("length", [300, 4097, MOST_IN_AN_ANSWER])
def test_a_long_output_is_shown_whole(stage: Stage, length: int) -> None:
    keep_output(stage.outputs, KEY, 2, whole(ok("x" * length, cut=True), None, EXPIRES), stage.now)
    shown = show_output(stage.outputs, ended("xx", detailed=True))
    assert (shown.text, shown.size, shown.truncated, shown.cut) == ("x" * length, length, False, True)


def test_an_output_that_is_too_long_for_an_answer_is_shown_as_a_link_to_all_of_it(stage: Stage) -> None:
    keep_output(stage.outputs, KEY, 2, whole(ok("x" * (MOST_IN_AN_ANSWER + 1)), None, EXPIRES), stage.now)
    shown = show_output(stage.outputs, ended("xx", detailed=True))
    assert (shown.text, shown.truncated) == (None, False)
    assert shown.url is not None
    assert shown.url.endswith("?seconds=300")


def test_an_earlier_attempt_s_output_is_shown_by_its_number(stage: Stage) -> None:
    keep_output(stage.outputs, KEY, 1, whole(ok("first"), None, EXPIRES), stage.now)
    assert show_output(stage.outputs, ended("second"), 1).text == "first"
    assert show_output(stage.outputs, ended("second"), 2).text == "second"


def test_if_the_whole_text_is_gone_its_end_is_shown_as_truncated(stage: Stage) -> None:
    keep_output(stage.outputs, KEY, 2, whole(ok("x" * 5000), None, EXPIRES), stage.now)
    stage.state.texts.clear()
    shown = show_output(stage.outputs, ended("xx", detailed=True))
    assert (shown.text, shown.size, shown.truncated) == ("x" * 4096, 5000, True)
    stage.state.outputs.clear()
    shown = show_output(stage.outputs, ended("xx", detailed=True))
    assert (shown.text, shown.truncated) == ("xx", True)


@pytest.mark.parametrize(
    ("what", "attempt", "said"),
    [
        (ended("done"), 3, "has had 2 attempts; there is no output of attempt 3"),
        (run(), None, "has had no attempt yet; there is no output of attempt 1"),
        (ended("done"), 1, "attempt 1 of run 20261120T090000Z of job shop/report has left no output"),
        (ended(None), None, "attempt 2 of run 20261120T090000Z of job shop/report has left no output"),
    ],
)
def test_a_missing_output_is_not_found(stage: Stage, what: Run, attempt: int | None, said: str) -> None:
    with pytest.raises(NotFound, match=said):
        show_output(stage.outputs, what, attempt)
