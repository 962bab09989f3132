"""Texts with a style. Only printing a table loads the library that draws it."""

from collections.abc import Mapping

from minutehand.cli.failures import printable

STATE_STYLES: Mapping[str, str] = {
    "succeeded": "green",
    "failed": "red",
    "timed_out": "red",
    "lost": "red",
    "cancelled": "yellow",
    "skipped": "yellow",
    "retrying": "yellow",
    "running": "cyan",
    "waiting": "cyan",
    "queued": "dim",
}


class Styled(str):
    """A text in a style, such as `green`."""

    __slots__ = ("style",)
    style: str

    def __new__(cls, text: str, style: str) -> "Styled":
        made = super().__new__(cls, text)
        made.style = style
        return made


def state_text(state: str, width: int = 0) -> str:
    """A run's state in its colour, padded to `width`."""
    return Styled(printable(state).ljust(width), STATE_STYLES.get(state, ""))
