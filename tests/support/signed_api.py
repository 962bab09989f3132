"""The API behind a gateway that checks the signatures of AWS IAM."""

from __future__ import annotations

from typing import Any

from minutehand.domain.role_map import parse_principals
from tests.support.api_server import ApiServer
from tests.support.http_server import Request
from tests.support.signatures import signed_by

PRINCIPAL = "arn:aws:sts::111122223333:assumed-role/deploy/ci-42"
KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"


class SignedApi(ApiServer):
    """The API behind a gateway that checks signatures, and names their principal as API Gateway does."""

    principals = parse_principals(f"{PRINCIPAL}=admin:shop")

    def event(self, request: Request, path: str) -> dict[str, Any]:
        event = super().event(request, path)
        event["requestContext"] |= {
            "stage": "iam",
            "identity": {"userArn": PRINCIPAL if signature_of(request) else None},
        }
        return event


def signature_of(request: Request, secret: str = SECRET) -> tuple[str, str] | None:
    """The access key and the scope of a request's signature; None if it is wrong."""
    body = (request.raw or "").encode()
    return signed_by(request.method, request.target, request.headers, body, {KEY: secret})
