"""Transition table of a run's states. Stores refuse every other change of state."""

from __future__ import annotations

from collections.abc import Mapping, Set
from types import MappingProxyType

from minutehand.domain.run import Run, RunState

_Q, _R, _W, _Y = RunState.QUEUED, RunState.RUNNING, RunState.WAITING, RunState.RETRYING
_REPORTED = frozenset((RunState.SUCCEEDED, RunState.FAILED, RunState.TIMED_OUT, RunState.CANCELLED))

MOVES: Mapping[RunState, Set[RunState]] = MappingProxyType(
    {
        _Q: {_Q, _R, RunState.SKIPPED, RunState.CANCELLED, RunState.LOST},
        _R: {_R, _W, _Y, RunState.SKIPPED, RunState.LOST, *_REPORTED},
        _W: {_W, _Y, RunState.SKIPPED, *_REPORTED, RunState.LOST},
        _Y: {_Y, _R, RunState.FAILED, RunState.TIMED_OUT, RunState.CANCELLED, RunState.LOST},
        RunState.SKIPPED: {_Q},
        **{state: frozenset[RunState]() for state in (*_REPORTED, RunState.LOST)},
    }
)
"""The states that may follow each state. A state follows itself if other fields of the run may change in it."""


class IllegalMove(ValueError):
    """A change of a run's state that `MOVES` does not allow: a defect of this program."""


def check(before: Run, after: Run) -> None:
    """Refuse a change of a run's state that `MOVES` does not allow.

    Raises:
        IllegalMove: names the run and both states.
    """
    if after.state not in MOVES[before.state] and before != after:
        raise IllegalMove(
            f"run {before.key.run_id} of {before.key.job} cannot go from {before.state.value} to {after.state.value}"
        )
