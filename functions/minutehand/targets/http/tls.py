"""TLS settings of connections, and the authorities that a job trusts."""

from __future__ import annotations

import re
import ssl
import threading
from collections import OrderedDict

from minutehand.domain.declaration.field import Refused
from minutehand.targets.http.deadline import TimedTlsSocket

_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]{1,40})-----")
_CERTIFICATE = "CERTIFICATE"
_MOST = 16
"""Most settings that are kept: each has all authorities of the system, a megabyte."""
_HINT = "give PEM texts that begin with -----BEGIN CERTIFICATE-----"


def context_of(authorities: str) -> ssl.SSLContext:
    """Settings that verify certificates against the authorities of the system (or of SSL_CERT_FILE) and these, in PEM.

    Raises:
        ssl.SSLError: if they cannot be read; saved ones can.
    """
    context = ssl.create_default_context()
    if authorities:
        context.load_verify_locations(cadata=authorities)
    context.set_alpn_protocols(["http/1.1"])
    context.sslsocket_class = TimedTlsSocket
    return context


def check_certificates(text: str) -> None:
    """Refuse any text but certificates in PEM.

    Raises:
        Refused: with what is wrong.
    """
    kinds = _BLOCK.findall(text)
    other = next((kind for kind in kinds if kind != _CERTIFICATE), None)
    if other is not None:
        raise Refused(f"this contains {other}, which is no certificate", "give the certificates alone")
    if not kinds:
        raise Refused("no certificate begins in this", _HINT)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError, TypeError) as error:
        why = error.reason if isinstance(error, ssl.SSLError) and error.reason else error
        raise Refused(f"this cannot be read as certificates: {why}", _HINT) from None


class Contexts:
    """Settings by the authorities that jobs add; those used last are kept. Safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, ssl.SSLContext] = OrderedDict()

    def __getitem__(self, authorities: str) -> ssl.SSLContext:
        """The settings with these authorities, in PEM; empty for those of the system alone."""
        with self._lock:
            found = self._kept.pop(authorities, None) or context_of(authorities)
            self._kept[authorities] = found
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return found
