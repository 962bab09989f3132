"""Checks of the address and the token that a client is given."""

from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from minutehand.client.errors import ConfigurationError


def checked_url(url: str) -> str:
    """The address of an API, without a trailing slash. Raises ConfigurationError for what is none."""
    teach = "an address looks like `https://api.example.com` or `http://127.0.0.1:4566/…`, without `/v1`"
    try:
        parts = parse_url(url)
    except LocationParseError as error:
        raise ConfigurationError("the API's address is not a URL", hint=teach) from error
    if parts.auth is not None:
        raise ConfigurationError(
            "the API's address must not contain a user name or password", hint="put the token into MINUTEHAND_TOKEN"
        )
    if parts.scheme not in {"http", "https"} or not parts.host or parts.query or parts.fragment:
        raise ConfigurationError(f"{url!r} is not the address of an API", hint=teach)
    return url.rstrip("/")


def checked_token(token: str) -> str:
    """The token. Raises ConfigurationError for what can be none."""
    if not token or not token.isascii() or any(c.isspace() or not c.isprintable() for c in token):
        raise ConfigurationError(
            "the token is empty, or contains spaces, line breaks or non-ASCII characters",
            hint="copy it again, on one line and without quotes",
        )
    return token
