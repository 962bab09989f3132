"""TLS settings of connections, and the authorities that a job trusts."""

from __future__ import annotations

import contextlib
import os
import re
import ssl
import threading
from collections import OrderedDict
from collections.abc import Iterator
from tempfile import NamedTemporaryFile

from minutehand.domain.declaration.field import Refused
from minutehand.targets.http import refusal
from minutehand.targets.http.deadline import TimedTlsSocket
from minutehand.targets.http.origin import digest

_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]{1,40})-----")
_CERTIFICATE = "CERTIFICATE"
_MOST = 16
"""Most settings that are kept: each has all authorities of the system, a megabyte."""
_HINT = "give PEM texts that begin with -----BEGIN CERTIFICATE-----"


def context_of(authorities: str, certificate: str = "") -> ssl.SSLContext:
    """Settings that verify certificates against the authorities of the system (or of SSL_CERT_FILE) and these, in PEM.

    Args:
        certificate: what proves the worker's own identity: certificate and private key, in PEM; empty for none.

    Raises:
        ssl.SSLError: if the authorities cannot be read; saved ones can.
        Refused: `ClientCertificateInvalid`, if the certificate or its key cannot be read. The message contains neither.
    """
    context = ssl.create_default_context()
    if authorities:
        context.load_verify_locations(cadata=authorities)
    if certificate:
        _load(context, certificate)
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


def _load(context: ssl.SSLContext, certificate: str) -> None:
    try:
        with _in_memory(certificate) as path:
            context.load_cert_chain(
                path, password=lambda: ""
            )  # without this function, OpenSSL asks for a password at the terminal
    except (ssl.SSLError, ValueError, TypeError) as error:
        why = error.reason if isinstance(error, ssl.SSLError) and error.reason else "it cannot be read"
        what = "the secret is no certificate with its private key, without a password, in PEM"
        message = f"target.tls.client_certificate: {what} ({why.lower().replace('_', ' ')})"
        raise refusal.Refused("ClientCertificateInvalid", message, final=True) from None


@contextlib.contextmanager
def _in_memory(text: str) -> Iterator[str]:
    """The path of a file with a text, since OpenSSL reads keys from files alone. On Linux, and so on Lambda, it is on no disk."""
    if not hasattr(os, "memfd_create"):
        with NamedTemporaryFile("w") as on_disk:
            on_disk.write(text)
            on_disk.flush()
            yield on_disk.name
        return
    file = os.memfd_create("certificate")
    try:
        os.write(file, text.encode())
        yield f"/proc/self/fd/{file}"
    finally:
        os.close(file)


class Contexts:
    """Settings by what jobs add to them; those used last are kept. Safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], ssl.SSLContext] = OrderedDict()

    def of(self, authorities: str, certificate: str = "") -> ssl.SSLContext:
        """The settings with these authorities, and this certificate of the worker, in PEM; empty for none besides those of the system.

        Raises:
            Refused: as `context_of`.
        """
        key = authorities, digest(certificate)
        with self._lock:
            found = self._kept.pop(key, None) or context_of(authorities, certificate)
            self._kept[key] = found
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return found
