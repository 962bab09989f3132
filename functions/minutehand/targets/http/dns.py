"""Names to addresses, for no longer than the caller waits."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from minutehand.targets.http.addresses import Address, literal
from minutehand.targets.http.deadline import Deadline

Lookup = Callable[[str], Sequence[str]]
"""A host's addresses, best first, as texts; OSError when there are none. May block."""


def system_lookup(host: str) -> Sequence[str]:
    """Ask the system, as every other program does: hosts file, then DNS (RFC 6724 order)."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


class Resolver:
    """Looks names up in threads of their own, because the system's lookup cannot be given a limit.

    A caller that stops waiting leaves its thread behind until the system gives up, which resolv.conf(5) bounds: by
    default after two tries of 5 s with each name server. Callers of one name share one lookup, so that there is never
    more than one such thread for a name. Nothing is remembered once a lookup is done.
    """

    def __init__(self, lookup: Lookup = system_lookup) -> None:
        self._lookup = lookup
        self._lock = threading.Lock()
        self._under_way: dict[str, Future[Sequence[str]]] = {}

    def __call__(self, host: str, deadline: Deadline) -> Sequence[Address]:
        """The addresses of a host, at least one.

        Raises:
            TimeoutError: at the deadline.
            Cancelled: soon after the call became unwanted.
            OSError: when the name has no address, or nobody knows.
        """
        spelled_out = literal(host)
        if spelled_out is not None:
            return [spelled_out]
        texts = deadline.patiently(self._future(host).result)
        addresses = [address for address in map(literal, texts) if address is not None]
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "no address")
        return addresses

    def _future(self, host: str) -> Future[Sequence[str]]:
        with self._lock:
            future = self._under_way.get(host)
            if future is None:
                future = Future()
                thread = threading.Thread(target=self._work, args=(host, future), name="resolve", daemon=True)
                thread.start()
                self._under_way[host] = future
            return future

    def _work(self, host: str, future: Future[Sequence[str]]) -> None:
        try:
            found = self._lookup(host)
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits, not to this thread
            future.set_exception(error)
        else:
            future.set_result(found)
        finally:
            with self._lock:
                del self._under_way[host]
