"""Reports on runs that are answered by callback: heartbeats and progress while a handler works, and its outcome at the end."""

import logging
import threading
from collections.abc import Callable
from time import monotonic

from minutehand.client.errors import Conflict, Invalid, MinutehandError, NotAllowed
from minutehand.client.late_answer import LateAnswer, plain_text
from minutehand.handlers.context import Line
from minutehand.handlers.invocation import Invocation
from minutehand.handlers.outcome import Outcome
from minutehand.handlers.worker import Worker

FIRST_HEARTBEAT = 0.5
"""Seconds before the first heartbeat: a run that ends sooner costs one request, its report."""
PROGRESS_INTERVAL = 1.0
"""Least seconds between two reports of progress; each is a write to Minutehand's tables."""
LONGEST_LINE = 200
"""Most characters of a line of progress."""

_log = logging.getLogger(__name__)


class SteadyLine:
    """A `Line` that a handler may use freely: it sends progress seldom, and its failures do not end the run."""

    def __init__(self, answer: Line, clock: Callable[[], float] = monotonic) -> None:
        self._answer = answer
        self._clock = clock
        self._next = 0.0

    @property
    def unwanted(self) -> bool:
        """Whether the run was cancelled, or the attempt is over."""
        return self._answer.unwanted

    def progress(self, percent: int | None = None, text: str | None = None) -> bool:
        """Report progress, unless that was done within the last second; returns `unwanted`."""
        if self._clock() < self._next:
            return self.unwanted
        self._next = self._clock() + PROGRESS_INTERVAL
        whole = None if percent is None else min(100, max(0, int(percent)))
        line = None if text is None else " ".join(plain_text(text).split())[:LONGEST_LINE]
        return self._tried(lambda: self._answer.progress(whole, line))

    def heartbeat(self) -> bool:
        """Send a heartbeat; returns `unwanted`."""
        return self._tried(self._answer.heartbeat)

    def _tried(self, send: Callable[[], bool]) -> bool:
        if not self.unwanted:
            try:
                send()
            except (Conflict, NotAllowed):
                pass  # the answer has noted that it is unwanted
            except MinutehandError as error:
                _log.warning("progress could not be reported: %s", error, extra={"action": "report"})
        return self.unwanted


def late_answer(worker: Worker, invocation: Invocation) -> LateAnswer:
    """The answer to an invocation with a callback."""
    if invocation.callback is None:
        raise ValueError(f"{invocation.job} {invocation.run_id} has no callback")
    return LateAnswer(
        invocation.callback.url,
        invocation.callback.token,
        job=invocation.job,
        run_id=invocation.run_id,
        attempt=invocation.attempt,
        attempts_left=invocation.attempts_left,
        deadline=invocation.deadline,
        first=FIRST_HEARTBEAT,
        connections=worker.connections,
    )


def work_off(
    worker: Worker, invocation: Invocation, *, ask_first: bool = False, seconds: float | None = None
) -> Outcome | None:
    """Run an invocation's handler and report its outcome. Returns None if the attempt is over before the handler starts.

    Args:
        ask_first: whether to ask if the attempt still waits for its answer, since the invocation is old, or may be a repetition.
        seconds: until this process is ended; the attempt is then reported as failed shortly before.

    Raises:
        MinutehandError: if the outcome could not be reported.
    """
    about = {"job": invocation.job, "run_id": invocation.run_id, "attempt": invocation.attempt}
    answer = late_answer(worker, invocation)
    line = SteadyLine(answer)
    if ask_first and line.heartbeat():
        _log.info("not run: the attempt is over", extra={**about, "action": "refuse"})
        answer.close()
        return None
    with answer:
        alarm = threading.Timer(seconds, _out_of_time, (answer,)) if seconds is not None else None
        if alarm is not None:
            alarm.daemon = True
            alarm.start()
        try:
            outcome = worker.run(invocation, line)
        finally:
            if alarm is not None:
                alarm.cancel()
        try:
            report(answer, outcome)
        except (Conflict, NotAllowed) as refusal:
            _log.warning("not reported: %s", refusal, extra={**about, "action": "report"})
    return outcome


def report(answer: LateAnswer, outcome: Outcome) -> None:
    """Report an outcome, unless the answer is unwanted. A result that the API refuses is reported as a failure."""
    if answer.unwanted:
        return
    error = outcome.error
    try:
        if error is None:
            answer.succeeded(outcome.result)
        else:
            answer.failed(error.type, error.message, outcome.result, stack=error.stack)
    except Invalid as refusal:
        answer.failed("InvalidResult", f"Minutehand refused the result: {refusal}"[:1000])


def _out_of_time(answer: LateAnswer) -> None:
    message = "the function's own time limit ended before its handler did; raise the limit, or split the work"
    try:
        answer.failed("FunctionTimedOut", message)
    except MinutehandError as error:
        _log.warning("not reported: %s", error, extra={"action": "report"})
