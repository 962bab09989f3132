"""Connect to a host: resolve its name, check its addresses, open a socket; all within the deadline."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import cast

from minutehand.targets.http.addresses import LOOPBACK, Address, forbidden, literal
from minutehand.targets.http.allow_list import AllowList
from minutehand.targets.http.deadline import Deadline, Stage, TimedSocket, TimedTlsSocket
from minutehand.targets.http.origin import Origin
from minutehand.targets.http.refusal import Refused
from minutehand.targets.http.tls import Contexts

# A NAT gateway forgets a connection after 350 s of silence, and a target may take minutes to answer.
_KEEPALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 30, "TCP_KEEPCNT": 4}


Lookup = Callable[[str], Sequence[str]]
"""Resolves a host to its addresses, best first, as texts; raises OSError if there are none. May block."""


def system_lookup(host: str) -> Sequence[str]:
    """Resolve with the system's resolver: hosts file, then DNS, in the order of RFC 6724."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


class Resolver:
    """Resolves names in separate threads, because the system's resolver takes no time limit.

    A caller that stops waiting leaves its thread behind until the system gives up: by default after two tries of 5 s with
    each name server (resolv.conf(5)). Callers of one name share one lookup, so a name has at most one such thread. Results
    are not cached.
    """

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._lock = threading.Lock()
        self._pending: dict[str, Future[Sequence[str]]] = {}

    def __call__(self, host: str, deadline: Deadline) -> Sequence[Address]:
        """Resolve a host to at least one address.

        Raises:
            TimeoutError: at the deadline.
            Cancelled: within a second after the run was cancelled.
            OSError: if the name has no address, or no name server answers.
        """
        spelled_out = literal(host)
        if spelled_out is not None:
            return [spelled_out]
        texts = deadline.wait_for(self._future(host).result)
        addresses = [address for address in map(literal, texts) if address is not None]
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "no address")
        return addresses

    def _future(self, host: str) -> Future[Sequence[str]]:
        with self._lock:
            future = self._pending.get(host)
            if future is None:
                future = Future()
                thread = threading.Thread(target=self._work, args=(host, future), name="resolve", daemon=True)
                thread.start()
                self._pending[host] = future
            return future

    def _work(self, host: str, future: Future[Sequence[str]]) -> None:
        try:
            found = self._lookup(host)
        except BaseException as error:  # noqa: BLE001 - the waiting callers raise it
            future.set_exception(error)
        else:
            future.set_result(found)
        finally:
            with self._lock:
                del self._pending[host]


class Connector:
    """Opens connections to allowed addresses. Safe for many threads.

    A name is resolved once for a call, and the connection goes to the address that was checked. So a name server that answers a
    second query differently (DNS rebinding) gains nothing.
    """

    def __init__(self, lookup: Lookup, *, allow_loopback: bool, allowed: AllowList) -> None:
        self._resolve = Resolver(lookup)
        self._allow_loopback = allow_loopback
        self._allow_list = allowed
        self._contexts = Contexts()

    def opened(self, origin: Origin, deadline: Deadline, certificate: str = "") -> TimedSocket:
        """Open a socket that ends at the deadline.

        Args:
            certificate: what proves the worker's identity, with its private key, in PEM; empty for none.

        Raises:
            Refused: if jobs may call none of the host's addresses; `ClientCertificateInvalid`.
            TimeoutError: at the deadline.
            Cancelled: within a second after the run was cancelled.
            OSError: if no address accepts a connection; ssl.SSLError if TLS fails.
        """
        if not origin.tls:
            return self._connect(origin.host, origin.port, deadline)
        context, name = self._contexts.of(origin.authorities, certificate), origin.host.rstrip(".")
        plain = self._connect(origin.host, origin.port, deadline)
        deadline.stage = Stage.HANDSHAKE
        with plain:  # wrap_socket takes over its file descriptor
            wrapped = context.wrap_socket(plain, server_hostname=name, do_handshake_on_connect=False)
        secure = cast(
            TimedTlsSocket, wrapped
        )  # an instance of the context's sslsocket_class, which its annotation cannot say
        try:
            secure.handshake_within(deadline)
        except BaseException:
            secure.close()
            raise
        return secure

    def _connect(self, host: str, port: int, deadline: Deadline) -> TimedSocket:
        addresses = self._allowed(host, port, self._resolve(host, deadline))
        deadline.stage = Stage.CONNECTING
        errors: list[OSError] = []
        for tried, address in enumerate(addresses):
            # Each address gets an equal share of the time, so that one that drops packets leaves time for the others.
            share = deadline.left() / (len(addresses) - tried)
            try:
                return _open(address, port, deadline, share)
            except OSError as error:
                error.add_note(f"connecting to {address}, port {port}")
                errors.append(error)
        deadline.left()
        # ENETUNREACH, such as for IPv6 on a machine without it, says less than the error of another address.
        raise next((error for error in errors if error.errno != errno.ENETUNREACH), errors[-1])

    def _allowed(self, host: str, port: int, addresses: Sequence[Address]) -> Sequence[Address]:
        callable_ = [a for a in addresses if forbidden(a, allow_loopback=self._allow_loopback) is None]
        if not callable_:
            raise self._forbidden(host, addresses)
        if self._allow_list.allows_name(host, port):
            return callable_
        allowed = [a for a in callable_ if self._allow_list.allows_address(a, port)]
        if not allowed:
            leads = "" if host == str(callable_[0]) else f", which resolves to {', '.join(map(str, callable_[:3]))}"
            raise Refused(
                "TargetNotAllowed",
                f"{host}, port {port}{leads}, is not among the targets that jobs here may call: {self._allow_list}. "
                "The operator of this service can add the host or its network to AllowedTargets",
            )
        return allowed

    def _forbidden(self, host: str, addresses: Sequence[Address]) -> Refused:
        kind = forbidden(addresses[0], allow_loopback=self._allow_loopback)
        what = f"{host} is" if host == str(addresses[0]) else f"{host} resolves to {addresses[0]}, which is"
        hint = (
            "on a local stack, set AllowLoopbackTargets=true"
            if kind == LOOPBACK
            else "use an address of the target itself"
        )
        return Refused("AddressRefused", f"{what} {kind}; jobs may not call it: {hint}")


def _open(address: Address, port: int, deadline: Deadline, seconds: float) -> TimedSocket:
    made = TimedSocket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE.items():
            if hasattr(socket, name):
                made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        made.connect_within((str(address), port), deadline, seconds)
    except BaseException:
        made.close()
        raise
    return made
