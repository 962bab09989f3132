"""Strict reading of the headers that routes share. A `BadRequest` says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from minutehand.domain.precondition import Precondition
from minutehand.entrypoints.api.documents.headers import IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH, KEY, TAG, Header
from minutehand.entrypoints.api.forms.request import header_of
from minutehand.entrypoints.api.problems import bad_request
from minutehand.schedule.description.english import counted

_TAGS = re.compile(rf"\s*(?:{TAG.pattern}\s*(?:,\s*|$))+", re.ASCII)


def idempotency_key_of(event: Mapping[str, Any]) -> str | None:
    """The header `Idempotency-Key`; None when it is absent."""
    given = _given(event, IDEMPOTENCY_KEY)
    if given is not None and not KEY.fullmatch(given):
        message = f"this is not a valid key ({counted(len(given), 'character')})"
        raise bad_request(IDEMPOTENCY_KEY.name, message, "send 1 to 128 visible ASCII characters, such as a UUID")
    return given


def precondition_of(event: Mapping[str, Any]) -> Precondition:
    """The headers `If-Match` and `If-None-Match`: which version must be stored for the request to be carried out (RFC 9110, 13.1).

    A weak tag in `If-Match` matches nothing. Of `If-None-Match`, only `*` is known.
    """
    match, none_match = _given(event, IF_MATCH), _given(event, IF_NONE_MATCH)
    if none_match is not None and none_match.strip() != "*":
        raise bad_request(IF_NONE_MATCH.name, "only * is known, for a PUT that only creates", "send *, or leave it out")
    if match is None:
        return Precondition(absent=none_match is not None)
    if match.strip() == "*":
        return Precondition(exists=True, absent=none_match is not None)
    if not _TAGS.fullmatch(match):
        raise bad_request(
            IF_MATCH.name,
            f"{match!r:.60} is not a list of tags",
            'send the ETag of an answer with its quotes, such as "7"',
        )
    tags = frozenset(tag for weak, tag in TAG.findall(match) if not weak)
    return Precondition(tags=tags, absent=none_match is not None)


def _given(event: Mapping[str, Any], header: Header) -> str | None:
    return header_of(event, header.name.lower())
