"""Redirects: the request that follows an answer which points to another URL."""

from __future__ import annotations

from urllib.parse import urljoin

from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from minutehand.targets.http.refusal import Refused
from minutehand.targets.http.request import NOTHING_PRIVATE, Request, shown
from minutehand.targets.http.texts import DEFAULT_PORTS, LONGEST_PATH

FOLLOWED = (301, 302, 303, 307, 308)
"""Statuses of answers that send the caller on (RFC 9110, section 15.4)."""
_TO_OTHERS = frozenset(("accept", "accept-encoding", "accept-language", "content-type", "user-agent"))
"""Headers, in lower case, that are also sent to another origin. All others may be credentials, or say which run calls."""
_OF_THE_BODY = ("content-", "webhook-")


def redirected(request: Request, status: int, location: str) -> Request:
    """The request that follows an answer with a `Location`.

    Its host is judged when the connection is opened, as that of the first one. After 303 the method is GET, and after 301 and 302 that of
    a POST is, as in browsers; the body is then left out (RFC 9110, section 15.4). Another origin (scheme, host or port) receives only
    harmless headers without a secret, and so do all later ones.

    Raises:
        Refused: `Redirect`, if the location is no URL, has a user or password, leads from https to http, or if another origin would receive
            a body with a secret.
    """
    url = _url(request, location)
    where = f"{request.where} answered {status} and points to {shown(url)}"
    tls = url.scheme == "https"
    if request.tls and not tls:
        raise Refused("Redirect", f"{where}: a redirect from https to http is never followed")
    if url.auth:
        raise Refused("Redirect", f"{where}: a redirect to a URL with a user or password is not followed")
    if len(url.request_uri) > LONGEST_PATH:
        raise Refused("Redirect", f"{where}, whose path and query are longer than {LONGEST_PATH:,} characters")
    host, port = (url.host or "").strip("[]"), url.port or DEFAULT_PORTS[url.scheme or ""]
    method, body, headers, private = request.method, request.body, request.headers, request.private
    if (status == 303 and method != "HEAD") or (status in (301, 302) and method == "POST"):
        method, body = "GET", None
        headers = tuple(each for each in headers if not each[0].lower().startswith(_OF_THE_BODY))
    if (tls, host.lower(), port) != (request.tls, request.host.lower(), request.port):
        if body is not None and private.body:
            raise Refused("Redirect", f"{where}, another origin, which must not receive the secret in target.body")
        headers = tuple(each for each in headers if each[0].lower() in _TO_OTHERS - private.headers)
        private = NOTHING_PRIVATE
    return Request(method, tls, host, port, url.request_uri, headers, body, f"{method} {shown(url)}", private)


def _url(request: Request, location: str) -> Url:
    try:
        url = parse_url(urljoin(request.url, location))
    except (LocationParseError, ValueError):
        url = Url()
    if url.scheme not in DEFAULT_PORTS or not url.host:
        raise Refused("Redirect", f"{request.where} answered with a redirect to what is no http or https URL")
    return url
