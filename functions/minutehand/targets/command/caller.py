"""Make the order of a run, for the agent that asked for it. Nothing is called: the agent runs the command, and reports later."""

from __future__ import annotations

from collections.abc import Callable

from minutehand.domain.outcome import Outcome
from minutehand.domain.run import RunError, RunState
from minutehand.targets.command.fields import CommandTarget
from minutehand.targets.command.orders import Order, Unfilled, order_of
from minutehand.usecases.ports.target import Call


class CommandCaller:
    """Hands the order of each attempt to whoever built it, and lets the run wait for its report."""

    def __init__(self, take_order: Callable[[Order], None] | None) -> None:
        """Args: takes each order; None in a function that passes none on."""
        self._take_order = take_order

    def __call__(self, target: CommandTarget, call: Call) -> Outcome:
        """Make the order of an attempt. The agent may get it only once the run is stored as `WAITING`: before that, another may start it.

        Raises:
            ValueError: in a function that passes no orders on.
        """
        if self._take_order is None:
            raise ValueError("this function passes no orders on to agents")
        try:
            self._take_order(order_of(target, call))
        except Unfilled as error:
            return Outcome(RunState.FAILED, error=RunError(error.type, str(error)), final=True)
        return Outcome(RunState.WAITING)
