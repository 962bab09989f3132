"""What a job of another scheduler does: it calls the target, and says when it began. The same for all, so it stands on nothing."""

from __future__ import annotations

import time
import urllib.request

BEGUN = "begun"
"""The header with the time at which the job began: seconds since 1970."""


def call(url: str) -> None:
    """POST nothing to a URL on this machine, with the time."""
    begun = repr(time.time())
    request = urllib.request.Request(url, data=b"", method="POST", headers={BEGUN: begun})  # noqa: S310 - http by construction
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
        answer.read()
