"""HTTP request of one attempt."""

from __future__ import annotations

import base64
import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from minutehand import __version__
from minutehand.domain.declaration.field import Pairs
from minutehand.domain.instants import to_text
from minutehand.targets.http.content import Content, json_content
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.targets.http.refusal import Refused
from minutehand.targets.http.texts import (
    BODILESS,
    DEFAULT_PORTS,
    FRAMING,
    LARGEST_HEADERS,
    LONGEST_PATH,
    is_of_the_run,
)
from minutehand.usecases.ports.target import Call

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
"""Methods and header names (RFC 9110, section 5.6.2)."""
_BRACES = "{{"
"""How a placeholder of a template begins."""


class Private(NamedTuple):
    """What of a request no other origin may receive besides the headers that none receives.

    Attributes:
        certificate: what proves the worker's identity to the server, with its private key, in PEM; empty for none.
        headers: the names of the headers that contain a secret, in lower case.
        body: whether the body contains a secret.
    """

    certificate: str = ""
    headers: frozenset[str] = frozenset()
    body: bool = False


NOTHING_PRIVATE = Private()


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
    private: Private = NOTHING_PRIVATE

    @property
    def url(self) -> str:
        """The URL, without user and password."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{self.path}"


def request_of(target: HttpTarget, call: Call) -> Request:
    """Build the request of one attempt.

    The body is that of the target; by default the payload as compact JSON; without a payload, the results of the parent runs, if
    there are any. GET, HEAD and TRACE send no body. User and password of the URL become basic authorization. A header of the target
    replaces the one of that name that the service adds, unless it says which run calls.

    Raises:
        Refused: `InvalidRequest`, if it cannot be sent; `UnresolvedTemplate`, if a placeholder names what the run does not have. The
            message contains no header value.
    """
    if not _TOKEN.fullmatch(target.method):
        raise _invalid(f"{target.method[:50]!r} is not an HTTP method; write GET or POST, for example")
    url = url_of(target.url)
    scheme, host = url.scheme or "", url.host or ""
    content = None if target.method.upper() in BODILESS else _content(target, call)
    return Request(
        method=target.method,
        tls=scheme == "https",
        host=host.strip("[]"),
        port=url.port or DEFAULT_PORTS[scheme],
        path=_path(target, call, url),
        headers=_headers(target, call, url, content.media_type if content else ""),
        body=content and content.data,
        where=f"{target.method} {shown(url)}",
        private=_private(target, call, tls=scheme == "https") if call.secrets else NOTHING_PRIVATE,
    )


def _private(target: HttpTarget, call: Call, *, tls: bool) -> Private:
    from minutehand.domain.template import names_secret  # noqa: PLC0415 - only a job with secrets needs it

    given = target.tls.client_certificate
    return Private(
        certificate=call.secret(given) if given and tls else "",
        headers=frozenset(name.lower() for name, value in target.headers if names_secret(value)),
        body=names_secret(target.body),
    )


def _content(target: HttpTarget, call: Call) -> Content | None:
    if target.body is not None:
        from minutehand.targets.http.filling import body_of  # noqa: PLC0415 - only a job with templates needs it

        return body_of(target.body, call)
    if call.payload is not None:
        return json_content(call.payload)
    if not call.parents:
        return None
    from minutehand.targets.run_values import parent_document  # noqa: PLC0415 - only a child needs it

    return json_content({"parents": [parent_document(parent) for parent in call.parents]})


def _path(target: HttpTarget, call: Call, url: Url) -> str:
    path = url.request_uri
    if not target.query:
        return path
    from minutehand.targets.http.filling import query_of  # noqa: PLC0415 - only a job with templates needs it

    joint = "" if path.endswith("?") else "&" if url.query is not None else "?"
    path += joint + query_of(target.query, call)
    if len(path) > LONGEST_PATH:
        raise _invalid(f"target.url with target.query is longer than {LONGEST_PATH:,} characters")
    return path


@lru_cache(maxsize=256)
def shown(url: Url) -> str:
    """A URL for messages: without user, password, query and fragment, and cut if it is long."""
    return str(url._replace(auth=None, query=None, fragment=None))[:300]


@lru_cache(maxsize=256)
def url_of(text: str) -> Url:
    """Parse the URL of a call.

    Raises:
        Refused: `InvalidRequest`, if it is not valid.
    """
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


def _headers(target: HttpTarget, call: Call, url: Url, media_type: str) -> tuple[tuple[str, str], ...]:
    given = _given(target, call)
    for name, value in given:
        _check_header(name, value)
    run = call.run
    added = {
        "User-Agent": f"minutehand/{__version__}",
        "Accept-Encoding": "identity",
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
    if media_type:
        added["Content-Type"] = media_type
    if url.auth:
        added["Authorization"] = "Basic " + base64.b64encode(unquote(url.auth).encode()).decode("ascii")
    headers = [(name, value) for name, value in given if not is_of_the_run(name)]
    own = {name.lower() for name, _ in headers}
    return (*((name, value) for name, value in added.items() if name.lower() not in own), *headers)


def _given(target: HttpTarget, call: Call) -> Pairs:
    """The headers of the target, filled."""
    if not any(_BRACES in value for _, value in target.headers):
        return target.headers
    from minutehand.targets.http.filling import header_of  # noqa: PLC0415 - only a job with templates needs it

    found = tuple((name, header_of(name, value, call) if _BRACES in value else value) for name, value in target.headers)
    if sum(len(name) + len(value) for name, value in found) > LARGEST_HEADERS:
        raise _invalid(f"target.headers, once they are filled, have more than {LARGEST_HEADERS:,} characters in all")
    return found


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
    return Refused("InvalidRequest", message, final=True)
