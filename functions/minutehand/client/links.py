"""Which links of the API's answers are followed to upload data, so that a stack whose answers are forged reaches nothing else."""

import socket
from ipaddress import ip_address

from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from minutehand.client.errors import AnswerError


def check_link(link: str, api: str) -> None:
    """Refuse a link that leads where an API at the address `api` has no business.

    By HTTPS alone, unless the API itself has none. To an address within a machine or a network only if the API's is one, too. A name
    may have such an address, as those of S3 have behind a VPC endpoint: there the certificate says whose host it is.

    Raises:
        AnswerError: for such a link.
    """
    here = parse_url(api)
    try:
        there = parse_url(link)  # as the request reads it
    except LocationParseError:
        raise _refused(api, "one that is no URL") from None
    if there.scheme not in ("http", "https") or not there.host or there.auth is not None:
        raise _refused(api, "one that is none of HTTP")
    if there.scheme == "http" and here.scheme == "https":
        raise _refused(api, f"one without TLS, at {there.host:.200}")
    if _inside(there.host, by_name=there.scheme == "http") and not _inside(here.host or "", by_name=True):
        raise _refused(api, f"one into a private network, at {there.host:.200}")


def _inside(host: str, *, by_name: bool) -> bool:
    """Whether an address is not a public one. by_name: whether to look up that of a name."""
    try:
        return not ip_address(host.strip("[]")).is_global
    except ValueError:
        if host == "localhost" or host.endswith(".localhost"):
            return True
    try:
        found = socket.getaddrinfo(host, None) if by_name else []
    except (OSError, UnicodeError):  # the request will tell
        return False
    return any(not ip_address(str(address[0]).partition("%")[0]).is_global for *_, address in found)


def _refused(api: str, what: str) -> AnswerError:
    return AnswerError(
        f"the API at {api} links to a store that is not used: {what}",
        hint="an upload goes by HTTPS to a public address or to the name of one",
    )
