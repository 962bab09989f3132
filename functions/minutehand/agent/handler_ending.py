"""How a handler ended: by the outcome that its process has handed over, or without one."""

from collections.abc import Callable
from typing import Any

from minutehand.agent.ending import Outcome, ended, failed
from minutehand.agent.order import Order
from minutehand.agent.output import Output
from minutehand.agent.stopping import Stop
from minutehand.client.agents import ReportError
from minutehand.client.late_answer import LONGEST_MESSAGE, LONGEST_STACK, plain_text, word_of


def handler_ended(
    order: Order,
    status: int,
    output: Output,
    seconds: float,
    *,
    stop: Stop | None,
    left: bool,
    handed_over: Callable[[], Any],
) -> Outcome:
    """The outcome of the process of a handler that has ended; see `ending.ended`. Its result has that of the handler as `result`.

    What the handler returned counts, whatever its process did afterwards. If it was told to stop before, its end is that of the process.

    Args:
        handed_over: reads what the process has handed over.
    """
    bare = ended(order, status, output, seconds, stop=stop, left=left)
    result = {"result": None, **(bare.result or {})}
    found = handed_over()
    if not isinstance(found, dict) or (stop is not None and found.get("stopped") is not False):
        if bare.error is not None:
            return bare._replace(result=result)
        why = f"the handler's process ended with exit code {status}, and the handler had not returned"
        return failed("ExitCode", why, result)
    result["result"] = found.get("result")
    error = found.get("error")
    if not isinstance(error, dict):
        return Outcome("succeeded", result, None)
    return Outcome("failed", result, _error(error))


def refused_result(outcome: Outcome, why: str) -> Outcome:
    """The outcome of a handler whose result the API refuses."""
    result = {**(outcome.result or {}), "result": None}
    if outcome.error is not None:
        return outcome._replace(result=result)
    return failed("InvalidResult", f"Minutehand refused the result: {why}", result)


def _error(found: dict[str, Any]) -> ReportError:
    """The error as it is reported, whatever the process has handed over."""
    return {
        "type": word_of(str(found.get("type") or "Failed")),
        "message": plain_text(str(found.get("message") or "no message"))[:LONGEST_MESSAGE],
        "stack": plain_text(str(found.get("stack") or ""))[-LONGEST_STACK:],
    }
