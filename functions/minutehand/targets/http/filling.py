"""The parts of a request that values of the run fill: parameters of the query, headers, and the body."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

from minutehand.domain.declaration import field
from minutehand.domain.declaration.field import Pairs
from minutehand.domain.template import Missing, TooLong, filled, filled_text, placeholders
from minutehand.targets.http.content import Content, json_content
from minutehand.targets.http.fields import Body
from minutehand.targets.http.refusal import Refused
from minutehand.targets.http.texts import LARGEST_BODY, LARGEST_HEADERS, LONGEST_PATH, NOT_IN_FILLED_VALUE
from minutehand.targets.run_values import value_in
from minutehand.usecases.ports.target import Call

T = TypeVar("T")
_JSON = "target.body.json"


def query_of(pairs: Pairs, call: Call) -> str:
    """Parameters as the text of a query, percent-encoded."""
    return _encoded(pairs, call, "target.query", LONGEST_PATH, lambda text: quote(text, safe="", errors="replace"))


def header_of(name: str, value: str, call: Call) -> str:
    """The value of a header that is a template. What no header can carry is refused, without naming the value."""
    path = f"target.headers.{name}"
    found = _fill(path, LARGEST_HEADERS, lambda: filled_text(value, lambda one: value_in(call, one), LARGEST_HEADERS))
    if NOT_IN_FILLED_VALUE.search(found):
        raise _refused(
            f"{path}, once it is filled, contains a line break or another character that a header cannot carry"
        )
    return found.strip(" \t")


def body_of(body: Body, call: Call) -> Content:
    """The body of a request."""
    if body.form:
        text = _encoded(
            body.form, call, "target.body.form", LARGEST_BODY, lambda text: quote_plus(text, errors="replace")
        )
        return Content(_bounded(text.encode("ascii"), "target.body.form"), "application/x-www-form-urlencoded")
    if body.text:
        path = "target.body.text"
        text = _fill(path, LARGEST_BODY, lambda: filled_text(body.text, lambda one: value_in(call, one), LARGEST_BODY))
        return Content(_bounded(text.encode("utf-8", "replace"), path), "text/plain; charset=utf-8")
    content = json_content(_filled_json(body.json, call))
    _bounded(content.data, _JSON)
    return content


def _filled_json(value: Any, call: Call) -> Any:
    try:
        return filled(value, lambda one: value_in(call, one), LARGEST_BODY)
    except (Missing, field.Refused) as error:
        raise _unresolved(_place_of_fault(value, call), error) from None
    except TooLong:
        raise _too_long(_JSON, LARGEST_BODY) from None


def _place_of_fault(value: Any, call: Call) -> str:
    """The path of the first text in a JSON body that has a placeholder which cannot be filled."""
    for path, found in placeholders(value, _JSON):
        if isinstance(found, field.Refused):
            return path
        try:
            value_in(call, found)
        except Missing:
            return path
    return _JSON


def _encoded(pairs: Iterable[tuple[str, str]], call: Call, path: str, most: int, encode: Callable[[str], str]) -> str:
    """Names and values, filled and encoded, joined as in a query."""

    def fill(name: str, value: str) -> str:
        return _fill(f"{path}.{name}", most, lambda: filled_text(value, lambda one: value_in(call, one), most))

    text = "&".join(f"{encode(name)}={encode(fill(name, value))}" for name, value in pairs)
    if len(text) > most:
        raise _too_long(path, most)
    return text


def _fill(path: str, most: int, fill: Callable[[], T]) -> T:
    try:
        return fill()
    except (Missing, field.Refused) as error:
        raise _unresolved(path, error) from None
    except TooLong:
        raise _too_long(path, most) from None


def _bounded(data: bytes, path: str) -> bytes:
    if len(data) > LARGEST_BODY:
        raise _too_long(path, LARGEST_BODY)
    return data


def _unresolved(path: str, error: Missing | field.Refused) -> Refused:
    return Refused("UnresolvedTemplate", f"{path}: {error}", final=True)


def _too_long(path: str, most: int) -> Refused:
    return _refused(f"{path}, once it is filled, is longer than {most:,} bytes")


def _refused(message: str) -> Refused:
    return Refused("InvalidRequest", message, final=True)
