"""Cursors of paged lists. Opaque to callers: base64url of JSON with the list, its owner and the last entry."""

from __future__ import annotations

import base64
import binascii
import json
import re

from minutehand.domain.errors import FieldProblem, Invalid

_ENTRY = re.compile(r"[!-~]{1,512}", re.ASCII)


def encode(*, listing: str, of: str, last: str) -> str:
    """The cursor after the entry `last` of a list (`jobs`, `runs`) that belongs to a namespace or a job."""
    text = json.dumps([listing, of, last], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(cursor: str, *, listing: str, of: str) -> str:
    """The last entry of the page that gave the cursor.

    Raises:
        Invalid: with path `cursor`, if it is malformed or belongs to another list.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        stored = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise _refusal("this is not a cursor") from None
    match stored:
        case [str(its_listing), str(its_owner), str(last)] if _ENTRY.fullmatch(last):
            if (its_listing, its_owner) == (listing, of):
                return last
            raise _refusal(f"this cursor belongs to another list, not to the {listing} of {of}")
    raise _refusal("this is not a cursor")


def _refusal(message: str) -> Invalid:
    return Invalid(FieldProblem(path="cursor", message=message, hint="send `next` of the previous page, unchanged"))
