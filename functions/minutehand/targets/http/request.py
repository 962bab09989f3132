"""HTTP request of one attempt."""

from __future__ import annotations

import base64
import json
import re
from typing import Any, NamedTuple
from urllib.parse import unquote

from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from minutehand import __version__
from minutehand.domain.instants import to_text
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.targets.http.texts import DEFAULT_PORTS, FRAMING, is_of_the_run
from minutehand.usecases.ports.target import Call, ParentResult

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
"""Methods and header names (RFC 9110, section 5.6.2)."""


class Refused(Exception):
    """The call breaks a rule of this service; the message says which, and what to do.

    Attributes:
        type: the error type of the run, such as `AddressRefused`.
    """

    def __init__(self, type_: str, message: str) -> None:
        super().__init__(message)
        self.type = type_


class Request(NamedTuple):
    """A request, ready to be sent.

    Attributes:
        host: name or address; IPv6 without brackets.
        path: with the query, percent-encoded.
        where: method and URL for messages; without user, password, query and fragment.
    """

    method: str
    tls: bool
    host: str
    port: int
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None
    where: str


def request_of(target: HttpTarget, call: Call) -> Request:
    """Build the request of one attempt.

    The body is the payload as compact JSON; without a payload, the results of the parent runs, if there are any. GET, HEAD
    and TRACE send no body, which would have no meaning (RFC 9110, section 9.3.1). User and password of the URL become basic
    authorization. A header of the target replaces the one of that name that the service adds, unless it says which run calls.

    Raises:
        Refused: `InvalidRequest`, if it cannot be sent. The message contains no header value.
    """
    if not _TOKEN.fullmatch(target.method):
        raise _invalid(f"{target.method[:50]!r} is not an HTTP method; write GET or POST, for example")
    url = _url(target.url)
    scheme, host = url.scheme or "", url.host or ""
    body = None
    content = call.payload
    if content is None and call.parents:
        content = {"parents": [_parent(parent) for parent in call.parents]}
    if content is not None and target.method.upper() not in ("GET", "HEAD", "TRACE"):
        body = json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")
    return Request(
        method=target.method,
        tls=scheme == "https",
        host=host.strip("[]"),
        port=url.port or DEFAULT_PORTS[scheme],
        path=url.request_uri,
        headers=_headers(target, call, url, with_body=body is not None),
        body=body,
        where=f"{target.method} {shown(url)}",
    )


def _parent(parent: ParentResult) -> dict[str, Any]:
    """The result of a parent run, as the body carries it."""
    result, error = parent.result, parent.error
    return {
        "job": str(parent.run.job),
        "run_id": parent.run.run_id,
        "state": parent.state.value,
        "scheduled_for": to_text(parent.run.scheduled_for),
        "result": result and {"status": result.status, "body": result.body, "truncated": parent.truncated},
        "error": error and {"type": error.type, "message": error.message},
    }


def shown(url: Url) -> str:
    """A URL for messages: without user, password, query and fragment, and cut if it is long."""
    return str(url._replace(auth=None, query=None, fragment=None))[:300]


def _url(text: str) -> Url:
    try:
        url = parse_url(text)
    except LocationParseError:
        # Its own message contains the whole URL, which may contain a password.
        raise _invalid(
            "target.url is not a valid URL; check the host and the port, and write the host in its ASCII form (xn--…)"
        ) from None
    if url.scheme not in DEFAULT_PORTS or not url.host:
        raise _invalid("target.url must start with http:// or https:// and name a host")
    return url


def _headers(target: HttpTarget, call: Call, url: Url, *, with_body: bool) -> tuple[tuple[str, str], ...]:
    for name, value in target.headers:
        _check_header(name, value)
    run = call.run
    added = {
        "User-Agent": f"minutehand/{__version__}",
        "Accept-Encoding": "identity",
        "Connection": "close",
        "Minutehand-Job": str(run.key.job),
        "Minutehand-Run-Id": run.key.run_id,
        "Minutehand-Attempt": str(run.attempt),
        "Minutehand-Scheduled-For": to_text(run.scheduled_for),
        "Idempotency-Key": f"{run.key.job}/{run.key.run_id}",
    }
    if run.parents:
        added["Minutehand-Parents"] = ", ".join(f"{key.job}/{key.run_id}" for key in run.parents)
    if target.mode is not Mode.SYNC:
        # What a target needs to report later.
        added["Minutehand-Deadline"] = to_text(call.deadline)
        added["Minutehand-Attempts-Left"] = str(call.attempts_left)
        if call.callback_url:
            added |= {"Minutehand-Callback-Url": call.callback_url, "Minutehand-Token": call.token}
    if with_body:
        added["Content-Type"] = "application/json"
    if url.auth:
        added["Authorization"] = "Basic " + base64.b64encode(unquote(url.auth).encode()).decode("ascii")
    headers = [(name, value) for name, value in target.headers if not is_of_the_run(name)]
    own = {name.lower() for name, _ in headers}
    return (*((name, value) for name, value in added.items() if name.lower() not in own), *headers)


def _check_header(name: str, value: str) -> None:
    if not _TOKEN.fullmatch(name):
        raise _invalid(f"{name[:50]!r} is not a valid header name; use letters, digits and hyphens")
    if name.lower() in FRAMING:
        raise _invalid(f"the header {name} is set by this service; remove it from target.headers")
    if re.search(r"[\x00\r\n]", value):
        raise _invalid(f"the value of the header {name} contains a line break or a NUL; write it on one line")
    try:
        value.encode("latin-1")
    except UnicodeEncodeError:
        raise _invalid(
            f"the value of the header {name} contains characters that a header cannot carry; percent-encode them"
        ) from None


def _invalid(message: str) -> Refused:
    return Refused("InvalidRequest", message)
