"""Checks of single values that a type alone cannot make. Each gives its value back, or refuses it with a message and a hint."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from urllib.parse import urlsplit

from pydantic_core import PydanticCustomError

from minutehand.domain.durations import parse_duration
from minutehand.domain.instants import from_text
from minutehand.domain.job import NAME
from minutehand.entrypoints.api.forms.reading import json_kind
from minutehand.targets.http.addresses import LOOPBACK, forbidden, literal
from minutehand.targets.http.allow_list import AllowList
from minutehand.targets.http.fields import RESERVED_HEADERS

REFUSED = "refused"
"""The type of the errors that these checks raise; their context has `message`, `hint` and `column`."""
LONGEST_DURATION_TEXT = 40
LONGEST_ENDING = 64
# Of what RFC 3339 allows, capital letters alone.
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?P<fraction>\.\d+)?(?P<offset>Z|[+-]\d\d:\d\d)?", re.ASCII)
LARGEST_HEADERS = 8192
"""Characters of all names and values: most servers refuse a request whose headers are larger."""

# RFC 9110, 5.6.2 (token) and 5.5 (field values; of those, ASCII alone, and no folding).
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}", re.ASCII)
_ODD_IN_VALUE = re.compile(r"[^\t\x20-\x7e]")
_ODD_IN_URL = re.compile(r"[^!-~]|[\"<>\\^`{|}]")
_HOST_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?\.?", re.ASCII)
ENDING = re.compile(r"[1-5][0-9][0-9]|[1-5]xx|timed_out|[A-Z][A-Za-z]+", re.ASCII)
"""What an attempt's end may be called by: a status, a class of them, a type of error, or that it reached its limit."""
_ENDINGS = (
    "write a status from 100 to 599 (503), a class of them (5xx), timed_out, or a type of error (ConnectionRefused)"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def refused(message: str, hint: str = "", column: int | None = None) -> PydanticCustomError:
    """The error that says so; `column` is 0-based."""
    return PydanticCustomError(REFUSED, "{message}", {"message": message, "hint": hint, "column": column})


def one_line(text: str) -> str:
    """Text without control characters or line breaks."""
    return _without(_CONTROL, text, "write one line of plain text")


def paragraphs(text: str) -> str:
    """Text that may have line breaks and tabs, but no other control characters."""
    return _without(re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"), text, "leave it out")


def url(text: str) -> str:
    """An http or https URL with a host and without user or password."""
    odd = _ODD_IN_URL.search(text)
    if odd:
        raise refused(f"{odd[0]!a} cannot stand in a URL", "percent-encode it", odd.start())
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise refused(f"this is not a URL: {error}", "write https://host/path") from None
    if parts.scheme not in ("http", "https"):
        raise refused("the URL does not begin with http:// or https://", "write https://host/path")
    if parts.username is not None or parts.password is not None:
        raise refused("the URL holds a user or password", "send an Authorization header instead")
    if not parts.hostname or not (_HOST_NAME.fullmatch(parts.hostname) or literal(parts.hostname)):
        raise refused("the URL names no host", "write https://host/path")
    if port == 0:
        raise refused("no server listens on port 0", "leave the port out, or give 1 to 65535")
    return text


def forbidden_host(text: str, *, allow_loopback: bool) -> str | None:
    """Why no worker may call the host of a valid URL, in words that follow "is"; None for all that its text does not show.

    Only a courtesy to whoever saves the job: the worker judges the address that it connects to.
    """
    host = (urlsplit(text).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return None if allow_loopback else LOOPBACK
    address = literal(host)
    return forbidden(address, allow_loopback=allow_loopback) if address else None


def unlisted_host(text: str, allowed: AllowList) -> str | None:
    """The host of a valid URL, with its port, when no rule of the allow-list can ever fit it; else None."""
    parts = urlsplit(text)
    host, port = parts.hostname or "", parts.port or {"http": 80, "https": 443}[parts.scheme]
    return None if allowed.may_allow(host, port) else f"{host}, port {port}"


def header_name(name: str) -> str:
    """A header's name that a job may set."""
    if not TOKEN.fullmatch(name):
        raise refused(
            "this is no name for a header", "write 1 to 128 letters, digits and hyphens, such as X-Request-Source"
        )
    if name.lower() in RESERVED_HEADERS:
        raise refused("this header is set by whoever makes the call", "leave it out")
    return name


def header_value(value: str) -> str:
    """A header's value: visible ASCII, blanks between."""
    _without(_ODD_IN_VALUE, value, "write plain ASCII in one line")
    if value != value.strip():
        raise refused("a header's value cannot begin or end with a blank", "leave the blank out")
    return value


def all_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Headers whose names differ by more than their case, and that are not too many for a server."""
    seen: dict[str, str] = {}
    for name in headers:
        twin = seen.setdefault(name.lower(), name)
        if twin != name:
            raise refused(f"{twin!r} and {name!r} are the same header", "keep one of the two")
    size = sum(len(name) + len(value) for name, value in headers.items())
    if size > LARGEST_HEADERS:
        raise refused(
            f"the headers have {size:,} characters in all; {LARGEST_HEADERS:,} is the most", "send it in the payload"
        )
    return headers


def duration(least: str, most: str, *, why: str = "", instead: str = "") -> Callable[[str], str]:
    """A check that a text is a duration within bounds.

    Args:
        why: said of one that is too long, instead of the bound alone.
        instead: what to do then.
    """

    def check(text: str) -> str:
        given = duration_of(text)
        if given is None:
            raise refused(f"{text!r:.60} is not a duration", "write whole numbers with units, such as 90s, 1h30m or 7d")
        if given > parse_duration(most):
            raise refused(why or f"{text} is too long", instead or f"give {least} to {most}")
        if given < parse_duration(least):
            raise refused(f"{text} is too short", f"give {least} to {most}")
        return text

    return check


def ending(text: str) -> str:
    """What an attempt's end is called by in `retry_on` and `give_up_on`."""
    if len(text) <= LONGEST_ENDING and ENDING.fullmatch(text):
        return text
    near = text.lower()
    likely = "timed_out" if near in ("timeout", "timedout", "timed-out", "timed out") else near
    hint = f"did you mean {likely}? " if likely != text and ENDING.fullmatch(likely) else ""
    raise refused(f"{text!r:.60} is nothing that an attempt's end is called by", f"{hint}{_ENDINGS}")


def job_name(text: str) -> str:
    """`name`, or `namespace/name`."""
    for name in text.split("/", 1):
        if not NAME.fullmatch(name):
            rule = "1 to 128 of a-z, 0-9, `.`, `_` and `-`, the first a letter or digit"
            raise refused(f"{text!r:.60} names no job", f"write name, or namespace/name; each is {rule}")
    return text


def instant(text: str) -> str:
    """A whole second in RFC 3339, with an offset."""
    example = "write it as 2026-12-01T09:00:00Z"
    written = _INSTANT.fullmatch(text)
    if written is None:
        raise refused(f"{text!r} is not an instant", example)
    if written["fraction"]:
        raise refused(f"{text} has a fraction of a second", example)
    if not written["offset"]:
        raise refused(f"{text} has no offset from UTC", f"{text}Z is in UTC, {text}+01:00 an hour ahead of it")
    try:
        from_text(text)
    except ValueError:  # a day or an hour that is not there, or an offset that leads out of the years 1 to 9999
        raise refused(f"there is no {text}", example) from None
    return text


def texts(value: object) -> str | list[str]:
    """A text, or a list of some; whether each can be read as a schedule is found later."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise refused(f"this must be text, or a list of texts, not {json_kind(value)}", 'put it in quotes: "…"')
    return value


def duration_of(text: object) -> timedelta | None:
    """The duration that a value is the text of, or None."""
    if not isinstance(text, str) or len(text) > LONGEST_DURATION_TEXT:
        return None
    try:
        return parse_duration(text)
    except (ValueError, OverflowError):
        return None


def _without(odd: re.Pattern[str], text: str, hint: str) -> str:
    found = odd.search(text)
    if found:
        raise refused(f"{found[0]!a} cannot stand here", hint, found.start())
    return text
