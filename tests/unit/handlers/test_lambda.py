"""A team's own Lambda function that runs its handlers."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import minutehand
from minutehand.domain.run import RunState
from minutehand.handlers import App, InvalidPayload
from minutehand.handlers.errors import InvalidInvocation
from minutehand.handlers.loading import find_app
from tests.support.api_server import ApiServer
from tests.unit.handlers.conftest import Package, event
from tests.unit.handlers.waiting import Waiting

CODE = """
    @job("copy")
    def copy(context: Context, files: int = 5, fail: bool = False) -> Any:
        if fail:
            raise Failed("DiskFull", "no room")
        return {"files": files, "seconds": context.time_left.total_seconds() if context.time_left else None}

    @job("nightly")
    def nightly(context: Context) -> Any:
        return context.payload
"""


class LambdaContext:
    """Of a function with a time limit of 15 minutes."""

    def get_remaining_time_in_millis(self) -> int:
        return 900_000


Function = Callable[[Any], Any]


@pytest.fixture
def function(package: Package) -> Function:
    handle = minutehand.lambda_handler(find_app(package(CODE)))
    return lambda event: handle(event, LambdaContext())


@pytest.fixture
def waiting(api: ApiServer) -> Waiting:
    return Waiting(api)


def test_an_event_with_a_callback_is_answered_by_it_and_not_by_the_function(
    function: Function, waiting: Waiting
) -> None:
    assert function(waiting.event(sent_at=datetime.now(UTC).isoformat())) is None
    assert waiting.said == ["report"]
    assert waiting.state is RunState.SUCCEEDED


def test_the_run_s_time_ends_before_the_function_s(function: Function, waiting: Waiting) -> None:
    function(waiting.event())
    assert waiting.run.result is not None
    assert 890 < float(waiting.run.result.body.rpartition(":")[2].rstrip("}")) < 899


@pytest.mark.parametrize("age", [timedelta(minutes=1), None], ids=["an old event", "an event without its time"])
def test_an_event_that_may_be_a_repetition_is_asked_about_first(
    function: Function, waiting: Waiting, age: timedelta | None
) -> None:
    sent = {} if age is None else {"sent_at": (datetime.now(UTC) - age).isoformat()}
    function(waiting.event(**sent))
    assert waiting.said == ["heartbeat", "report"]
    function(waiting.event(**sent))
    assert waiting.said == ["heartbeat", "report", "heartbeat"]  # the second did not run


def test_a_caller_that_waits_gets_the_result(function: Function) -> None:
    assert function(event(payload={"day": 7})) == {"day": 7}


def test_a_caller_that_waits_gets_the_error_under_its_type_with_its_trace(function: Function) -> None:
    with pytest.raises(Exception, match="no room") as caught:
        function(event(job="demo/copy", payload={"fail": True}))
    assert caught.type.__name__ == "DiskFull"
    assert "in copy" in "".join(traceback.format_tb(caught.tb))
    with pytest.raises(Exception, match="argument files") as wrong:
        function(event(job="demo/copy", payload={"files": "x"}))
    assert wrong.type.__name__ == InvalidPayload.__name__


def test_an_event_of_somebody_else_is_refused(function: Function) -> None:
    with pytest.raises(InvalidInvocation, match="not a run of Minutehand's"):
        function({"Records": []})


def test_the_app_may_be_made_above_its_handlers_in_the_same_module(package: Package) -> None:
    name = package(
        'app = App(__name__)\nhandler = minutehand.lambda_handler(app)\n@job("nightly")\ndef run() -> int:\n    return 7\n'
    )
    app = find_app(name)
    assert isinstance(app, App)
    assert minutehand.lambda_handler(app)(event(), LambdaContext()) == 7
