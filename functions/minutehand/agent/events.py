"""What an agent tells of itself: one event a line."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from minutehand.agent.order import Key


class Event(NamedTuple):
    """Something that happened.

    Attributes:
        action: a word by which lines are found; docs/how-to/agents.md lists them.
        about: further values, such as the run.
    """

    level: Literal["info", "warning", "error"]
    action: str
    text: str
    about: dict[str, Any]


Log = Callable[[Event], None]
"""Writes an event. Any thread may call it."""


class Journal:
    """Writes events through a `Log`. It never raises: a full disk or a closed terminal costs events, not commands."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def info(self, action: str, text: str, **about: Any) -> None:
        """Write what was to be expected."""
        self._write(Event("info", action, text, about))

    def warning(self, action: str, text: str, **about: Any) -> None:
        """Write what may end well without help."""
        self._write(Event("warning", action, text, about))

    def error(self, action: str, text: str, **about: Any) -> None:
        """Write what somebody should look at."""
        self._write(Event("error", action, text, about))

    def _write(self, event: Event) -> None:
        with suppress(Exception):
            self._log(event)


def about(key: Key) -> dict[str, Any]:
    """The attempt of an event."""
    return {"job": key.job, "run_id": key.run_id, "attempt": key.attempt}
