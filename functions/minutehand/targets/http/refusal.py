"""Refusal to make a call."""

from __future__ import annotations


class Refused(Exception):
    """The call breaks a rule of this service; the message says which, and what to do.

    Attributes:
        type: the error type of the run, such as `AddressRefused`.
    """

    def __init__(self, type_: str, message: str) -> None:
        super().__init__(message)
        self.type = type_
