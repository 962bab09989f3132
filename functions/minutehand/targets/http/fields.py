"""The fields of an HTTP target."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Annotated, ClassVar

from minutehand.domain.declaration import Field, Pairs
from minutehand.targets.http import field_checks

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

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
    """One HTTP request. A 2xx answer is success, or accepts the work for a later report."""

    type: ClassVar[str] = "http"

    method: Annotated[str, Field("The request's method.", choices=METHODS)] = "POST"
    url: Annotated[
        str,
        Field(
            "An http or https URL with a host, without user or password. Forbidden addresses and hosts outside "
            "AllowedTargets are refused.",
            most=2000,
            check=field_checks.url,
            format="uri",
            pattern="^https?://",
        ),
    ]
    headers: Annotated[
        Pairs,
        Field(
            "Headers to send, stored and shown as given; 8,192 ASCII characters in all. Framing headers (Content-"
            "Length, Transfer-Encoding, Connection and the like) are refused.",
            most=32,
            check=field_checks.header_name,
            check_value=field_checks.header_value,
            whole=field_checks.headers,
            pattern=f"^{field_checks.TOKEN.pattern}$",
        ),
    ] = ()
    mode: Annotated[
        Mode,
        Field(
            "When the answer counts: at once, except after 202 Accepted (auto); at once, any 2xx being success "
            "(sync); later, any 2xx meaning that the target accepted the work (callback)."
        ),
    ] = Mode.AUTO
    heartbeat: Annotated[
        timedelta | None,
        Field(
            "Maximum time between heartbeats of a target that answers later; less than timeout. Not with sync.",
            least="1s",
            most="7d",
        ),
    ] = None

    @property
    def may_answer_later(self) -> bool:
        """Whether the target may report after the request has ended."""
        return self.mode is not Mode.SYNC
