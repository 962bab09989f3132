"""Answers to CloudFormation, for functions behind custom resources."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import urllib3

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 4096
"""Longest answer that CloudFormation takes, in bytes."""
_CUT = " …"


def answer_to(event: Mapping[str, Any], physical_id: str) -> dict[str, str]:
    """The answer of success to an event. What the event lacks is empty, so that even a damaged one gets an answer."""
    named = {name: str(event.get(name, "")) for name in ("StackId", "RequestId", "LogicalResourceId")}
    return {"Status": "SUCCESS", "PhysicalResourceId": physical_id, **named}


def fitting(answered: Mapping[str, str]) -> dict[str, str]:
    """The answer with a reason that is short enough for CloudFormation."""
    spare = LONGEST - len(_encoded({**answered, "Reason": _CUT}))
    reason = answered["Reason"]
    if len(json.dumps(reason)) > spare:
        # A character takes up to twelve bytes, so this finds the longest beginning that fits.
        low, high = 0, len(reason)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if len(json.dumps(reason[:middle])) <= spare else (low, middle - 1)
        reason = reason[:low] + _CUT
    return {**answered, "Reason": reason}


def send(url: str, answered: Mapping[str, str]) -> None:
    """Send an answer to a presigned URL.

    Raises:
        urllib3.exceptions.HTTPError: if it cannot be sent.
        RuntimeError: if it is refused.
    """
    # The URL is signed for an empty content type. PUT is idempotent, so it is retried.
    response = urllib3.request(
        "PUT",
        url,
        body=_encoded(answered),
        headers={"Content-Type": ""},
        timeout=urllib3.Timeout(connect=5, read=10),
        retries=urllib3.Retry(total=3, backoff_factor=0.5, status_forcelist=(500, 502, 503, 504)),
    )
    if response.status >= 300:
        raise RuntimeError(f"CloudFormation's answer URL refused the answer with status {response.status}")


def _encoded(answered: Mapping[str, str]) -> bytes:
    return json.dumps(answered).encode()
