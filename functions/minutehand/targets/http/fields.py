"""The fields of an HTTP target."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Annotated, Any, ClassVar, NamedTuple

from minutehand.domain.declaration.field import Field, Pairs
from minutehand.targets.http.endpoint_fields import Endpoints
from minutehand.targets.http.texts import (
    EXPECTED_STATUS,
    TOKEN,
    check_certificates,
    check_expected_status,
    check_header_name,
    check_header_value,
    check_headers,
    check_parameter_name,
    check_pattern,
    check_reference,
    check_url,
    normal_url,
)

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
MOST_REDIRECTS = 5
"""The most redirects that a job may have followed."""


class Mode(Enum):
    """Whether an expected answer to the request ends the attempt, or the target reports on the attempt later."""

    AUTO = "auto"
    """An expected answer ends the attempt, except 202 Accepted: then the target reports later."""
    SYNC = "sync"
    """Any expected answer ends the attempt, with success."""
    CALLBACK = "callback"
    """No expected answer ends the attempt: it means that the target accepted the work and will report later."""


_PARAMETER_NAME = "^.{1,128}$"


class Body(NamedTuple):
    """The body of the request. Exactly one field is given."""

    json: Annotated[
        Any,
        Field(
            "Any JSON value, whose texts are templates. A text that is one placeholder and nothing else becomes the value, with its type.",
            examples=({"customer": "{{payload.customer}}", "day": "{{scheduled_for}}"},),
        ),
    ] = None
    form: Annotated[
        Pairs,
        Field(
            "The fields of a form, in the order of their names. The values are templates.",
            most=64,
            check=check_parameter_name,
            pattern=_PARAMETER_NAME,
        ),
    ] = ()
    text: Annotated[str, Field("A text, which is a template.", most=100_000)] = ""


_REFERENCE = "^((ssm:/|secretsmanager:).+)?$"


class Tls(NamedTuple):
    """How the server proves who it is, and the worker who calls."""

    ca: Annotated[
        str,
        Field(
            "Certificates of authorities to trust besides the system's, in PEM.", most=16_384, check=check_certificates
        ),
    ] = ""
    client_certificate: Annotated[
        str,
        Field(
            "Reference to a secret with a certificate and its private key, in PEM, by which the server recognizes the caller.",
            most=1_200,
            check=check_reference,
            pattern=_REFERENCE,
            examples=("secretsmanager:shop/client-certificate",),
            needs="client_certificate",
        ),
    ] = ""


class Expect(NamedTuple):
    """What an answer must be like. Any other fails the attempt."""

    status: Annotated[
        tuple[str, ...],
        Field(
            "Statuses, one of which the answer has: a status (404) or a class (2xx).",
            most=32,
            check=check_expected_status,
            pattern=f"^({EXPECTED_STATUS.pattern})$",
            numbers=True,
            examples=(["2xx", "404"],),
        ),
    ] = ("2xx",)
    body: Annotated[
        str,
        Field(
            "A regular expression in RE2's syntax that matches somewhere in the first 256 KiB of the body. By default, any body is expected.",
            most=500,
            check=check_pattern,
            examples=('"status": *"(ok|done)"',),
        ),
    ] = ""

    def includes(self, status: int) -> bool:
        """Whether an answer may have this status."""
        return str(status) in self.status or f"{status // 100}xx" in self.status


ANY_2XX = Expect()
"""The default of `expect`."""
SYSTEM_AUTHORITIES = Tls()
"""The default of `tls`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpTarget:
    """One HTTP request. An expected answer is success, or accepts the work for a later report."""

    type: ClassVar[str] = "http"
    taken_over_when_silent: ClassVar[bool] = False

    method: Annotated[str, Field("The request's method.", choices=METHODS)] = "POST"
    url: Annotated[
        str,
        Field(
            "An http or https URL with a host, without user, password or fragment (`#…`). Forbidden addresses and hosts outside "
            "AllowedTargets are refused.",
            most=2000,
            check=check_url,
            normal=normal_url,
            format="uri",
            pattern="^https?://[^#]*$",
        ),
    ]
    endpoints: Annotated[
        Endpoints | None,
        Field(
            "Several places where the target answers. For each call one of them replaces scheme, host and port of `url`; path and query stay.",
            needs="endpoints",
        ),
    ] = None
    headers: Annotated[
        Pairs,
        Field(
            "Headers to send, stored and shown as given; 8,192 ASCII characters in all. The values are templates, which may name secrets. Refused are those that the "
            "worker sets itself: Host, Idempotency-Key, Minutehand-*, and framing (Content-Length, Connection and the like).",
            most=32,
            check=check_header_name,
            check_value=check_header_value,
            whole=check_headers,
            pattern=f"^{TOKEN.pattern}$",
        ),
    ] = ()
    query: Annotated[
        Pairs,
        Field(
            "Parameters that are added to the URL's query, in the order of their names. The values are templates; "
            "they are percent-encoded.",
            most=32,
            check=check_parameter_name,
            pattern=_PARAMETER_NAME,
            examples=({"day": "{{scheduled_for}}"},),
            needs="query",
        ),
    ] = ()
    body: Annotated[
        Body | None,
        Field("What to send instead of the payload. Not with the methods GET and HEAD.", needs="body"),
    ] = None
    tls: Annotated[
        Tls, Field("How the server of an https URL proves who it is, and the worker who calls.", needs="tls")
    ] = SYSTEM_AUTHORITIES
    signing_key: Annotated[
        str,
        Field(
            "Reference to the secret with the key that signs requests by Standard Webhooks, or with several keys separated by blanks.",
            most=1_200,
            check=check_reference,
            pattern=_REFERENCE,
            examples=("ssm:/shop/signing-key",),
            needs="signing_key",
        ),
    ] = ""
    redirects: Annotated[
        int,
        Field(
            "Most redirects to follow. Each is judged as the URL is; never from https to http. Other origins receive neither the "
            "job's headers nor those of the run.",
            least=0,
            most=MOST_REDIRECTS,
            needs="redirects",
        ),
    ] = 0
    expect: Annotated[Expect, Field("What an answer must be like; any other fails the attempt.", needs="expect")] = (
        ANY_2XX
    )
    mode: Annotated[
        Mode,
        Field(
            "Whether an expected answer ends the attempt: always, except 202 Accepted, after which the target reports "
            "later (auto); always (sync); never, since it only accepts the work, and the target reports later (callback)."
        ),
    ] = Mode.AUTO
    heartbeat: Annotated[
        timedelta | None,
        Field(
            "Longest time between heartbeats of a target that reports later; less than timeout. Not with mode sync.",
            least="1s",
            most="7d",
        ),
    ] = None

    @property
    def may_answer_later(self) -> bool:
        """Whether the target may report after the request has ended."""
        return self.mode is not Mode.SYNC
