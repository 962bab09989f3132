"""Signatures of requests by Standard Webhooks (github.com/standard-webhooks/standard-webhooks), version 1 with HMAC-SHA256. Pure."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime

from minutehand.domain.run_key import RunKey
from minutehand.targets.http.refusal import Refused
from minutehand.targets.http.request import Request
from minutehand.targets.http.texts import SIGNATURE_HEADERS

PREFIX = "whsec_"
_SIZES = range(24, 65)
"""Bytes of a key, by the specification."""


def signed(request: Request, run: RunKey, keys: Sequence[str], at: datetime) -> Request:
    """A request with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, in place of others of these names.

    The id is that of the run, the same for each attempt. While keys are replaced, each of them signs, so that a target may still know only
    the old one.

    Args:
        keys: texts such as `whsec_…`, with the key in base64; at least one.

    Raises:
        Refused: `SigningKeyInvalid`, if a key is none. The message does not contain it.
    """
    if not keys:
        raise _refused("has no key")
    identity, timestamp = identity_of(run), str(int(at.timestamp()))
    content = f"{identity}.{timestamp}.".encode("ascii") + (request.body or b"")
    signatures = (hmac.digest(_key(each), content, hashlib.sha256) for each in keys)
    texts = " ".join(f"v1,{base64.b64encode(each).decode('ascii')}" for each in signatures)
    others = tuple(each for each in request.headers if each[0].lower() not in SIGNATURE_HEADERS)
    return request._replace(headers=(*others, *zip(SIGNATURE_HEADERS, (identity, timestamp, texts), strict=True)))


def identity_of(run: RunKey) -> str:
    """The id of a run's messages. Dots separate the parts of what is signed, so the id has none: job names have no colons."""
    return f"{run.job}/{run.run_id}".replace(".", ":")


def _key(text: str) -> bytes:
    try:
        key = base64.b64decode(text.strip().removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise _refused("is not base64") from None
    if len(key) not in _SIZES:
        raise _refused(f"has {len(key)} bytes")
    return key


def _refused(why: str) -> Refused:
    hint = f"write {PREFIX} and {_SIZES.start} to {_SIZES.stop - 1} random bytes in base64"
    return Refused("SigningKeyInvalid", f"target.signing_key: the signing key {why}; {hint}", final=True)
