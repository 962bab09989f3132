"""A check of AWS's signatures (SigV4), written after AWS's description of the algorithm and apart from botocore, which makes them."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from urllib.parse import quote, unquote, urlsplit

_HEADER = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<scope>[^,]+), SignedHeaders=(?P<names>[^,]+), Signature=(?P<signature>\w+)"
)


def signed_by(
    method: str, target: str, headers: Mapping[str, str], body: bytes, secrets: Mapping[str, str]
) -> tuple[str, str] | None:
    """The access key that has signed a request, and the scope (`date/region/service/aws4_request`); None for no or a wrong signature.

    Args:
        target: path and query as sent.
        headers: by names in lower case.
        secrets: the secret of each access key.
    """
    found = _HEADER.fullmatch(headers.get("authorization", ""))
    if found is None or found["key"] not in secrets:
        return None
    parts = urlsplit(target)
    names = found["names"].split(";")
    pairs = sorted(
        tuple(quote(unquote(each), safe="-_.~") for each in pair.partition("=")[::2])
        for pair in parts.query.split("&")
        if pair
    )
    request = "\n".join(
        [
            method,
            quote(parts.path, safe="/-_.~"),  # once more than it is sent, as for every service but S3
            "&".join(f"{name}={value}" for name, value in pairs),
            *(f"{name}:{' '.join(headers[name].split())}" for name in names),
            "",
            ";".join(names),
            hashlib.sha256(body).hexdigest(),
        ]
    )
    text = "\n".join(
        ["AWS4-HMAC-SHA256", headers["x-amz-date"], found["scope"], hashlib.sha256(request.encode()).hexdigest()]
    )
    key = f"AWS4{secrets[found['key']]}".encode()
    for part in found["scope"].split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    right = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return (found["key"], found["scope"]) if hmac.compare_digest(right, found["signature"]) else None
