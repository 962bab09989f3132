"""Strict parsing of a request: JSON body, query parameters and headers. A `BadRequest` says what is wrong and where."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from types import NoneType
from typing import Any

from minutehand.domain.declaration.checks import NAME
from minutehand.domain.errors import FieldProblem
from minutehand.domain.instants import LATEST, from_text, to_text
from minutehand.domain.job import MOST_PARENTS
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import ACTIVE, RunState
from minutehand.entrypoints.api.documents.query import LARGEST_PAGE
from minutehand.entrypoints.api.problems import BadRequest, TooLarge, bad_request

LARGEST_BODY = 256 * 1024
"""Maximum size of a body, in bytes. A job and its recent revisions are one DynamoDB item, which holds at most 400 KB."""
DEEPEST = 100
"""Maximum nesting of a body: a deeper one might be parsed and then exceed the recursion limit when it is written."""

_KINDS = {NoneType: "null", bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list"}
_CONSTANT = re.compile(r'"(?:\\.|[^"\\])*"|(-?Infinity|NaN)')


def json_object(event: Mapping[str, Any], *, into: str = "the payload") -> dict[str, Any]:
    """Parse the body as a JSON object. into: the field that may hold the address of data
    stored elsewhere; the error about a too large body names it.

    Raises:
        BadRequest: when it is not a JSON object; with line and column of a syntax error.
        TooLarge: above `LARGEST_BODY` bytes.
    """
    text = _body(event, into)
    if not text.strip():
        raise bad_request("", "the body is empty", "send a JSON object")
    document = json_value(text)
    if not isinstance(document, dict):
        raise bad_request("", f"the body is {json_kind(document)}", "send a JSON object: {…}")
    return document


def optional_object(event: Mapping[str, Any]) -> dict[str, Any]:
    """Parse the body as `json_object` does; an absent body is an empty object."""
    return json_object(event) if has_body(event) else {}


def has_body(event: Mapping[str, Any]) -> bool:
    """Whether the body has anything but whitespace."""
    return bool(_body(event).strip())


def no_body(event: Mapping[str, Any]) -> None:
    """Refuse a body in a request that takes none, since the body would be ignored. An empty object passes."""
    if re.sub(r"\s", "", _body(event)) not in ("", "{}"):
        raise bad_request("", "this takes no body", "leave it out")


def json_kind(value: object) -> str:
    """The kind of a JSON value, in words."""
    return _KINDS.get(type(value), "an object")


def query_of(event: Mapping[str, Any], known: Collection[str], repeatable: Collection[str] = ()) -> dict[str, str]:
    """The query parameters. Unknown ones are refused: if a misspelt `dryrun` were ignored, the request would save. Repeated ones
    are refused too, unless they are `repeatable`: see `each_of`."""
    given: Mapping[str, str] = event.get("queryStringParameters") or {}
    unknown = [name for name in given if name not in known]
    if unknown:
        raise BadRequest(*(_unknown_parameter(name, known) for name in unknown))
    every: Mapping[str, Collection[str]] = event.get("multiValueQueryStringParameters") or {}
    repeated = [
        FieldProblem(path=name, message=f"this is given {len(values)} times", hint="give it once")
        for name, values in every.items()
        if len(values) > 1 and name not in repeatable
    ]
    if repeated:
        raise BadRequest(*repeated)
    halves = [name for name in given if not all(map(_is_text, each_of(event, name)))]
    if halves:
        raise bad_request(halves[0], "this contains half of a surrogate pair", "send whole characters in UTF-8")
    return dict(given)


def each_of(event: Mapping[str, Any], name: str) -> Sequence[str]:
    """The values of a query parameter that may be repeated, in order."""
    every: Mapping[str, Sequence[str]] = event.get("multiValueQueryStringParameters") or {}
    given: Mapping[str, str] = event.get("queryStringParameters") or {}
    return every.get(name) or ([given[name]] if name in given else [])


def limit_of(query: Mapping[str, str], default: int, most: int = LARGEST_PAGE) -> int:
    """The parameter `limit`: 1 to `most`."""
    return number_of(query, "limit", default, "not a page size", most=most)


def number_of(query: Mapping[str, str], name: str, default: int, wrong: str, *, most: int = LARGEST_PAGE) -> int:
    """A parameter that is a number from 1 to `most`. wrong: the error about any other text, such as "not a page size"."""
    text = query.get(name, str(default))
    if not re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) or not 1 <= int(text) <= most:
        raise bad_request(name, f"{text!r:.60} is {wrong}", f"give a number from 1 to {most}")
    return int(text)


def instant_of(query: Mapping[str, str], name: str, *, earliest: datetime | None = None) -> datetime | None:
    """A parameter that is an instant in RFC 3339, from `earliest` to `LATEST`; None when absent."""
    text = query.get(name)
    if text is None:
        return None
    hint = "write it in UTC, such as 2026-11-20T09:00:00Z; in a query, + means a space, so write %2B"
    try:
        instant = from_text(text)
    except ValueError:
        raise bad_request(name, f"{text!r:.60} is not an instant with an offset", hint) from None
    if earliest is not None and instant < earliest:
        raise bad_request(name, f"{text!r:.60} is too long ago", f"{to_text(earliest)} is the earliest")
    if instant > LATEST:
        raise bad_request(name, f"{text!r:.60} is too far ahead", f"{to_text(LATEST)} is the latest")
    return instant


def dry_run_of(query: Mapping[str, str]) -> bool:
    """The parameter `dry_run`: `true` or `false`; false when absent."""
    return flag_of(query, "dry_run") or False


def flag_of(query: Mapping[str, str], name: str) -> bool | None:
    """A parameter that is `true` or `false`; None when absent."""
    text = query.get(name)
    if text not in (None, "true", "false"):
        raise bad_request(name, f"{text!r:.60} is neither true nor false", "give true or false")
    return None if text is None else text == "true"


def states_of(query: Mapping[str, str]) -> frozenset[RunState]:
    """The parameter `state`: a run state, `active` for all that have not ended, or `attention` for those that failed, timed out or were
    lost; empty when absent."""
    text = query.get("state")
    if text is None:
        return frozenset()
    if text == "active":
        return ACTIVE
    if text == "attention":
        return frozenset(state for state in RunState if state.wants_attention)
    found = frozenset(state for state in RunState if state.value == text)
    if not found:
        names = ", ".join(state.value for state in RunState)
        raise bad_request("state", f"{text!r:.60} is not a run state", f"give active, attention, or one of: {names}")
    return found


def expected_of(query: Mapping[str, str], *, dry_run: bool) -> frozenset[JobKey]:
    """The parameter `expected`: full job names, joined by commas; accepted only in a dry run."""
    text = query.get("expected")
    if text is None:
        return frozenset()
    if not dry_run:
        raise bad_request("expected", "this requires dry_run=true", "save those jobs first, and leave it out")
    keys = [JobKey(*each.partition("/")[::2]) for each in text.split(",")]
    if len(keys) > MOST_PARENTS or not all(NAME.fullmatch(part) for key in keys for part in key):
        hint = f"give up to {MOST_PARENTS} as namespace/name, joined by commas"
        raise bad_request("expected", f"{text!r:.60} is not a list of jobs", hint)
    return frozenset(keys)


def header_of(event: Mapping[str, Any], wanted: str) -> str | None:
    """The header with this name in lower case; None when it is absent."""
    headers: Mapping[str, str] = event.get("headers") or {}
    return next((value for name, value in headers.items() if name.lower() == wanted), None)


def _unknown_parameter(name: str, known: Collection[str]) -> FieldProblem:
    near = get_close_matches(name.lower().replace("-", "_"), known, n=1)
    names = f"the parameters are: {', '.join(sorted(known))}" if known else "leave it out: this takes no parameters"
    hint = f"did you mean `{near[0]}`?" if near else names
    return FieldProblem(path=name[:60], message="unknown query parameter", hint=hint)


def _body(event: Mapping[str, Any], into: str = "the payload") -> str:
    body: str = event.get("body") or ""
    encoded = event.get("isBase64Encoded")
    try:
        raw = base64.b64decode(body, validate=True) if encoded else body.encode(errors="surrogatepass")
        if len(raw) > LARGEST_BODY:
            raise TooLarge(
                f"the request's body has {len(raw):,} bytes; {LARGEST_BODY:,} is the most; "
                f"store large data elsewhere and put its address into {into}"
            )
        return raw.decode() if encoded else body
    except (binascii.Error, UnicodeDecodeError):
        raise bad_request("", "the body is not UTF-8 text", "send JSON in UTF-8") from None


def json_value(text: str) -> Any:
    """Parse a text as JSON. Repeated names, values that JSON does not have, and nesting beyond `DEEPEST` are refused.

    Raises:
        BadRequest: with one problem, without a path.
    """
    try:
        document = json.loads(text, object_pairs_hook=_object, parse_constant=lambda name: _refuse_constant(name, text))
    except json.JSONDecodeError as error:
        raise bad_request("", f"the body is not JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:  # the standard library refuses integers of more than 4,300 digits
        raise bad_request("", "the body contains a number with thousands of digits", "send it as text") from None
    level: list[Any] = [document]
    for _ in range(DEEPEST + 1):
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return document
    raise _too_deep()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise bad_request("", f"the body names {twice!r:.80} twice in one object", "keep one of the two")
    return found


def _refuse_constant(name: str, text: str) -> Any:
    before = next(text[: found.start(1)] for found in _CONSTANT.finditer(text) if found[1])
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    message = f"the body is not JSON: line {line}, column {column}: {name} is not a JSON value"
    raise bad_request("", message, "send null, or text")


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, list):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        raise bad_request("", "the body contains a number beyond 1.8e308", "send it as text")
    if isinstance(value, str) and not _is_text(value):
        message = "the body contains half of a surrogate pair, such as \\ud83d alone"
        raise bad_request("", message, "send whole characters")
    return ()


def _is_text(text: str) -> bool:
    """Whether a text can be written in UTF-8; half of a surrogate pair cannot."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _too_deep() -> BadRequest:
    return bad_request("", f"the body is nested more than {DEEPEST} levels deep", "send deeper parts as text")
