"""Checks of single texts of an HTTP target. Each returns nothing, or raises `Refused` with what would be right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from minutehand.domain.declaration.checks import one_line, without
from minutehand.domain.declaration.field import Refused

BODILESS = ("GET", "HEAD", "TRACE")
"""Methods whose requests have no body: it would have no meaning (RFC 9110, section 9.3.1)."""
DEFAULT_PORTS = {"http": 80, "https": 443}
"""The port of a URL that names none, by its scheme."""
LARGEST_HEADERS = 8192
"""Most characters of all header names and values together: most servers refuse a request whose headers are larger."""
LONGEST_HEADER = 4096
LONGEST_PATH = 8000
"""Most characters of a request's path and query once they are filled: many servers refuse a request line over 8 KB."""
LARGEST_BODY = 1024 * 1024
"""Most bytes of a body once it is filled."""
LONGEST_PARAMETER_NAME = 128
# RFC 9110, 5.6.2 (token) and 5.5 (field values; of those, ASCII alone, and no folding).
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}", re.ASCII)
FRAMING = frozenset(
    ("connection", "content-length", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade")
)
"""Headers, in lower case, of the connection or the framing of a request, which jobs cannot set (RFC 9110, 7.6.1; RFC 9112, 6)."""
SIGNATURE_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")
"""Headers, in lower case, of the signature of a request, by Standard Webhooks."""
EXPECTED_STATUS = re.compile(r"[2-5][0-9][0-9]|[2-5]xx", re.ASCII)
_OF_THE_RUN = re.compile(r"(?i)minutehand-.*|idempotency-key|host")
NOT_IN_FILLED_VALUE = re.compile(r"[^\t\x20-\x7e\x80-\xff]")
"""What no header value may contain once it is filled: control characters, and what Latin-1 lacks."""
_NOT_IN_VALUE = re.compile(r"[^\t\x20-\x7e]")
_NOT_IN_URL = re.compile(r"[^!-~]|[\"<>\\^`{|}]")
_HOST_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?\.?", re.ASCII)
CLOUD_MAP_NAME = re.compile(r"[A-Za-z0-9_.-]{1,253}", re.ASCII)
"""Names of namespaces and services in AWS Cloud Map."""
_URL = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#]*)(?P<rest>.*)", re.ASCII)
_WRITE_URL = "write https://host/path"


class Place(NamedTuple):
    """The parts of a URL, by which its host is judged and called.

    Attributes:
        host: in lower case; an address as people write it, IPv6 without brackets.
        rest: path, query and fragment, as given.
    """

    scheme: str
    host: str
    port: int
    rest: str

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.rest}"


def place_of(text: str) -> Place:
    """Parse an http or https URL with a host and without user or password, as a call parses it.

    Raises:
        Refused: for any other text.
    """
    # Only saving a job needs these, and with them ipaddress and urllib3.
    from urllib3.exceptions import LocationParseError  # noqa: PLC0415
    from urllib3.util import parse_url  # noqa: PLC0415

    from minutehand.targets.http.addresses import spelled  # noqa: PLC0415

    found = _NOT_IN_URL.search(text)
    if found:
        hint = "percent-encode it"
        if text.startswith("{{", found.start()):
            hint = "a URL is no template: write values of the run into target.query, or into the body or a header"
        raise Refused(f"{found[0]!a} is not allowed in a URL", hint, found.start())
    parts = _URL.fullmatch(text)
    if parts is None:
        raise Refused("the URL does not begin with http:// or https://", _WRITE_URL)
    if "@" in parts["authority"]:
        raise Refused("the URL contains a user or password", "send an Authorization header instead")
    if "%" in parts["authority"]:
        hint = "write a name in its ASCII form (xn--…), and an address without zone identifier"
        raise Refused("the host contains a %", hint)
    try:
        url = parse_url(text)
    except LocationParseError:
        raise Refused("this is not a URL: check its host and its port", _WRITE_URL) from None
    host = (url.host or "").strip("[]")
    address = spelled(host)
    if not address and not _HOST_NAME.fullmatch(host):
        raise Refused("the URL names no host", _WRITE_URL)
    if url.port == 0:
        raise Refused("no server listens on port 0", "leave the port out, or give 1 to 65535")
    scheme = parts["scheme"]
    return Place(scheme, str(address) if address else host, url.port or DEFAULT_PORTS[scheme], parts["rest"])


def normal_url(text: str) -> str:
    """A valid URL in the form in which it is stored, so that each place has one: the host in lower case, an address as people write it,
    the port without zeros before it, and without that of the scheme."""
    return str(place_of(text))


def check_url(text: str) -> None:
    """Refuse any text but an http or https URL with a host and without user, password or fragment."""
    place_of(text)
    if "#" in text:
        hint = "remove the # and what follows it; a # that is part of the path or the query is written %23"
        raise Refused("the URL has a fragment, which no request carries", hint, text.index("#"))


def check_endpoint(text: str) -> None:
    """Refuse any text but the URL of an endpoint: an origin, perhaps with a base path."""
    place_of(text)
    found = re.search(r"[?#]", text)
    if found:
        hint = "write the origin alone, such as https://10.0.3.7:8443, or with a base path"
        raise Refused("an endpoint has no query and no fragment", hint, found.start())


def check_cloud_map_name(text: str) -> None:
    """Refuse what cannot be the name of a namespace or a service in AWS Cloud Map."""
    if not CLOUD_MAP_NAME.fullmatch(text):
        hint = "write the name, not the ARN or the id, such as shop.internal"
        raise Refused(f"{text!r:.60} is not a name in AWS Cloud Map", hint)


def check_header_name(name: str) -> None:
    """Refuse any text but the name of a header that a job may set."""
    if not TOKEN.fullmatch(name):
        raise Refused(
            "this is not a header name", "write 1 to 128 letters, digits and hyphens, such as X-Request-Source"
        )
    if name.lower() in FRAMING or is_of_the_run(name):
        raise Refused(*_set_by_the_worker(name))


def _set_by_the_worker(name: str) -> tuple[str, str]:
    """Why a job cannot set a header that the worker sends, and the hint."""
    match name.lower():
        case "host":
            source = "from the URL"
        case "idempotency-key":
            source = "with the run's own key"
        case framing if framing in FRAMING:
            source = "to fit the body and the connection"
        case _:
            own = "remove it: each request has Minutehand-Job, Minutehand-Run-Id and others, with the run's own values"
            return f"{name} is reserved: the worker itself sends all headers that begin with Minutehand-", own
    return f"the worker itself sends {name}, {source}", "remove it"


def is_of_the_run(name: str) -> bool:
    """Whether a header tells a target which run calls it, or where: a job that set it could pass for another one."""
    return bool(_OF_THE_RUN.fullmatch(name))


def check_header_value(value: str) -> None:
    """Refuse any text but the value of a header: visible ASCII, with blanks and tabs only in between."""
    if len(value) > LONGEST_HEADER:
        raise Refused(f"this has {len(value):,} characters; {LONGEST_HEADER:,} is the most", "shorten it")
    without(_NOT_IN_VALUE, value, "write plain ASCII in one line")
    if value != value.strip():
        raise Refused("a header value cannot begin or end with a blank", "leave the blank out")


def check_headers(given: Mapping[str, str]) -> None:
    """Refuse headers whose names differ only in case, or that are too large together for most servers."""
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


def check_parameter_name(name: str) -> None:
    """Refuse any text but the name of a parameter of a query or a form."""
    if not 1 <= len(name) <= LONGEST_PARAMETER_NAME:
        raise Refused(
            f"the name has {len(name)} characters", f"give 1 to {LONGEST_PARAMETER_NAME}; it is percent-encoded for you"
        )
    one_line(name)


def check_expected_status(text: str) -> None:
    """Refuse any text but the status of an answer, or a class of statuses."""
    if not EXPECTED_STATUS.fullmatch(text):
        near = text.lower()
        hint = f"did you mean {near}? " if EXPECTED_STATUS.fullmatch(near) else ""
        raise Refused(
            f"{text!r:.60} is not the status of an answer", f"{hint}write a status (204) or a class of statuses (2xx)"
        )


def check_pattern(text: str) -> None:
    """Refuse any text but a pattern of an answer's body that RE2 knows and searches in a short time."""
    if text:
        from minutehand.targets.http.patterns import compiled  # noqa: PLC0415 - few jobs have a pattern, and RE2 is a library in C++

        compiled(text)


def check_certificates(text: str) -> None:
    """Refuse any text but certificates in PEM."""
    if text:
        from minutehand.targets.http import tls  # noqa: PLC0415 - few jobs have certificates

        tls.check_certificates(text)


def check_reference(text: str) -> None:
    """Refuse any text but nothing, or a reference to a secret."""
    if text:
        from minutehand.domain.secret_reference import SecretReference  # noqa: PLC0415 - few jobs have secrets

        SecretReference.parse(text)
