"""Connecting: from a host's name to a socket on an address that was checked, within the deadline."""

from __future__ import annotations

import contextlib
import errno
import socket
import ssl
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import cast

from minutehand.targets.http.addresses import LOOPBACK, Address, forbidden
from minutehand.targets.http.allow_list import AllowList
from minutehand.targets.http.deadline import Deadline, Stage, TimedSocket, TimedTlsSocket
from minutehand.targets.http.dns import Resolver
from minutehand.targets.http.refusal import Refused

# A NAT gateway forgets a connection after 350 s of silence, and a target may take minutes to answer.
_KEEPALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 30, "TCP_KEEPCNT": 4}


class Dialler:
    """Makes connections; safe for many threads.

    A name is resolved once and the connection goes to the very address that was checked, so that a name server that
    answers differently the second time gains nothing.
    """

    def __init__(self, resolver: Resolver, *, allow_loopback: bool, allowed: AllowList) -> None:
        self._resolve = resolver
        self._allow_loopback = allow_loopback
        self._allow_list = allowed

    @contextlib.contextmanager
    def connected(self, host: str, port: int, *, tls: bool, deadline: Deadline) -> Iterator[TimedSocket]:
        """A connected socket that keeps to the deadline, closed afterwards.

        Args:
            host: as in a URL, an IPv6 address without brackets.

        Raises:
            Refused: when no address of the host may be called.
            TimeoutError: at the deadline.
            Cancelled: soon after the call became unwanted.
            OSError: when no connection comes about; ssl.SSLError when TLS fails.
        """
        with self._connect(host, port, deadline) as plain:
            if not tls:
                yield plain
                return
            deadline.stage = Stage.HANDSHAKE
            wrapped = self._tls.wrap_socket(plain, server_hostname=host.rstrip("."), do_handshake_on_connect=False)
            # The context's sslsocket_class says what it makes; the type of wrap_socket cannot.
            with cast(TimedTlsSocket, wrapped) as secure:
                secure.shake_hands(deadline)
                yield secure

    def _connect(self, host: str, port: int, deadline: Deadline) -> TimedSocket:
        addresses = self._allowed(host, port, self._resolve(host, deadline))
        deadline.stage = Stage.CONNECTING
        errors: list[OSError] = []
        for tried, address in enumerate(addresses):
            # A share each, so that one address that swallows packets leaves time for the others.
            share = deadline.left() / (len(addresses) - tried)
            try:
                return _open(address, port, deadline, share)
            except OSError as error:
                error.add_note(f"connecting to {address}, port {port}")
                errors.append(error)
        deadline.left()
        # That there is no IPv6 here says less than what became of the other addresses.
        raise next((error for error in errors if error.errno != errno.ENETUNREACH), errors[-1])

    def _allowed(self, host: str, port: int, addresses: Sequence[Address]) -> Sequence[Address]:
        callable_ = [a for a in addresses if forbidden(a, allow_loopback=self._allow_loopback) is None]
        if not callable_:
            raise self._forbidden(host, addresses)
        if self._allow_list.named(host, port):
            return callable_
        allowed = [a for a in callable_ if self._allow_list.reaches(a, port)]
        if not allowed:
            raise self._not_listed(host, port, callable_)
        return allowed

    def _not_listed(self, host: str, port: int, addresses: Sequence[Address]) -> Refused:
        leads = "" if host == str(addresses[0]) else f", which resolves to {', '.join(map(str, addresses[:3]))}"
        return Refused(
            "TargetNotAllowed",
            f"{host}, port {port}{leads}, is not among the targets that jobs here may call: {self._allow_list}. "
            "Whoever runs this service can add the host or its network to AllowedTargets",
        )

    def _forbidden(self, host: str, addresses: Sequence[Address]) -> Refused:
        kind = forbidden(addresses[0], allow_loopback=self._allow_loopback)
        what = f"{host} is" if host == str(addresses[0]) else f"{host} resolves to {addresses[0]}, which is"
        hint = (
            "let jobs call this machine by setting AllowLoopbackTargets=true, meant for a local stack only"
            if kind == LOOPBACK
            else "give an address that the target itself has"
        )
        return Refused("AddressRefused", f"{what} {kind}; jobs may not call it: {hint}")

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        context.sslsocket_class = TimedTlsSocket
        return context


def _open(address: Address, port: int, deadline: Deadline, seconds: float) -> TimedSocket:
    made = TimedSocket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE.items():
            if hasattr(socket, name):
                made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        made.reach((str(address), port), deadline, seconds)
    except BaseException:
        made.close()
        raise
    return made
