"""Drain function: takes messages from the workers' dead-letter queues. The sweep starts it when there are any.

It sends a run again that can start, follows up one that has ended, and records as lost one that no worker can end.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from minutehand.adapters import sqs
from minutehand.domain.errors import Unavailable, unanswered
from minutehand.entrypoints.bootstrap import dead_letters, ports, time_left
from minutehand.entrypoints.telemetry import count, count_end, logger, measured
from minutehand.usecases.running.drain import drain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from minutehand.adapters.dead_letters import Letter

RESERVE = timedelta(seconds=15)
"""Time kept for the messages of one request. What time does not allow is left to the next drain."""


class NotDrained(Exception):
    """The reason why a message stays in the dead-letter queue, which delivers it again."""


@measured
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Drain the dead letters of all workers, as far as time allows; return how many were drained, and how many stay in their queue.

    ◆ A message is deleted only after its run is taken care of.

    Raises:
        NotDrained: if the event has messages. So the mapping that sent them, which an earlier version had, keeps them in their queue.
        Unavailable: if a queue did not answer, or the stores for any of the messages of one request, so that the `Errors` metric of Lambda
            rises. The messages stay in their queue.
    """
    if "Records" in event:
        raise NotDrained(
            "an event source mapping still sends dead letters to this function: delete it; the sweep starts this function every minute"
        )
    left = time_left(context)
    drained = kept = 0
    for queue in dead_letters():
        while left() > RESERVE and (letters := queue.receive()):
            problems = [_drain(letter) for letter in letters]
            queue.delete([letter for letter, problem in zip(letters, problems, strict=True) if problem is None])
            drained += problems.count(None)
            kept += len(problems) - problems.count(None)
            _raise_if_unanswered(problems)
    return {"drained": drained, "kept": kept}


def _raise_if_unanswered(problems: Sequence[Exception | None]) -> None:
    if all(problem is not None and unanswered(problem) for problem in problems):
        raise Unavailable(
            f"no dead letter of a batch of {len(problems)} could be drained; the first problem: {problems[0]}"
        )


def _drain(letter: Letter) -> Exception | None:
    """Drain one message. Returns why it stays in the queue; None if it does not."""
    try:
        handled = drain(sqs.received(letter.body, letter.receipt), ports=ports())
    except Exception as error:  # noqa: BLE001 - one bad message must not keep the others
        problem = f"{type(error).__name__}: {error}"
        logger.error("dead letter stays in the queue", action="drain", message_id=letter.message_id, problem=problem)
        return error
    run = handled.run
    about: dict[str, Any] = {
        "action": "drain",
        "job": str(handled.received.run.job),
        "run_id": handled.received.run.run_id,
    }
    logger.warning("dead letter drained", state=run.state.value if run else None, problem=handled.problem, **about)
    count("DeadLetters")
    if handled.ended and run is not None:
        count_end(run)
    if handled.achieved_nothing:
        return Unavailable(handled.problem)
    return None if handled.deletable else NotDrained(handled.problem)
