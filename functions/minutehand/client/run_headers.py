"""Minutehand's headers of a request: which run calls, and where its target may report."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from minutehand.client.errors import ConfigurationError

_PREFIX = "minutehand-"
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_HINT = "hand over the headers as they came: Minutehand's worker sends {}"


class Headers(Protocol):
    """Request headers: a dictionary, a message of `http.server`, or a WSGI environment."""

    def items(self) -> Any:
        """The headers, each as a pair of its name, in upper or lower case, and its value."""


def headers_of_run(headers: Headers | Mapping[str, str]) -> dict[str, str]:
    """Minutehand's headers of a request, by their names in lower case without the prefix `Minutehand-`."""
    found = {}
    for name, text in headers.items():
        plain = str(name).lower().replace("_", "-").removeprefix("http-")  # WSGI writes `HTTP_MINUTEHAND_TOKEN`
        if plain.startswith(_PREFIX):
            found[plain.removeprefix(_PREFIX)] = str(text)
    return found


def number_in(found: Mapping[str, str], name: str, default: int) -> int:
    """The whole number in one of the headers that `headers_of_run` found.

    Raises:
        ConfigurationError: if it is no whole number.
    """
    text = found.get(name)
    if text is None:
        return default
    if not _NUMBER.fullmatch(text.strip()):
        raise _unreadable(name, text, "a whole number", "0, 1, 2 …")
    return int(text)


def instant_in(found: Mapping[str, str], name: str) -> datetime | None:
    """The instant in one of the headers that `headers_of_run` found, in UTC; None without the header.

    Raises:
        ConfigurationError: if it is no instant with an offset.
    """
    text = found.get(name)
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text.strip())
        in_utc = instant.astimezone(UTC) if instant.tzinfo is not None else None
    except (ValueError, OverflowError):
        in_utc = None
    if in_utc is None:
        raise _unreadable(name, text, "an instant with an offset", "2026-11-20T15:00:00Z, for instance")
    return in_utc


def _unreadable(name: str, text: str, wanted: str, sent: str) -> ConfigurationError:
    header = f"Minutehand-{name.title()}"
    return ConfigurationError(f"the header {header} is {text!r:.60}, which is not {wanted}", hint=_HINT.format(sent))
