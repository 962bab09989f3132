"""The start that a run missed: why it had not begun when its job's `start_within` was over."""

from __future__ import annotations

from datetime import timedelta
from enum import Enum
from typing import NamedTuple


class WaitedFor(Enum):
    """What a run that was skipped for `start_within` last waited for."""

    CLAIM = "claim"
    """Its claim, which came when `start_within` was over: an occurrence that a tick missed."""
    WORKER = "worker"
    """A worker that could take it up."""
    LOCK = "lock"
    """The overlap lock, held by the run that `blocked_by` names; for a fixed delay, also the time after that run's end."""
    SLOT = "slot"
    """A slot of the concurrency limit in `waits_for`; without one, other runs kept taking the slots that it found free."""


class MissedStart(NamedTuple):
    """Why a run was skipped for `start_within`, as of the skip: later edits of the job do not change it.

    Attributes:
        within: the `start_within` that was in force.
    """

    within: timedelta
    waited_for: WaitedFor = WaitedFor.WORKER
