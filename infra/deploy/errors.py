"""Errors of a deployment, each with hints."""

from collections.abc import Sequence


class DeployError(Exception):
    """A deployment or build failed, so that nothing or only a part was deployed; the text says why.

    Attributes:
        hints: what to do, one line each.
    """

    def __init__(self, message: str, *, hints: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.hints = tuple(hints)
