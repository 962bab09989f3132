"""How a command ended, and what is reported of it."""

import signal
from typing import Any, Literal, NamedTuple

from minutehand.agent.not_launched import NotLaunched
from minutehand.agent.order import Order
from minutehand.agent.output import Output
from minutehand.agent.stopping import Stop
from minutehand.client.agents import ReportError
from minutehand.client.late_answer import plain_text

LONGEST_MESSAGE = 2000
LONGEST_LAST_LINE = 300


class Outcome(NamedTuple):
    """The end of an attempt as it is reported."""

    state: Literal["succeeded", "failed", "skipped"]
    result: dict[str, Any] | None
    error: ReportError | None


def not_launched(error: NotLaunched) -> Outcome:
    """The outcome of an attempt without a process."""
    return failed(error.type, error.message)


def failed(kind: str, message: str, result: dict[str, Any] | None = None) -> Outcome:
    """A failure. kind: one word."""
    return Outcome("failed", result, {"type": kind, "message": plain_text(message)[:LONGEST_MESSAGE], "stack": ""})


def ended(order: Order, status: int, output: Output, seconds: float, *, stop: Stop | None, left: bool) -> Outcome:
    """The outcome of a process that has ended.

    Args:
        status: its exit code, or the number of the signal that ended it, negative.
        seconds: how long it ran.
        stop: why the agent ended it, if it did.
        left: whether some of its processes could not be ended.
    """
    name = None if status >= 0 else _signal_name(-status)
    result = {
        "exit_code": status if status >= 0 else None,
        "signal": name,
        "output": output.text,
        "output_bytes": output.size,
        "seconds": round(seconds, 3),
    }
    what = "the command" if order.handler is None else "the handler's process"
    last = output.last_line[:LONGEST_LAST_LINE]
    said = f"; its last line: {last}" if last else ""
    rest = "; some of its processes could not be ended" if left else ""
    if stop is Stop.TIME_LIMIT:
        limit = f"{what} was ended, so that this is reported within its timeout of {order.timeout:g} s"
        return failed("TimedOut", f"{limit}{rest}{said}", result)
    if stop is not None:
        return failed("AgentStopped", f"the agent was stopped, and ended {what}{rest}{said}", result)
    if name is not None:
        hint = " (perhaps the machine was short of memory)" if -status == signal.SIGKILL else ""
        return failed("Signal", f"{what} was ended by {name}{hint}{said}", result)
    if status in order.success_codes:
        return Outcome("succeeded", result, None)
    if status in order.skipped_codes:
        return Outcome("skipped", result, None)
    return failed("ExitCode", f"{what} ended with exit code {status}{said}", result)


def without_output(outcome: Outcome) -> Outcome:
    """The outcome without its output, where the API does not accept that."""
    if outcome.result is None:
        return outcome
    return outcome._replace(result=outcome.result | {"output": ""})


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal between the first and the last, which have names
        return f"SIG{number}"
