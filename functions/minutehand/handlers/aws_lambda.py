"""The adapter by which a team's own Lambda function runs its handlers."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from minutehand.handlers.app import App
from minutehand.handlers.invocation import Invocation
from minutehand.handlers.outcome import RunError
from minutehand.handlers.reports import work_off
from minutehand.handlers.worker import worker_of

FRESH = timedelta(seconds=20)
"""Age up to which an event is not a repetition: Lambda waits a minute before it repeats one that failed."""
MARGIN = 2.0
"""Seconds before the function's time limit at which a run that has not ended is reported."""


class LambdaContext(Protocol):
    """What is used of Lambda's context."""

    def get_remaining_time_in_millis(self) -> int:
        """The time until the function's time limit."""


def lambda_handler(app: App) -> Callable[[Any, LambdaContext], Any]:
    """Make the handler of a Lambda function that runs the app's handlers: `handler = lambda_handler(app)`.

    An event with a callback is answered by it: the function was invoked by event, and nobody waits for it. An attempt that is
    over is not run. Without a callback, the caller waits: the result is returned, and an error is raised under its type.
    """

    def handle(event: Any, context: LambdaContext) -> Any:
        invocation = Invocation.of(event)
        if invocation.callback is None:
            outcome = worker_of(app).run(invocation)
            if outcome.error is not None:
                raise _raisable(outcome.error, outcome.cause)
            return outcome.result
        now = datetime.now(UTC)
        is_fresh = invocation.sent_at is not None and now - invocation.sent_at <= FRESH
        seconds = max(context.get_remaining_time_in_millis() / 1000 - MARGIN, 0.0)
        limit = now + timedelta(seconds=seconds)
        limited = replace(invocation, deadline=min(limit, invocation.deadline or limit))
        work_off(worker_of(app), limited, ask_first=not is_fresh, seconds=seconds)
        return None

    return handle


def _raisable(error: RunError, cause: BaseException | None) -> BaseException:
    """The error under the name of its type, which Lambda gives as `errorType`, with the trace of its cause."""
    made: BaseException = type(error.type, (Exception,), {})(error.message)
    return made.with_traceback(cause.__traceback__ if cause is not None else None)
