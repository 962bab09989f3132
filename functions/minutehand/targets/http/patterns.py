"""Patterns that the body of an answer must match, searched by RE2 in a time that is linear in the length of the text."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2

from minutehand.domain.declaration.field import Refused

SEARCHED = 256 * 1024
"""Bytes of a body that are searched."""
LARGEST = 500
"""Most instructions of a compiled pattern. The longest search takes about as many steps as instructions times bytes: half a second."""
_MEMORY = 8 << 20
_HINT = "write it in the syntax of github.com/google/re2/wiki/Syntax"


@lru_cache(maxsize=64)
def compiled(pattern: str) -> Any:
    """A compiled pattern.

    Raises:
        Refused: if it is no regular expression, has parts that RE2 does not know (look-around, references), or would take too long.
    """
    options = re2.Options()
    options.max_mem = _MEMORY
    options.never_capture = True
    options.log_errors = False
    try:
        made = re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        why = error.args[0]
        said = why.decode("utf-8", "replace") if isinstance(why, bytes) else str(error)
        raise Refused(f"this pattern cannot be read: {said:.200}", _HINT) from None
    if made.programsize > LARGEST:
        raise Refused(
            f"this pattern has {made.programsize:,} steps when its repetitions are written out; {LARGEST} is the most",
            "repeat less often, or leave out what the answer need not have",
        )
    return made


def is_found(pattern: str, text: str) -> bool:
    """Whether a pattern matches somewhere in the first `SEARCHED` bytes of a text.

    Raises:
        Refused: if the pattern is invalid; a saved one is not.
    """
    return compiled(pattern).search(text[:SEARCHED].encode()[:SEARCHED]) is not None
