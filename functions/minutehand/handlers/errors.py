"""Errors of handlers. Each says what is wrong, where, and what would be right."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from minutehand.client.errors import MinutehandError


class AppError(MinutehandError):
    """The code of an app is wrong: its declarations, its signatures, or it cannot be imported."""

    title = "invalid app"

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class UnknownHandler(AppError):
    """The app has no handler of this name."""

    title = "unknown handler"


class InvalidPayload(AppError):
    """The payload of a run does not fit the arguments of its handler; the message names each argument."""

    title = "invalid payload"


class InvalidResult(AppError):
    """What a handler returned is not JSON, or too large."""

    title = "invalid result"


class InvalidInvocation(AppError):
    """An event or a request that is not a run of Minutehand's."""

    title = "not a run"


class Failed(Exception):
    """Raised by a handler to end its run with an error type of its own, which `retry_on` and `give_up_on` may name.

    Attributes:
        type: one word, such as `DiskFull`.
        result: a JSON value to keep with the run, beside the error.
    """

    def __init__(self, type: str, message: str = "", *, result: Any = None) -> None:  # noqa: A002 - as in the report
        super().__init__(message or type)
        self.type = type
        self.result = result


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A question that names what is most similar, with a blank after it; empty if nothing is."""
    near = get_close_matches(given, list(known), n=1)
    return f"did you mean {near[0]!r}? " if near else ""
