"""What the fields of answers to agents must be: a wrong one is refused where it is read, before it can end an agent with its commands."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

_LONGEST = 86_400
"""Most seconds between two heartbeats, or two parts of a log, that an agent believes."""


class Kind(NamedTuple):
    """What a field must be, in words, and whether a value is that."""

    words: str
    fits: Callable[[Any], bool]


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53


def _seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _LONGEST


def _attempts(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, dict) and _text(each.get("job")) and _text(each.get("run_id")) and _whole(each.get("attempt"))
        for each in value
    )


def _instant(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        return False


def _or_null(kind: Kind) -> Kind:
    return Kind(f"{kind.words} or null", lambda value: value is None or kind.fits(value))


_TEXT = Kind("a text", _text)
_BOOLEAN = Kind("true or false", lambda value: isinstance(value, bool))
_EVERY = Kind(f"a number of seconds up to {_LONGEST}", _seconds)
_DOCUMENT = Kind("an object", lambda value: isinstance(value, dict))
KINDS: Mapping[str, Kind] = {
    "job": _TEXT,
    "run_id": _TEXT,
    "attempt": Kind("a whole number", _whole),
    "node": Kind("an object with a text `asked`", lambda value: isinstance(value, dict) and _text(value.get("asked"))),
    "pool_queue_url": _TEXT,
    "inbox_url": _TEXT,
    "region": _TEXT,
    "beat_every": _EVERY,
    "registered": _BOOLEAN,
    "asked": _TEXT,
    "unwanted": Kind("a list of attempts", _attempts),
    "items": Kind("a list of objects", lambda value: isinstance(value, list) and all(map(_DOCUMENT.fits, value))),
    "decision": _TEXT,
    "order": _or_null(_DOCUMENT),
    "seconds": _or_null(Kind("a whole number", _whole)),
    "recorded": _BOOLEAN,
    "problem": _or_null(_TEXT),
    "url": _or_null(_TEXT),
    "every": _EVERY,
    "access_key_id": _TEXT,
    "secret_access_key": _TEXT,
    "session_token": _TEXT,
    "expires_at": Kind("an instant in RFC 3339", _instant),
}
"""The kinds of fields, by their names, which mean the same in all answers."""
