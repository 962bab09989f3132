"""Checks of single fields of an HTTP target. Each returns nothing, or raises `Refused` with what would be right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from minutehand.domain.checks import without
from minutehand.domain.declaration import Refused

LARGEST_HEADERS = 8192
"""Characters of all names and values: most servers refuse a request whose headers are larger."""
LONGEST_HEADER = 4096
# RFC 9110, 5.6.2 (token) and 5.5 (field values; of those, ASCII alone, and no folding).
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}", re.ASCII)
FRAMING = frozenset(
    ("connection", "content-length", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade")
)
"""Headers that the caller sets itself, by their names in small letters."""
_NOT_IN_VALUE = re.compile(r"[^\t\x20-\x7e]")
_NOT_IN_URL = re.compile(r"[^!-~]|[\"<>\\^`{|}]")
_HOST_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?\.?", re.ASCII)
_URL = "write https://host/path"


def url(text: str) -> None:
    """An http or https URL with a host and without user or password."""
    found = _NOT_IN_URL.search(text)
    if found:
        raise Refused(f"{found[0]!a} is not allowed in a URL", "percent-encode it", found.start())
    from minutehand.targets.http.addresses import literal  # noqa: PLC0415 - only saving a job needs it, and ipaddress with it

    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise Refused(f"this is not a URL: {error}", _URL) from None
    if parts.scheme not in ("http", "https"):
        raise Refused("the URL does not begin with http:// or https://", _URL)
    if parts.username is not None or parts.password is not None:
        raise Refused("the URL contains a user or password", "send an Authorization header instead")
    if not parts.hostname or not (_HOST_NAME.fullmatch(parts.hostname) or literal(parts.hostname)):
        raise Refused("the URL names no host", _URL)
    if port == 0:
        raise Refused("no server listens on port 0", "leave the port out, or give 1 to 65535")


def header_name(name: str) -> None:
    """The name of a header that a job may set."""
    if not TOKEN.fullmatch(name):
        raise Refused(
            "this is not a header name", "write 1 to 128 letters, digits and hyphens, such as X-Request-Source"
        )
    if name.lower() in FRAMING:
        raise Refused("the worker sets this header itself", "leave it out")


def header_value(value: str) -> None:
    """The value of a header: visible ASCII, with blanks between."""
    if len(value) > LONGEST_HEADER:
        raise Refused(f"this has {len(value):,} characters; {LONGEST_HEADER:,} is the most", "shorten it")
    without(_NOT_IN_VALUE, value, "write plain ASCII in one line")
    if value != value.strip():
        raise Refused("a header value cannot begin or end with a blank", "leave the blank out")


def headers(given: Mapping[str, str]) -> None:
    """Headers whose names differ by more than their case, and that are not too many for a server."""
    seen: dict[str, str] = {}
    for name in given:
        twin = seen.setdefault(name.lower(), name)
        if twin != name:
            raise Refused(f"{twin!r} and {name!r} are the same header", "keep one of the two")
    size = sum(len(name) + len(value) for name, value in given.items())
    if size > LARGEST_HEADERS:
        raise Refused(
            f"the headers have {size:,} characters in all; {LARGEST_HEADERS:,} is the most", "send it in the payload"
        )
