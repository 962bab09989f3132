"""Reading a request: its JSON body and its query, strictly. What cannot be read is a `BadRequest` that says where."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any

from minutehand.domain.checks import NAME
from minutehand.domain.errors import FieldProblem
from minutehand.domain.instants import from_text, to_text
from minutehand.domain.job import MOST_PARENTS
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import ACTIVE, RunState
from minutehand.entrypoints.api.problems import BadRequest, TooLarge

LARGEST_BODY = 256 * 1024
"""Bytes. A job is one item of a table whose items hold 400 KB, its recent revisions included."""
DEEPEST = 100
"""Levels of nesting, so that what was read can be written again, however deep the call is."""
LARGEST_PAGE = 100
EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)
"""The earliest instant whose past may be asked about."""
LATEST = datetime(9900, 1, 1, tzinfo=UTC)
"""The latest instant that may be asked about: behind it there must be room for what schedules look ahead."""

_KEY = re.compile(r"[!-~]{1,128}", re.ASCII)
_CONSTANT = re.compile(r'"(?:\\.|[^"\\])*"|(-?Infinity|NaN)')


def json_object(event: Mapping[str, Any], *, into: str = "the payload") -> dict[str, Any]:
    """The request's body, a JSON object. into: where the address of what is too large may go.

    Raises:
        BadRequest: when it is not one; with line and column where the text goes wrong.
        TooLarge: when it has more bytes than `LARGEST_BODY`.
    """
    text = _body(event, into)
    if not text.strip():
        raise _bad("the body is empty", "send a JSON object")
    document = _parsed(text)
    if not isinstance(document, dict):
        raise _bad(f"the body is {json_kind(document)}", "send a JSON object: {…}")
    return document


def optional_object(event: Mapping[str, Any]) -> dict[str, Any]:
    """The request's body as `json_object` reads it; empty when it is left out."""
    return json_object(event) if has_body(event) else {}


def has_body(event: Mapping[str, Any]) -> bool:
    """Whether the request has a body of more than blanks."""
    return bool(_body(event).strip())


def no_body(event: Mapping[str, Any]) -> None:
    """Refuse a body that would be ignored; an empty object is none."""
    if re.sub(r"\s", "", _body(event)) not in ("", "{}"):
        raise _bad("this takes no body", "leave it out")


def json_kind(value: object) -> str:
    """What a JSON value is, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"


def query_of(event: Mapping[str, Any], known: Collection[str]) -> dict[str, str]:
    """The query's parameters, each given once; one that is not known is refused, since ignoring `dryrun` would save."""
    given: Mapping[str, str] = event.get("queryStringParameters") or {}
    unknown = [name for name in given if name not in known]
    if unknown:
        raise BadRequest(*(_unknown_parameter(name, known) for name in unknown))
    every: Mapping[str, Collection[str]] = event.get("multiValueQueryStringParameters") or {}
    repeated = [
        FieldProblem(path=name, message=f"this is given {len(values)} times", hint="give it once")
        for name, values in every.items()
        if len(values) > 1
    ]
    if repeated:
        raise BadRequest(*repeated)
    return dict(given)


def limit_of(query: Mapping[str, str], default: int) -> int:
    """The parameter `limit`: 1 to `LARGEST_PAGE`."""
    return number_of(query, "limit", default, "no size of a page")


def number_of(query: Mapping[str, str], name: str, default: int, wrong: str) -> int:
    """A parameter that is a number from 1 to `LARGEST_PAGE`. wrong: what any other text is."""
    text = query.get(name, str(default))
    if not re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) or not 1 <= int(text) <= LARGEST_PAGE:
        raise BadRequest(
            FieldProblem(
                path=name,
                message=f"{text!r:.60} is {wrong}",
                hint=f"give a number from 1 to {LARGEST_PAGE}",
            )
        )
    return int(text)


def instant_of(query: Mapping[str, str], name: str, *, earliest: datetime | None = None) -> datetime | None:
    """A parameter that is an instant in RFC 3339, from `earliest` up to `LATEST`; None when left out."""
    text = query.get(name)
    if text is None:
        return None
    hint = "write it in UTC, such as 2026-11-20T09:00:00Z; a + in a query is a blank, and %2B a +"
    try:
        instant = from_text(text)
    except ValueError:
        raise BadRequest(
            FieldProblem(path=name, message=f"{text!r:.60} is no instant with an offset", hint=hint)
        ) from None
    if earliest is not None and instant < earliest:
        raise BadRequest(
            FieldProblem(
                path=name, message=f"{text!r:.60} is too long ago", hint=f"{to_text(earliest)} is the earliest"
            )
        )
    if instant > LATEST:
        raise BadRequest(
            FieldProblem(path=name, message=f"{text!r:.60} is too far ahead", hint=f"{to_text(LATEST)} is the latest")
        )
    return instant


def flag_of(query: Mapping[str, str], name: str) -> bool:
    """A parameter that is `true` or `false`, and false when left out."""
    text = query.get(name, "false")
    if text not in ("true", "false"):
        raise BadRequest(
            FieldProblem(path=name, message=f"{text!r:.60} is neither true nor false", hint="give true or false")
        )
    return text == "true"


def states_of(query: Mapping[str, str]) -> frozenset[RunState]:
    """The parameter `state`: one state of runs, or `active` for all that are not finished; empty when left out."""
    text = query.get("state")
    if text is None:
        return frozenset()
    if text == "active":
        return ACTIVE
    found = frozenset(state for state in RunState if state.value == text)
    if not found:
        names = ", ".join(state.value for state in RunState)
        raise BadRequest(
            FieldProblem(
                path="state", message=f"{text!r:.60} is not a run state", hint=f"give active, or one of: {names}"
            )
        )
    return found


def jobs_of(query: Mapping[str, str], name: str, *, only_if: bool) -> frozenset[JobKey]:
    """A parameter that lists full names of jobs, joined by commas; refused unless `only_if`, a dry run."""
    text = query.get(name)
    if text is None:
        return frozenset()
    if not only_if:
        raise BadRequest(
            FieldProblem(
                path=name, message="this goes with dry_run=true alone", hint="save those jobs first, and leave it out"
            )
        )
    keys = [JobKey(*each.partition("/")[::2]) for each in text.split(",")]
    if len(keys) > MOST_PARENTS or not all(NAME.fullmatch(part) for key in keys for part in key):
        hint = f"give up to {MOST_PARENTS} as namespace/name, joined by commas"
        raise BadRequest(FieldProblem(path=name, message=f"{text!r:.60} is no list of jobs", hint=hint))
    return frozenset(keys)


def idempotency_key(event: Mapping[str, Any]) -> str:
    """The header `Idempotency-Key`; one of our own when it is left out."""
    headers: Mapping[str, str] = event.get("headers") or {}
    given = next((value for name, value in headers.items() if name.lower() == "idempotency-key"), None)
    if given is None:
        return secrets.token_hex(16)
    if not _KEY.fullmatch(given):
        raise BadRequest(
            FieldProblem(
                path="Idempotency-Key",
                message=f"a header of {len(given)} characters that are not all visible ASCII, or too many or too few",
                hint="send 1 to 128 visible ASCII characters, such as a UUID",
            )
        )
    return given


def _unknown_parameter(name: str, known: Collection[str]) -> FieldProblem:
    near = get_close_matches(name.lower().replace("-", "_"), known, n=1)
    there_are = f"this takes: {', '.join(sorted(known))}" if known else "this takes no parameters"
    hint = f"did you mean `{near[0]}`?" if near else there_are
    return FieldProblem(path=name[:60], message="there is no such query parameter", hint=hint)


def _body(event: Mapping[str, Any], into: str = "the payload") -> str:
    body: str = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        _check_size(len(body.encode(errors="surrogatepass")), into)
        return body
    try:
        raw = base64.b64decode(body, validate=True)
        _check_size(len(raw), into)
        return raw.decode()
    except (binascii.Error, UnicodeDecodeError):
        raise _bad("the body is not UTF-8 text", "send JSON in UTF-8") from None


def _check_size(size: int, into: str) -> None:
    if size > LARGEST_BODY:
        raise TooLarge(
            f"the body has {size:,} bytes and may have {LARGEST_BODY:,}; "
            f"keep what is large elsewhere and put its address into {into}"
        )


def _parsed(text: str) -> Any:
    try:
        document = json.loads(text, object_pairs_hook=_object, parse_constant=lambda name: _refuse_constant(name, text))
    except json.JSONDecodeError as error:
        raise _bad(f"the body is not JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:  # the standard library refuses integers of more than 4,300 digits
        raise _bad("the body holds a number with thousands of digits", "send it as text") from None
    _check_values(document)
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise _bad(f"the body names {twice!r:.80} twice in one object", "keep one of the two")
    return found


def _refuse_constant(name: str, text: str) -> Any:
    before = next(text[: found.start(1)] for found in _CONSTANT.finditer(text) if found[1])
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    raise _bad(f"the body is not JSON: line {line}, column {column}: {name} is no JSON value", "send null, or text")


def _check_values(document: Any) -> None:
    level: list[Any] = [document]
    for _ in range(DEEPEST + 1):
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return
    raise _too_deep()


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, list):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        raise _bad("the body holds a number beyond 1.8e308", "send it as text")
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise _bad(
                "the body holds half of a surrogate pair, such as \\ud83d alone", "send whole characters"
            ) from None
    return ()


def _too_deep() -> BadRequest:
    return _bad(f"the body is nested more than {DEEPEST} levels deep", "send what is deeper as text")


def _bad(message: str, hint: str = "") -> BadRequest:
    return BadRequest(FieldProblem(path="", message=message, hint=hint))
