"""Origin: the server that a request goes to, and how it must prove who it is."""

from __future__ import annotations

import hashlib
from typing import NamedTuple


class Origin(NamedTuple):
    """What requests must have in common to use one connection.

    Attributes:
        host: name or address, in lower case; IPv6 without brackets.
        authorities: those that may prove the server's identity besides the system's, in PEM.
        client: the digest of the certificate that proves the worker's identity, and of its key; empty for none.
    """

    tls: bool
    host: str
    port: int
    authorities: str = ""
    client: str = ""


def digest(certificate: str) -> str:
    """The digest of a certificate and its key; empty for none."""
    return certificate and hashlib.sha256(certificate.encode()).hexdigest()
