"""The fields of an HTTP target."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import ClassVar

DEFAULT_PORTS = {"http": 80, "https": 443}
"""The port of a URL that names none, by its scheme."""
RESERVED_HEADERS = frozenset(
    ("connection", "content-length", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade")
)
"""In lower case: headers that belong to the connection or to the framing of a request (RFC 9110, 7.6.1; RFC 9112, 6), so jobs cannot set them."""


class Mode(Enum):
    """When the answer to a request counts as the run's answer."""

    AUTO = "auto"
    """At once, except after 202 Accepted: then the target reports later."""
    SYNC = "sync"
    """At once: any 2xx is success."""
    CALLBACK = "callback"
    """Later: any 2xx means that the target accepted the work and will report."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpTarget:
    """One HTTP request.

    Attributes:
        method: GET, HEAD, POST, PUT, PATCH or DELETE.
        url: http or https, without user or password.
        headers: names and values, sent after the product's own; they replace those of the same name.
        mode: when the answer counts as the run's answer.
        heartbeat: the longest time between signs of life of a target that reports later; None if it sends none.
    """

    type: ClassVar[str] = "http"

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    mode: Mode = Mode.AUTO
    heartbeat: timedelta | None = None

    @property
    def may_answer_later(self) -> bool:
        """Whether the target may report after the request has ended."""
        return self.mode is not Mode.SYNC
