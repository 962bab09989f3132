"""The headers of requests and answers that routes share: what each means, and which values it takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

KEY = re.compile(r"[!-~]{1,128}", re.ASCII)
"""An idempotency key."""
TAG = re.compile(r'(W/)?"([!#-~]*)"', re.ASCII)
"""A tag as `If-Match` has it: whether it is weak, and its text."""


class Header(NamedTuple):
    """A header. `schema` is the JSON Schema of its value."""

    name: str
    description: str
    schema: Mapping[str, Any]


_ONE_TAG = '(W/)?"[!#-~]*"'
IDEMPOTENCY_KEY = Header(
    "Idempotency-Key",
    "Repetitions of the request with the same key take effect once.",
    {"type": "string", "pattern": f"^{KEY.pattern}$", "examples": ["deploy-7"]},
)
IF_MATCH = Header(
    "If-Match",
    "Make the change only if the stored version has one of these tags; `*`: only if there is one.",
    {"type": "string", "pattern": rf"^(\*|{_ONE_TAG}(, *{_ONE_TAG})*)$", "examples": ['"7"']},
)
IF_NONE_MATCH = Header(
    "If-None-Match", "`*`: only create, and replace nothing.", {"type": "string", "enum": ["*"], "examples": ["*"]}
)
ETAG = Header("ETag", "The tag of the stored version, for `If-Match`.", {"type": "string", "examples": ['"7"']})
RETRY_AFTER = Header(
    "Retry-After", "After how many seconds to send the request again.", {"type": "string", "examples": ["1"]}
)
TAKEN = (IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH)
"""Headers of requests."""
ANSWERED = (ETAG, RETRY_AFTER)
"""Headers of answers."""
