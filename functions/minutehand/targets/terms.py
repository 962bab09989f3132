"""The terms of a deployment: which targets its jobs may call."""

from __future__ import annotations

from dataclasses import dataclass

from minutehand.targets.http.allow_list import EVERYTHING, AllowList


@dataclass(frozen=True, kw_only=True, slots=True)
class TargetTerms:
    """What the operator of a deployment allows its jobs to call.

    Attributes:
        allow_loopback: whether jobs may call the machine itself; for local stacks and tests.
        allowed: the hosts and networks that jobs may call.
    """

    allow_loopback: bool = False
    allowed: AllowList = EVERYTHING


DEFAULT_TERMS = TargetTerms()
