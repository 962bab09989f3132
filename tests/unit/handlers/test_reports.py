"""What Minutehand hears of a run that is answered by callback."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from minutehand.client import Unreachable
from minutehand.domain.run import Progress, RunState
from minutehand.handlers import Invocation
from minutehand.handlers.loading import find_app
from minutehand.handlers.reports import PROGRESS_INTERVAL, SteadyLine, late_answer, work_off
from minutehand.handlers.worker import Worker
from tests.support.api_server import ApiServer
from tests.support.http_server import Request, problem
from tests.unit.handlers.conftest import Package
from tests.unit.handlers.waiting import Waiting

COPY = """
    @job("copy")
    def copy(context: Context, files: int, fail: str = "", wait: bool = False) -> dict[str, int]:
        if fail:
            raise Failed(fail, "no room")
        context.progress(50, "half\\nof it")
        while wait and not context.heartbeat():
            pass
        return {"files": files}
"""


@pytest.fixture
def waiting(api: ApiServer) -> Waiting:
    return Waiting(api)


@pytest.fixture
def worker(package: Package) -> Iterator[Worker]:
    with Worker(find_app(package(COPY))) as worker:
        yield worker


def test_the_result_is_reported_after_the_progress(worker: Worker, waiting: Waiting) -> None:
    work_off(worker, Invocation.of(waiting.event({"files": 5})))
    assert waiting.said == ["progress", "report"]
    assert waiting.state is RunState.SUCCEEDED
    assert waiting.shown["result"]["body"] == '{"files":5}'
    assert waiting.run.progress == Progress(percent=50, text="half of it")


def test_an_error_is_reported_with_type_message_and_stack(worker: Worker, waiting: Waiting) -> None:
    work_off(worker, Invocation.of(waiting.event({"files": 5, "fail": "DiskFull"})))
    error = waiting.shown["error"]
    assert (waiting.state, error["type"], error["message"]) == (RunState.FAILED, "DiskFull", "no room")
    assert "in copy" in error["stack"]


@pytest.mark.parametrize(
    ("job", "payload", "type_"),
    [("demo/nothing", None, "UnknownHandler"), ("demo/copy", {"files": "5"}, "InvalidPayload")],
)
def test_a_run_that_no_handler_fits_fails_with_the_reason(
    worker: Worker, waiting: Waiting, job: str, payload: Any, type_: str
) -> None:
    work_off(worker, Invocation.of(waiting.event(payload, job=job)))
    assert waiting.shown["error"]["type"] == type_


def test_a_result_that_the_api_refuses_is_a_failure(worker: Worker, waiting: Waiting) -> None:
    def refuse(request: Request) -> Any:
        assert isinstance(request.body, dict)
        return problem(413) if request.path.endswith("/report") and request.body["state"] == "succeeded" else None

    waiting.api.instead = refuse
    work_off(worker, Invocation.of(waiting.event({"files": 5})))
    assert waiting.shown["error"]["type"] == "InvalidResult"


def test_a_handler_learns_that_its_run_was_cancelled_and_nothing_is_reported(worker: Worker, waiting: Waiting) -> None:
    waiting.api.ask("POST", "namespaces/demo/jobs/copy/runs/20261120T080000Z/cancel")
    outcome = work_off(worker, Invocation.of(waiting.event({"files": 5, "wait": True})))
    assert outcome is not None
    assert outcome.succeeded
    assert "report" not in waiting.said
    assert waiting.state is RunState.CANCELLED


def test_an_attempt_that_is_over_is_not_run_when_asked_first(worker: Worker, waiting: Waiting) -> None:
    waiting.api.move(waiting.key, "timed_out")
    assert work_off(worker, Invocation.of(waiting.event({"files": 5})), ask_first=True) is None
    assert waiting.said == ["heartbeat"]


def test_an_attempt_that_is_over_by_its_report_is_left_alone(worker: Worker, waiting: Waiting) -> None:
    waiting.api.move(waiting.key, "timed_out")
    assert work_off(worker, Invocation.of(waiting.event({"files": 5, "fail": "DiskFull"}))) is not None
    assert waiting.said == ["report"]


def test_a_report_that_cannot_be_sent_is_raised(
    worker: Worker, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("minutehand.client.transport.Transport.send", _unreachable)
    with pytest.raises(Unreachable):
        work_off(worker, Invocation.of(waiting.event({"files": 5})))


def test_a_run_whose_process_ends_soon_is_reported_before(worker: Worker, waiting: Waiting) -> None:
    invocation = Invocation.of(waiting.event({"files": 5, "wait": True}))
    work_off(worker, invocation, seconds=0)  # the handler goes on until it learns that the attempt is over
    assert waiting.shown["error"]["type"] == "FunctionTimedOut"


def test_runs_share_their_connections(worker: Worker, waiting: Waiting) -> None:
    for _ in range(3):
        work_off(worker, Invocation.of(waiting.event({"files": 5})))
    [pool] = [worker.connections.pools[key] for key in worker.connections.pools.keys()]  # noqa: SIM118 - it cannot be iterated
    assert pool.num_connections == 1


def test_progress_is_sent_at_most_once_a_second(worker: Worker, waiting: Waiting) -> None:
    now = 100.0
    answer = late_answer(worker, Invocation.of(waiting.event()))
    line = SteadyLine(answer, clock=lambda: now)
    for percent in (1, 2, 3):
        assert not line.progress(percent)
    now += PROGRESS_INTERVAL
    assert not line.progress(400, "x" * 500)
    assert waiting.said == ["progress", "progress"]
    assert waiting.run.progress == Progress(percent=100, text="x" * 200)
    answer.close()


def test_progress_that_cannot_be_sent_does_not_end_the_run(worker: Worker, waiting: Waiting) -> None:
    waiting.api.instead = lambda request: problem(500) if request.path.endswith("/progress") else None
    work_off(worker, Invocation.of(waiting.event({"files": 5})))
    assert waiting.state is RunState.SUCCEEDED


def test_an_invocation_without_a_callback_has_no_answer(worker: Worker, waiting: Waiting) -> None:
    with pytest.raises(ValueError, match="has no callback"):
        late_answer(worker, Invocation.of(waiting.event(callback=None)))


def _unreachable(*_: object, **__: object) -> None:
    raise Unreachable("the API cannot be reached")
