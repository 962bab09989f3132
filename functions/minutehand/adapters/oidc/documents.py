"""The documents of an OIDC issuer, read over HTTPS: small ones, quickly, from the address alone that was asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol

import urllib3
from urllib3.exceptions import HTTPError

from minutehand.domain.errors import IssuerUnavailable

LARGEST = 256 * 1024
"""Most bytes of a document, unpacked. The largest known sets of keys have some tens of kilobytes."""
WITHIN = 3.0
"""Most seconds until a document is read. Both of an issuer must fit into the authorizer's timeout, with a second for the rest."""


class Documents(Protocol):
    """Reads JSON objects by their address."""

    def read(self, url: str) -> Mapping[str, Any]:
        """Read the object at an address. Raises IssuerUnavailable."""


class HttpsDocuments:
    """Reads documents over HTTPS. It follows no redirect: the issuer names its addresses itself."""

    def __init__(self, connections: urllib3.PoolManager | None = None, *, within: float = WITHIN) -> None:
        """Args:
        connections: a pool of connections of the caller's own, such as one that trusts a private authority.
        within: most seconds until a document is read.
        """
        self._connections = connections or urllib3.PoolManager(maxsize=1)
        self._within = within

    def read(self, url: str) -> Mapping[str, Any]:
        """Read a JSON object.

        Raises:
            IssuerUnavailable: when the address is not one of HTTPS, when no answer of status 200 comes in time, or when it is too large or
                not a JSON object.
        """
        if not url.startswith("https://"):
            raise IssuerUnavailable(
                f"the OIDC issuer names the address {url!r:.200}, which does not begin with https://"
            )
        body = self._in_time(url)
        try:
            document = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise IssuerUnavailable(f"the answer of the OIDC issuer at {url!r:.200} is not JSON") from error
        if not isinstance(document, dict):
            raise IssuerUnavailable(f"the answer of the OIDC issuer at {url!r:.200} is not a JSON object")
        return document

    def _in_time(self, url: str) -> bytes:
        """The body of the answer. A thread reads it: a socket's timeout bounds neither the look-up of the name nor an answer that comes byte
        by byte."""
        bodies: SimpleQueue[bytes | IssuerUnavailable] = SimpleQueue()
        late = IssuerUnavailable(f"the OIDC issuer takes more than {self._within:g} seconds to answer at {url!r:.200}")

        def fetch() -> None:
            try:
                bodies.put(self._fetch(url))
            except IssuerUnavailable as refusal:
                bodies.put(refusal)
            except urllib3.exceptions.TimeoutError:
                bodies.put(late)
            except (HTTPError, ValueError) as error:
                what = type(error).__name__
                bodies.put(IssuerUnavailable(f"the OIDC issuer does not answer at {url!r:.200} ({what})"))

        Thread(target=fetch, daemon=True).start()
        try:
            found = bodies.get(timeout=self._within)
        except Empty:
            raise late from None
        if isinstance(found, IssuerUnavailable):
            raise found
        return found

    def _fetch(self, url: str) -> bytes:
        answer = self._connections.request(
            "GET",
            url,
            headers={"Accept": "application/json", "Accept-Encoding": "identity"},
            timeout=urllib3.Timeout(connect=self._within, read=self._within),
            retries=False,
            redirect=False,
            preload_content=False,
        )
        try:
            if answer.status != 200:
                raise IssuerUnavailable(
                    f"the OIDC issuer answers {answer.status} at {url!r:.200}; redirects are not followed"
                )
            body: bytes = answer.read(LARGEST + 1)
        finally:
            answer.close()
        if len(body) > LARGEST:
            raise IssuerUnavailable(f"the answer of the OIDC issuer at {url!r:.200} has more than {LARGEST} bytes")
        return body
