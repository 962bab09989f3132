"""Refusal: why a call is not made."""

from __future__ import annotations


class Refused(Exception):
    """The call breaks a rule of this service; the message says which, and what to do.

    Attributes:
        type: the error type of the run, such as `AddressRefused`.
        final: whether another attempt would be refused too.
    """

    def __init__(self, type_: str, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.type, self.final = type_, final
