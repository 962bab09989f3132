"""Name resolution with a time limit."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from minutehand.targets.http.addresses import Address, literal
from minutehand.targets.http.deadline import Deadline

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

    def __init__(self, lookup: Lookup = system_lookup) -> None:
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
