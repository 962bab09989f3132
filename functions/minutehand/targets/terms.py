"""The terms of a deployment: which targets its jobs may call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from minutehand.targets.http.allow_list import EVERYTHING, AllowList

if TYPE_CHECKING:
    from minutehand.usecases.ports.secrets import Secrets


@dataclass(frozen=True, kw_only=True, slots=True)
class TargetTerms:
    """What the operator of a deployment allows its jobs to call.

    Attributes:
        allow_loopback: whether jobs may call the machine itself; for local stacks and tests.
        allowed: the hosts and networks that jobs may call.
        secrets: resolves what jobs name by reference; None if jobs may name no secrets.
    """

    allow_loopback: bool = False
    allowed: AllowList = EVERYTHING
    secrets: Secrets | None = None


DEFAULT_TERMS = TargetTerms()
