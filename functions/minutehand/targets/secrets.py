"""The secrets of a call, read by the worker just before it."""

from __future__ import annotations

import re
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
_SIGNING_KEY = re.compile(r"whsec_(.+)|([A-Za-z0-9+/]{32,88}={0,2})")
"""A key of signatures: 24 to 64 bytes in base64, perhaps after `whsec_`. Lines of a private key in PEM look the same, and are hidden as well."""


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
    words = (_SIGNING_KEY.fullmatch(word) for text in texts.values() for word in text.split())
    return [*texts.values(), *(found[1] or found[2] for found in words if found)]


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
