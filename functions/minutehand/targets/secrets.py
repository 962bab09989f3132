"""The secrets of a call, read by the worker just before it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from minutehand.domain.errors import NotAllowed, NotFound, Unavailable
from minutehand.domain.job import Target
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.run import RunError, RunState
from minutehand.domain.secret_reference import SecretReference, Unusable
from minutehand.targets.secret_uses import Use, problems, uses
from minutehand.targets.target_type import TargetType
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.ports.target import Call, SecretTexts

if TYPE_CHECKING:
    from minutehand.usecases.ports.secrets import Secrets

CHECK_EVERY = 1.0
"""Seconds between checks whether the run was cancelled, while a call waits for a secret."""
_SIGNING = "whsec_"


class _Cancelled(Exception):
    """The run was cancelled."""


def with_secrets(
    call: Call,
    kind: TargetType[Any],
    target: Target,
    terms: TargetTerms,
    monotonic: Callable[[], float] = time.monotonic,
) -> Call | Outcome:
    """A call with the secrets that its target names; or how the attempt ends because one of them cannot be used. No message has a secret.

    The setting of the operator is judged again, since it may have changed after the job was saved.
    """
    found = [*uses(kind, target)]
    if not found:
        return call
    for problem in problems(found, call.run.key.job.namespace, terms.secret_prefixes):
        return _failed("SecretNotAllowed", f"{problem.path}: {problem.message}; {problem.hint}", final=True)
    if terms.secrets is None:
        raise ValueError("this function reads no secrets")
    end = monotonic() + call.timeout.total_seconds()
    promised = _promised(found, terms.secrets)
    waits = not all(text.done() for text in promised.values())
    texts = SecretTexts()
    for use in found:
        reference = use.reference
        try:
            text = _awaited(promised[reference.whole], end, call, monotonic)
            texts[reference] = reference.value_in(text)
        except _Cancelled:
            message = f"{use.path}: stopped while waiting for {reference}, because the run was cancelled"
            return Outcome(RunState.CANCELLED, error=RunError(ErrorType.CANCELLED, message))
        except NotFound as error:
            return _failed("SecretNotFound", f"{use.path}: {error}", final=True)
        except NotAllowed as error:
            return _failed("SecretNotAllowed", f"{use.path}: {error}", final=True)
        except Unusable as error:
            return _failed("SecretInvalid", f"{use.path}: {error}", final=True)
        except Unavailable as error:
            return _failed("SecretUnavailable", f"{use.path}: {error}")
        except TimeoutError:
            late = f"{reference} could not be read within the time limit of the call"
            return _failed("SecretUnavailable", f"{use.path}: {late}")
    left = timedelta(seconds=max(round(end - monotonic(), 2), 0.01))
    return call._replace(secrets=texts, timeout=left if waits else call.timeout)


def hidden(texts: Mapping[SecretReference, str]) -> list[str]:
    """What must not be kept of a call with these secrets. Keys of signatures count one by one, and without what they begin with."""
    keys = (key.removeprefix(_SIGNING) for text in texts.values() if _SIGNING in text for key in text.split())
    return [*texts.values(), *keys]


def _promised(found: Sequence[Use], secrets: Secrets) -> dict[SecretReference, Future[str]]:
    """All secrets are read at once; one that is named several times, once."""
    return {reference: secrets(reference) for reference in {use.reference.whole for use in found}}


def _awaited(text: Future[str], end: float, call: Call, monotonic: Callable[[], float]) -> str:
    while not text.done():
        left = end - monotonic()
        if left <= 0:
            raise TimeoutError
        if call.cancelled():
            raise _Cancelled
        try:
            return text.result(min(left, CHECK_EVERY))
        except TimeoutError:
            continue
    return text.result()


def _failed(type_: str, message: str, *, final: bool = False) -> Outcome:
    return Outcome(RunState.FAILED, error=RunError(type_, message), final=final)
