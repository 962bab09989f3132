"""Drain function: takes messages from the workers' dead-letter queues. Sweeps start it when there are any.

It sends a run again that can start, follows up one that has ended, and records as lost one that no worker can end.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from minutehand.adapters import sqs
from minutehand.domain.errors import Unavailable, unanswered
from minutehand.entrypoints.bootstrap import dead_letters, ports, time_left
from minutehand.entrypoints.metrics import Metric, count, count_end, measured
from minutehand.entrypoints.telemetry import logger
from minutehand.usecases.running.drain import drain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from minutehand.adapters.dead_letters import Letter, SqsDeadLetters
    from minutehand.usecases.running.worker import Handled

FOR_A_REQUEST, FOR_A_LETTER = timedelta(seconds=10), timedelta(seconds=5)
"""Time that has to be left to receive messages, and to drain one of them. A message that is received and not drained stays hidden for
minutes; later drains take care of it."""


class NotDrained(Exception):
    """The reason why a message stays in the dead-letter queue, which delivers it again."""


@measured
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Drain the dead letters of all workers, as far as time allows; return how many were drained, and how many stay in their queue.

    ◆ A message is deleted only after its run is taken care of.

    Raises:
        NotDrained: if the event has messages. So the mapping that sent them, which an earlier version had, keeps them in their queue.
        Unavailable: after all queues, if one did not answer, or the stores for any of the messages of one request, so that the `Errors`
            metric of Lambda rises. The messages stay in their queue.
    """
    if "Records" in event:
        raise NotDrained(
            "an event source mapping still sends dead letters to this function: delete it; the sweep starts this function every minute"
        )
    left = time_left(context)
    problems: list[Exception | None] = []
    errors: list[Unavailable] = []
    for queue in dead_letters():
        try:
            for batch in _batches(queue, left):
                problems += batch
                _raise_if_unanswered(batch)
        except Unavailable as error:
            errors.append(error)
    if errors:
        raise errors[0]
    drained = problems.count(None)
    return {"drained": drained, "kept": len(problems) - drained}


def _batches(queue: SqsDeadLetters, left: Callable[[], timedelta]) -> Iterator[list[Exception | None]]:
    """Drain a queue, one request after the other. Yields for each of a request's messages why it stays in the queue; None if it does not."""
    while left() > FOR_A_REQUEST and (letters := queue.receive()):
        yield [_drain(letter, queue) for letter in letters if left() > FOR_A_LETTER]


def _raise_if_unanswered(problems: Sequence[Exception | None]) -> None:
    if problems and all(problem is not None and unanswered(problem) for problem in problems):
        raise Unavailable(
            f"no dead letter of a batch of {len(problems)} could be drained; the first problem: {problems[0]}"
        )


def _drain(letter: Letter, queue: SqsDeadLetters) -> Exception | None:
    """Drain one message, and delete it at once, since this function may be killed. Returns why it stays in the queue; None if it does not."""
    try:
        handled = drain(sqs.received(letter.body, letter.receipt), ports=ports())
        _report(handled)
        if handled.deletable:
            queue.delete(letter)
    except Exception as error:  # noqa: BLE001 - one bad message must not keep the others
        problem = f"{type(error).__name__}: {error}"
        logger.error("dead letter stays in the queue", action="drain", message_id=letter.message_id, problem=problem)
        return error
    if handled.achieved_nothing:
        return Unavailable(handled.problem)
    return None if handled.deletable else NotDrained(handled.problem)


def _report(handled: Handled) -> None:
    run, key = handled.run, handled.received.run
    about: dict[str, Any] = {"action": "drain", "job": str(key.job), "run_id": key.run_id}
    logger.warning("dead letter drained", state=run.state.value if run else None, problem=handled.problem, **about)
    count(Metric.DEAD_LETTERS)
    if handled.ended and run is not None:
        count_end(run)
