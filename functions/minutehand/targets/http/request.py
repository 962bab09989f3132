"""The request of a run, as it goes over the wire."""

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
from minutehand.targets.http.fields import DEFAULT_PORTS, RESERVED_HEADERS, HttpTarget, Mode
from minutehand.targets.http.refusal import Refused
from minutehand.usecases.ports.target import Call, ParentResult

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
"""RFC 9110, section 5.6.2: methods and the names of headers."""
_VALUE = re.compile(r"[^\x00\r\n]*")
_WITHOUT_BODY = ("GET", "HEAD", "TRACE")
_URL_SHOWN = 300


class Request(NamedTuple):
    """What is sent, and where.

    Attributes:
        host: a name or an address; IPv6 without brackets.
        path: with the query, percent-encoded.
        where: method and URL for messages, without user, password, query and fragment.
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
    """The request of one attempt.

    The payload is the body, as compact JSON, unless it is None or the method is GET, HEAD or TRACE, whose bodies have no
    meaning (RFC 9110, section 9.3.1). Where there is none, the body tells a run that others have started how those ended. User and password in the URL become basic authorization. What the target's own
    headers set goes before what this adds.

    Raises:
        Refused: `InvalidRequest`, for what cannot be sent as it stands. No header value is ever shown.
    """
    if not _TOKEN.fullmatch(target.method):
        raise _invalid(f"{target.method[:50]!r} is not an HTTP method; write GET or POST, for example")
    url = _url(target.url)
    scheme, host = url.scheme or "", url.host or ""
    body = None
    said = call.payload
    if said is None and call.parents:
        said = {"parents": [_parent(parent) for parent in call.parents]}
    if said is not None and target.method.upper() not in _WITHOUT_BODY:
        body = json.dumps(said, separators=(",", ":"), allow_nan=False).encode("ascii")
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
    """What a body tells of one of the runs that started this one."""
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
    """A URL as it may be shown: without user, password, query and fragment, and not too long."""
    return str(url._replace(auth=None, query=None, fragment=None))[:_URL_SHOWN]


def _url(text: str) -> Url:
    try:
        url = parse_url(text)
    except LocationParseError:
        # Its own message holds the whole URL, which may hold a password.
        raise _invalid(
            "the target's url cannot be read; check the host and the port, and write the host in its ASCII form (xn--…)"
        ) from None
    if url.scheme not in DEFAULT_PORTS or not url.host:
        raise _invalid("the target's url must start with http:// or https:// and name a host")
    return url


def _headers(target: HttpTarget, call: Call, url: Url, *, with_body: bool) -> tuple[tuple[str, str], ...]:
    for name, value in target.headers:
        _check(name, value)
    run = call.run
    ours = {
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
        ours["Minutehand-Parents"] = ", ".join(f"{key.job}/{key.run_id}" for key in run.parents)
    if target.mode is not Mode.SYNC:
        ours |= _for_later(call)
    if with_body:
        ours["Content-Type"] = "application/json"
    if url.auth:
        ours["Authorization"] = "Basic " + base64.b64encode(unquote(url.auth).encode()).decode("ascii")
    theirs = {name.lower() for name, _ in target.headers}
    return (*((name, value) for name, value in ours.items() if name.lower() not in theirs), *target.headers)


def _for_later(call: Call) -> dict[str, str]:
    """What a target needs to know that answers later: by when, and, where somebody takes reports, how."""
    limits = {"Minutehand-Deadline": to_text(call.deadline), "Minutehand-Attempts-Left": str(call.attempts_left)}
    if not call.callback_url:
        return limits
    return limits | {"Minutehand-Callback-Url": call.callback_url, "Minutehand-Token": call.token}


def _check(name: str, value: str) -> None:
    if not _TOKEN.fullmatch(name):
        raise _invalid(f"{name[:50]!r} is not the name of a header; write letters, digits and hyphens")
    if name.lower() in RESERVED_HEADERS:
        raise _invalid(f"the header {name} is set by the caller; remove it from the target")
    if not _VALUE.fullmatch(value):
        raise _invalid(f"the value of the header {name} has a line break or a NUL in it; write it on one line")
    try:
        value.encode("latin-1")
    except UnicodeEncodeError:
        raise _invalid(
            f"the value of the header {name} has characters that no header can carry; percent-encode them"
        ) from None


def _invalid(message: str) -> Refused:
    return Refused("InvalidRequest", message)
