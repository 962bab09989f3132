"""Call a target in AWS: one request to one service, within the time limit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from minutehand.domain.durations import format_duration
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.run import RunError, RunState
from minutehand.domain.token import attempt_nonce
from minutehand.targets.aws.arns import Arn
from minutehand.targets.aws.checks import check_reach
from minutehand.targets.aws.clients import Clients
from minutehand.targets.aws.failures import Failure, failed
from minutehand.targets.aws.waiting import Cancelled, within
from minutehand.targets.terms import AwsTerms
from minutehand.usecases.ports.executions import Awaiting
from minutehand.usecases.ports.target import Call

if TYPE_CHECKING:
    from minutehand.usecases.ports.executions import Executions

_LATEST_EVENT = timedelta(days=1)
"""How long EventBridge tries to deliver an event."""


class Service(NamedTuple):
    """How the targets of one type are called.

    Attributes:
        name: the service, as boto3 names it.
        operation: the name of the request, for messages.
        call: makes the request with a client of the service, and returns how the attempt ended. Raises `Failure`, or what boto3 raises.
        awaited: the ARN of the execution that the call starts, if the attempt waits for its end; otherwise None.
    """

    name: str
    operation: str
    call: Callable[[Any, Any, Call], Outcome]
    awaited: Callable[[Any, Call], str | None] = lambda *_: None


class AwsCaller:
    """Calls the targets of one type; a `TargetCaller`. Safe for many threads."""

    def __init__(
        self,
        service: Service,
        terms: AwsTerms,
        clients: Clients | None = None,
        executions: Callable[[], Executions] | None = None,
    ) -> None:
        """Args:
        terms: what jobs may reach, by the parameters of the stack.
        clients: makes and keeps the clients of AWS's services.
        executions: makes the store of executions that attempts wait for.
        """
        self._service = service
        self._terms = terms
        self._clients = clients or Clients()
        self._executions = executions

    def __call__(self, target: Any, call: Call) -> Outcome:
        """Make the call and end it at its `timeout`. Failures are outcomes, not exceptions.

        What jobs may not reach is refused before a request is made, since the parameters may have changed since the job was saved.
        """
        _, arn = target.reaches
        what = f"{self._service.name} {self._service.operation} of {arn}"
        try:
            _check(target, call, self._terms, what)
            return within(call, lambda: self._made(target, call, arn))
        except TimeoutError:
            message = f"{what}: timed out after {format_duration(call.timeout)} while waiting for the answer"
            return Outcome(RunState.TIMED_OUT, error=RunError(type=ErrorType.TIMED_OUT, message=message))
        except Cancelled:
            message = f"{what}: stopped while waiting for the answer, because the run was cancelled"
            return Outcome(RunState.CANCELLED, error=RunError(type=ErrorType.CANCELLED, message=message))
        except Exception as error:  # noqa: BLE001 - a run records what went wrong, whatever it was
            return failed(error, what)

    def _made(self, target: Any, call: Call, arn: str) -> Outcome:
        client = self._clients.of(self._service.name, Arn.parse(arn).region, target.role_arn, call.timeout)
        execution = self._service.awaited(target, call)
        if execution is not None and self._executions is not None:
            # Before the start, since the execution may end before this worker does anything else.
            awaiting = Awaiting(call.run.key, call.run.attempt, attempt_nonce(call.token))
            self._executions().expect(execution, awaiting, call.deadline + _LATEST_EVENT)
        return self._service.call(client, target, call)


def _check(target: Any, call: Call, terms: AwsTerms, what: str) -> None:
    """Refuse a call that jobs may not make, or whose target could never report.

    Raises:
        Failure: `NotAllowed` or `NoCallbackUrl`.
    """
    for problem in check_reach(target, terms):
        raise Failure("NotAllowed", f"{what}: {problem.message}; {problem.hint}", final=True)
    if target.may_answer_later and target.needs_callback and not call.callback_url:
        message = (
            f"{what}: the target would have no address to report to, since this service does not know its own URL; its operator can set "
            "CallbackUrl"
        )
        raise Failure("NoCallbackUrl", message, final=True)
