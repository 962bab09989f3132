"""The call of a target: what the target is given, and how the call ended."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from minutehand.domain.job import Target
from minutehand.domain.outcome import Outcome as Outcome  # noqa: PLC0414 - callers find it beside Call
from minutehand.domain.run import Result, Run, RunError, RunState
from minutehand.domain.run_key import RunKey

if TYPE_CHECKING:
    from minutehand.domain.secret_reference import SecretReference

T_contra = TypeVar("T_contra", bound=Target, contravariant=True)


class ParentResult(NamedTuple):
    """How a parent's run ended, for the target of the run that it started.

    Attributes:
        truncated: whether the text of the result is only a part of the answer.
    """

    run: RunKey
    state: RunState
    result: Result | None
    error: RunError | None
    truncated: bool


class SecretTexts(dict["SecretReference", str]):
    """The secrets of a call, by their references."""

    def __repr__(self) -> str:
        """Their number alone, so that no message or log line can quote them."""
        return f"<{len(self)} secrets>"


NO_SECRETS = SecretTexts()


class Call(NamedTuple):
    """One attempt of a run, as its target receives it.

    Attributes:
        timeout: time limit of the call; a target that answers later has until `deadline`.
        deadline: the instant by which the attempt must be answered.
        attempts_left: attempts that the job's retries still allow after this one.
        takeovers_left: attempts that the job's take-overs still allow, each after the death of the one before.
        token: secret that the target must send with its reports on this attempt; its digest is the run's nonce.
        callback_url: where the target reports; empty if the service has no address of its own.
        parents: the runs whose end started this one, with their results.
        cancelled: tells whether the run was cancelled meanwhile; the caller asks it about once a second while it waits.
        secrets: those that the target names.
    """

    run: Run
    payload: Any
    timeout: timedelta
    deadline: datetime
    attempts_left: int
    token: str
    callback_url: str = ""
    parents: tuple[ParentResult, ...] = ()
    cancelled: Callable[[], bool] = lambda: False
    secrets: SecretTexts = NO_SECRETS
    takeovers_left: int = 0

    def secret(self, reference: str) -> str:
        """The secret that a field of the target names."""
        from minutehand.domain.secret_reference import SecretReference  # noqa: PLC0415 - few jobs have secrets

        return self.secrets[SecretReference.parse(reference)]


class TargetCaller(Protocol[T_contra]):
    """Calls targets of one type, or of all. Safe for many threads."""

    def __call__(self, target: T_contra, call: Call, /) -> Outcome:
        """Make the call and end it at `call.timeout`, whatever the target does, or soon after `call.cancelled`.

        A failure is an outcome, not an exception.
        """
