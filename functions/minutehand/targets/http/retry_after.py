"""Retry-After: how long a target asks its callers to wait before they call again (RFC 9110, section 10.2.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

_SECONDS = re.compile(r"[0-9]{1,9}", re.ASCII)


def retry_after(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """The wait that an answer asks for; None if it asks for none, or in a form that RFC 9110 does not know.

    An instant is compared with the `Date` of the same answer, so that it does not matter how the target's clock is set.

    Args:
        headers: of the answer; names in any case.
        now: stands in for a missing `Date`.
    """
    text = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(text):
        return timedelta(seconds=int(text))
    until = _instant(text)
    if until is None:
        return None
    return max(until - (_instant(headers.get("date", "")) or now), timedelta(0))


def _instant(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text.strip())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
