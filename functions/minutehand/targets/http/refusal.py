"""The refusal: a call that this side does not make, or does not go on with."""

from __future__ import annotations


class Refused(Exception):
    """This side ended the call, for a reason that a person can act on.

    Attributes:
        type: the error type of the run, such as `AddressRefused`.
    """

    def __init__(self, type_: str, message: str) -> None:
        super().__init__(message)
        self.type = type_
