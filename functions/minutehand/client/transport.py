"""Sends HTTP requests to the API, with headers and retries, and raises an error for an answer that is not a success."""

import json
import time
from collections.abc import Mapping, Sequence
from functools import cache
from random import SystemRandom
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import urllib3
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    MaxRetryError,
    NameResolutionError,
    NewConnectionError,
    ReadTimeoutError,
    SSLError,
)

from minutehand.client.address import checked_token, checked_url
from minutehand.client.bounds import Bounds, bounded_pool
from minutehand.client.errors import QUOTA_TYPE, AnswerError, ConfigurationError, Unreachable, refused
from minutehand.client.links import check_link

if TYPE_CHECKING:
    from minutehand.client.config import Auth
    from minutehand.client.signing import Sign

CONNECT_TIMEOUT = 5.0
SLOWEST_UPLOAD = 64 * 1024
"""Bytes a second with which an upload must get on. urllib3 applies the timeout of connecting to the sending of a body, too."""
CONNECTIONS = 16
"""Maximum number of idle connections, kept for parallel threads; urllib3 logs a warning for each connection beyond it."""

RETRY_AFTER_MAX = 10
_uniform = SystemRandom().uniform
BUSY = (429, 502, 503, 504)
GATEWAY_ROUTE_UNKNOWN = "Missing Authentication Token"
"""API Gateway's message, with 403, for a path that none of its APIs has."""


class _Retries(urllib3.Retry):
    """Repeats busy answers, except one that says that a quota is used up: its minute may be far away."""

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: urllib3.BaseHTTPResponse | None = None,
        error: Exception | None = None,
        _pool: Any = None,
        _stacktrace: Any = None,
    ) -> "_Retries":
        """The retries that are left. Raises MaxRetryError, which makes urllib3 return `response`, where none may follow."""
        if response is not None and response.status == 429 and QUOTA_TYPE.encode() in response.data:
            raise MaxRetryError(_pool, url or "", None)
        return super().increment(method, url, response, error, _pool, _stacktrace)


class Transport:
    """HTTP requests to one API. `timeout` limits the wait for each answer, in seconds, not the sum of the retries.

    Every request is idempotent (PUT, DELETE, pause and resume set a state; a trigger carries an idempotency key), so lost
    connections and busy answers are retried for every method. A quota that is used up is no busy answer: it is raised at once.
    """

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout: float,
        retries: int,
        backoff: float,
        origin: str = "",
        connections: urllib3.PoolManager | None = None,
        sign: "Sign | None" = None,
        bounds: Bounds | None = None,
    ) -> None:
        """Args:
        bounds: those of each answer, which is then not to be compressed; none where the server is trusted.
        sign: makes the headers that sign a request; without it, `token` says who sends it.
        connections: connections to share with other transports; `close` leaves them open.
        """
        self.url = checked_url(url)
        self._given = origin
        self._origin = f" (from {origin})" if origin else ""
        self._headers = {"Accept": "application/json", "User-Agent": _user_agent()}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {checked_token(token)}"
        self._sign = sign
        self._own = connections is None
        self._decodes = bounds is None
        self._pool = connections or (
            urllib3.PoolManager(maxsize=CONNECTIONS) if bounds is None else bounded_pool(bounds, maxsize=CONNECTIONS)
        )
        self._longest_read = timeout
        self._timeout = urllib3.Timeout(connect=min(timeout, CONNECT_TIMEOUT), read=timeout)
        self._backoff = backoff
        self._retries = _Retries(
            total=retries,
            read=min(retries, 1),
            allowed_methods=None,
            status_forcelist=BUSY,
            backoff_factor=backoff,
            raise_on_status=False,
            retry_after_max=RETRY_AFTER_MAX,
        )

    def wait(self, turn: int) -> None:
        """Wait before a part of a request is sent again: up to twice as long at each `turn`, which is 0 at first, and not as long as others."""
        time.sleep(min(_uniform(1, 2) * self._backoff * 2**turn, RETRY_AFTER_MAX))

    def close(self) -> None:
        """Close the connections, unless they are shared."""
        if self._own:
            self._pool.clear()

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | Sequence[str]] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Send a request; returns the answer's JSON object (empty for 204).

        Raises Unreachable, AnswerError, or the subclass of Refused for the answer's status.
        """
        url = f"{self.url}{path}" + (f"?{urlencode(query, doseq=True, quote_via=quote)}" if query else "")
        sent = {**self._headers, **(headers or {})}
        data = None
        if body is not None:
            sent["Content-Type"] = "application/json"
            data = _encoded(body)
        if (
            self._sign is not None
        ):  # the repetitions of a request carry its one signature, which is valid for five minutes
            sent |= self._sign(method, url, data)
        try:
            response = self._request(method, url, body=data, headers=sent)
        except HTTPError as error:
            raise Unreachable(
                f"the API at {self.url} cannot be reached: {_reason(error)}",
                hint=f"is the stack up (`make up`), and is the address right{self._origin}?",
            ) from error
        return self._read(response)

    def fetch(self, url: str) -> str:
        """Download a run's output from the presigned link in the API's answer; the API's token is not sent.

        Raises Unreachable or AnswerError.
        """
        try:
            response = self._request("GET", url, headers={"User-Agent": self._headers["User-Agent"]})
        except HTTPError as error:
            raise Unreachable(
                f"the run's output, to which the API at {self.url} links, cannot be downloaded: {_reason(error)}",
                hint="try again: the link works for a few minutes, and its host must be reachable from here",
            ) from error
        if response.status != 200:
            raise AnswerError(
                f"the run's output, to which the API at {self.url} links, was refused: HTTP {response.status}",
                hint="try again: the link works for a few minutes",
            )
        return response.data.decode("utf-8", "replace")

    def put(self, url: str, data: bytes) -> None:
        """Upload to a presigned link in the API's answer; the API's token is not sent.

        Raises Unreachable, or AnswerError, also for a link that `check_link` refuses.
        """
        check_link(url, self.url)
        headers = {"User-Agent": self._headers["User-Agent"]}
        sending = urllib3.Timeout(connect=CONNECT_TIMEOUT + len(data) / SLOWEST_UPLOAD, read=self._longest_read)
        try:
            response = self._request("PUT", url, headers=headers, body=data, timeout=sending)
        except HTTPError as error:
            raise Unreachable(
                f"the store to which the API at {self.url} links cannot be reached: {_reason(error)}",
                hint="its host must be reachable from here",
            ) from error
        if response.status != 200:
            raise AnswerError(
                f"the store to which the API at {self.url} links refused an upload: HTTP {response.status}",
                hint="try again: a link works for a few minutes",
            )

    def _request(self, method: str, url: str, **parts: Any) -> urllib3.BaseHTTPResponse:
        parts = {"timeout": self._timeout, **parts, "retries": self._retries, "decode_content": self._decodes}
        return self._pool.request(method, url, redirect=False, **parts)

    def _read(self, response: urllib3.BaseHTTPResponse) -> dict[str, Any]:
        if response.status == 204:
            return {}
        if 300 <= response.status < 400:
            raise self._foreign(response, f"a redirect to {response.headers.get('Location', 'nowhere')}")
        try:
            body = json.loads(response.data)
        except (ValueError, RecursionError) as error:
            kind = response.headers.get("Content-Type") or "no content type"
            raise self._foreign(response, f"{kind}: {_excerpt(response.data)}") from error
        if not isinstance(body, dict):
            raise self._foreign(response, f"JSON that is no object: {_excerpt(response.data)}")
        if response.status < 400:
            return body
        if "title" not in body and (response.status == 404 or body.get("message") == GATEWAY_ROUTE_UNKNOWN):
            raise self._foreign(response, _excerpt(response.data))
        repeated = bool(response.retries and response.retries.history)
        raise refused(response.status, body, repeated=repeated, origin=self._given)

    def _foreign(self, response: urllib3.BaseHTTPResponse, what: str) -> AnswerError:
        return AnswerError(
            f"the server at {self.url} does not speak Minutehand's API: HTTP {response.status}, {what}",
            hint=f"check the address{self._origin}: it ends before `/v1`; a proxy in between may be answering instead",
        )


def opened(
    url: str,
    token: str | None,
    *,
    timeout: float,
    retries: int,
    backoff: float,
    origin: str,
    auth: "Auth",
    bounds: Bounds | None = None,
) -> Transport:
    """A transport that proves who sends requests as `auth` says. Raises ConfigurationError for a token beside signatures."""
    sign = None
    if auth == "iam":
        from minutehand.client.signing import signer  # noqa: PLC0415 - only such a client needs botocore

        if token is not None:
            raise ConfigurationError("a client that signs requests sends no token", hint="give None for the token")
        sign = signer(url)
    return Transport(
        url, token, timeout=timeout, retries=retries, backoff=backoff, origin=origin, sign=sign, bounds=bounds
    )


def _encoded(body: object) -> bytes:
    """The body as compact JSON in UTF-8, since the API limits its bytes. Half a surrogate pair, which UTF-8 cannot express, is escaped."""
    text = json.dumps(body, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="backslashreplace")


@cache
def _user_agent() -> str:
    """`minutehand/VERSION`. The code may be used without being installed, as by the local stack's ready hook; it then has no version."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow, and not needed before a call

    try:
        return f"minutehand/{version('minutehand')}"
    except PackageNotFoundError:
        return "minutehand"


def _reason(error: HTTPError) -> str:
    cause: BaseException = error.reason if isinstance(error, MaxRetryError) and error.reason else error
    match cause:
        case NameResolutionError():
            return "its host name is unknown"
        case NewConnectionError():
            return "connection refused" if "refused" in str(cause) else str(cause).rpartition(": ")[2]
        case ConnectTimeoutError():
            return "no connection in time"
        case ReadTimeoutError():
            return "no answer in time"
        case SSLError():
            return f"no trusted TLS connection ({cause})"
        case _:
            return str(cause)


def _excerpt(data: bytes, limit: int = 120) -> str:
    text = " ".join(data.decode("utf-8", "replace").split())
    return text if len(text) <= limit else f"{text[:limit]}…"
