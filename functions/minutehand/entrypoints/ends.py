"""Events about the ends of executions and tasks, for which the API function is invoked without a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minutehand.domain.errors import Conflict, NotAllowed
from minutehand.entrypoints.metrics import count_end
from minutehand.entrypoints.telemetry import logger
from minutehand.targets.aws.ends import end_of
from minutehand.usecases.completion import answers
from minutehand.usecases.completion.answers import Witness

if TYPE_CHECKING:
    from minutehand.usecases.ports.bundle import Ports
    from minutehand.usecases.ports.executions import Executions


def record_end(event: dict[str, Any], ports: Ports, executions: Callable[[], Executions]) -> None:
    """Report the end that an event tells, in the name of what ended. An event about another stack's run, or one that comes again, changes
    nothing.

    Raises:
        Unavailable: when a store does not answer. Lambda invokes the function again.
    """
    end = end_of(event, lambda execution: executions().awaiting(execution))
    if end is None:
        logger.debug("event about nothing that waits", action="report", event_id=event.get("id"))
        return
    about: dict[str, Any] = {
        "job": str(end.awaiting.run.job),
        "run_id": end.awaiting.run.run_id,
        "attempt": end.awaiting.attempt,
    }
    try:
        witness = Witness(run=end.awaiting.run, attempt=end.awaiting.attempt, nonce=end.awaiting.nonce, token=end.token)
        run = answers.report(ports, witness, end.outcome)
    except (Conflict, NotAllowed) as late:
        logger.info("event changes nothing", action="report", problem=str(late), **about)
        return
    count_end(run)
    logger.info("ended by an event", action="report", state=run.state.value, **about)
