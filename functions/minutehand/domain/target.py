"""The target of a job: what each of its runs calls."""

from __future__ import annotations

from datetime import timedelta
from typing import Protocol


class Target(Protocol):
    """The fields of a target that the rules read, whatever its type. Each type adds its own (`minutehand.targets`)."""

    @property
    def type(self) -> str:
        """The name of its type, such as `http`; runs carry it, and their messages go to the queue of its worker."""

    @property
    def may_answer_later(self) -> bool:
        """Whether the answer may come after the call has ended."""

    @property
    def heartbeat(self) -> timedelta | None:
        """The longest time between signs of life while an answer is awaited; None if the target sends none."""
