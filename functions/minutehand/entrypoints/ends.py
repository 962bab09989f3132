"""Events about the ends of executions and tasks, for which the API function is invoked without a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minutehand.domain.errors import Conflict, NotAllowed
from minutehand.entrypoints.telemetry import count_end, logger
from minutehand.targets.aws.ends import end_of
from minutehand.usecases.completion import answers
from minutehand.usecases.completion.answers import Speaker

if TYPE_CHECKING:
    from minutehand.usecases.ports.bundle import Ports


def record_end(event: dict[str, Any], ports: Ports) -> None:
    """Report the end that an event tells, in the name of what ended. An event about another stack's run, or one that comes again, changes
    nothing.

    Raises:
        Unavailable: when a store does not answer. Lambda invokes the function again.
    """
    end = end_of(event)
    if end is None:
        logger.debug("event about nothing that waits", action="report", event_id=event.get("id"))
        return
    about: dict[str, Any] = {"job": str(end.run.job), "run_id": end.run.run_id, "attempt": end.attempt}
    try:
        run = answers.report(ports, Speaker(run=end.run, attempt=end.attempt, token=end.token), end.outcome)
    except (Conflict, NotAllowed) as late:
        logger.info("event changes nothing", action="report", problem=str(late), **about)
        return
    count_end(run)
    logger.info("ended by an event", action="report", state=run.state.value, **about)
