"""The parent results that a call carries."""

from __future__ import annotations

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On
from minutehand.domain.run import Result, RunError, RunState
from minutehand.usecases.ports.target import Call, Outcome, ParentResult
from tests.unit.domain.examples import at, job
from tests.unit.usecases.stage import SUCCESS, Stage

EXTRACT, LOAD, REPORT = (JobKey("shop", name) for name in ("extract", "load", "report"))
LONG = "".join(f"{n:05} " for n in range(1000))


@pytest.fixture
def stage() -> Stage:
    """Two jobs of each minute, and one that depends on both."""
    stage = Stage("08:59")
    for key in (EXTRACT, LOAD):
        stage.save(job(key=key))
    entries = (Dependency(LOAD, On.END), Dependency(EXTRACT, On.SUCCESS))
    stage.save(job("@manual", key=REPORT, depends_on=entries))
    stage.state.messages[:] = [m for m in stage.state.messages if m.run.scheduled_for == at("09:00")]
    return stage.at("09:00")


def results_of(stage: Stage, **answers: Outcome) -> list[tuple[ParentResult, ...]]:
    """The child's calls after its parents have ended like this; it is called again while it fails."""
    seen: list[tuple[ParentResult, ...]] = []

    def answer(call: Call) -> Outcome:
        if call.run.key.job == REPORT:
            seen.append(call.parents)
        else:
            assert call.parents == ()
        return answers.get(call.run.key.job.name, SUCCESS)

    stage.execute(stage.receive(), answer)
    stage.execute(stage.receive(), answer)
    return seen


def test_a_call_has_the_parent_results_in_the_order_of_the_parents(stage: Stage) -> None:
    failed = Outcome(RunState.FAILED, Result("http", 500, "oh"), RunError("HttpStatus", "500 from load"))
    [(load, extract)] = results_of(stage, load=failed)
    assert (load.run.job, load.state, load.result, load.error) == (LOAD, RunState.FAILED, failed.result, failed.error)
    assert (extract.run.job, extract.state, extract.result) == (EXTRACT, RunState.SUCCEEDED, SUCCESS.result)
    assert (load.truncated, extract.truncated) == (False, False)


def test_of_a_long_answer_the_part_beside_the_run_is_passed_on(stage: Stage) -> None:
    [(load, extract)] = results_of(
        stage,
        load=Outcome(RunState.SUCCEEDED, Result("http", 200, LONG)),
        extract=Outcome(RunState.SUCCEEDED, Result("http", 200, LONG[:4096])),
    )
    assert load.result is not None
    assert (load.result.body, load.truncated) == (LONG[-4096:], True)
    assert extract.result is not None
    assert (extract.result.body, extract.truncated) == (LONG[:4096], False)


def test_an_answer_that_was_cut_is_marked_as_truncated(stage: Stage) -> None:
    [(load, _)] = results_of(stage, load=Outcome(RunState.SUCCEEDED, Result("http", 200, "a", cut=True)))
    assert load.truncated


def test_an_answer_that_could_not_be_stored_is_marked_as_truncated(stage: Stage) -> None:
    stage.outputs.fails("keep", times=4)
    [(load, _)] = results_of(stage, load=Outcome(RunState.SUCCEEDED, Result("http", 200, LONG)))
    assert load.result is not None
    assert (LONG.startswith(load.result.body), load.truncated) == (True, True)


def test_a_parent_whose_record_has_expired_is_left_out(stage: Stage) -> None:
    stage.execute(stage.receive())
    del stage.state.runs[next(key for key in stage.state.runs if key.job == LOAD)]
    [(extract,)] = results_of(stage)
    assert extract.run.job == EXTRACT


def test_parents_that_cannot_be_read_cost_no_attempt(stage: Stage) -> None:
    stage.execute(stage.receive())
    stage.runs.refuses("get", lambda keys: any(key.job == LOAD for key in keys))
    (message,) = stage.receive()
    (handled,) = stage.execute([message])
    assert not handled.deletable
    assert [run.attempt for key, run in stage.state.runs.items() if key.job == REPORT] == [0]


def test_a_run_without_parents_reads_no_results(stage: Stage) -> None:
    stage.runs.calls.clear()
    stage.execute(stage.receive()[:1])
    assert stage.runs.calls["get"] == 1 + 1, "the run itself, and whether its child's is there"
