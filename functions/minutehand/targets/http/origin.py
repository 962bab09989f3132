"""Origin: the server that a request goes to, and how it must prove who it is."""

from __future__ import annotations

from typing import NamedTuple


class Origin(NamedTuple):
    """What requests must have in common to use one connection.

    Attributes:
        host: name or address, in lower case; IPv6 without brackets.
        authorities: those that may prove the server's identity besides the system's, in PEM.
    """

    tls: bool
    host: str
    port: int
    authorities: str = ""
