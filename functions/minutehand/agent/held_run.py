"""An attempt that an agent holds, from its order to the end of its report."""

from collections.abc import Callable

from minutehand.agent.attendance import Patience
from minutehand.agent.command import Command, Judge, Launch
from minutehand.agent.ending import ended
from minutehand.agent.order import Key, Order
from minutehand.client.agents import Progress, RunningAttempt

MARGIN = 15.0
"""Most seconds before the end of a lease, or before the deadline, at which a command is told to end: none must be left when another agent
begins, and a report counts only before the deadline."""
_LIMIT_SHARE = 10
"""Of a short timeout, one part in so many is kept for that."""


class HeldRun:
    """An order whose attempt belongs to this agent while its lease lasts. Heartbeats renew the lease.

    Attributes:
        command: runs the order.
        told: the progress that the API has learned of.
    """

    def __init__(
        self,
        order: Order,
        launch: Launch,
        *,
        asked_at: float,
        clock: Callable[[], float],
        patience: Patience,
        record: Callable[[bytes], None] | None = None,
        judge: Judge = ended,
    ) -> None:
        """Args:
        asked_at: the time of `clock` at which the order was asked for.
        record: gets the output of the command as it comes; it must not wait.
        judge: says how the order ended.
        """
        self.order = order
        self.told: Progress | None = None
        self._renewed = asked_at
        margin = min(MARGIN, order.heartbeat / 2)
        reserve = min(MARGIN, order.timeout / _LIMIT_SHARE)
        self._alone = order.heartbeat - margin
        self.command = Command(
            order,
            launch,
            limit=asked_at + order.timeout - reserve,
            lease_end=self._last_safe_time,
            patience=patience._replace(
                lease=min(patience.term, margin * 2 / 3), limit=min(patience.term, reserve * 2 / 3)
            ),
            clock=clock,
            record=record,
            judge=judge,
        )

    @property
    def key(self) -> Key:
        """Names the attempt."""
        return self.order.key

    @property
    def progress(self) -> Progress | None:
        """How far the command says it is."""
        step = self.command.output.step
        return None if step is None else {"percent": step.percent, "text": step.text}

    def renew(self, asked_at: float) -> None:
        """Note that a heartbeat of this time got through."""
        self._renewed = max(self._renewed, asked_at)

    def came_too_late(self, now: float) -> bool:
        """Whether the answer with the order took so long that its command may not begin: the attempt may soon be another agent's, or lost."""
        return now >= self._renewed + self._alone

    def is_over(self, now: float) -> bool:
        """Whether the lease is over. One that nobody else may take over is given as much time again, since a report may still count."""
        spans = 1 if self.order.takeovers else 2
        return now >= self._renewed + spans * self.order.heartbeat

    def running(self) -> RunningAttempt:
        """The attempt as a heartbeat names it."""
        return {**self.key._asdict(), "token": self.order.token, "progress": self.progress}  # type: ignore[typeddict-item]  # the key's fields

    def _last_safe_time(self) -> float:
        return self._renewed + self._alone if self.order.takeovers else float("inf")
