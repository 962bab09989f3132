"""The outcome of an attempt: its result, or the error with which it failed."""

import json
import math
import re
import traceback
from dataclasses import dataclass, field
from inspect import isawaitable
from typing import Any

from minutehand.client.late_answer import LONGEST_MESSAGE, LONGEST_STACK, plain_text, word_of, words_of
from minutehand.handlers.errors import AppError, Failed, InvalidResult

LARGEST_RESULT = 250_000
"""Most bytes of a result as JSON: a report of 256 KiB is the most that the API accepts."""
_OUR_FRAMES = re.compile(r'  File "[^"\n]*/minutehand/handlers/[^"\n]*", line \d+.*\n(?:    .*\n)*')


@dataclass(frozen=True, kw_only=True)
class RunError:
    """Why an attempt failed: one word, a sentence, and the stack trace."""

    type: str
    message: str
    stack: str = ""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How an attempt ended. `error` is None for success; `cause` is the exception behind `error`."""

    result: Any = None
    error: RunError | None = None
    cause: BaseException | None = field(default=None, compare=False, repr=False)

    @property
    def succeeded(self) -> bool:
        """Whether the attempt succeeded."""
        return self.error is None


def success(result: Any) -> Outcome:
    """The outcome of a handler that returned.

    Raises:
        InvalidResult: if the result is not JSON, or too large.
    """
    if isawaitable(result):
        close = getattr(result, "close", None)
        if close is not None:
            close()  # else Python warns that it was never awaited
        message = f"the handler returned {_kind(result)}, which nobody awaits: it called an async function"
        raise InvalidResult(message, hint="make the handler async def, and write return await …")
    try:
        text = json.dumps(result, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidResult(
            f"the result is not JSON: {_fault(result, 'result', 0) or error}",
            hint="return None, text, numbers, true or false, and lists and dictionaries of these",
        ) from None
    size = len(text.encode(errors="surrogatepass"))
    if size > LARGEST_RESULT:
        hint = "store it elsewhere, and return its address"
        raise InvalidResult(f"the result has {size:,} bytes as JSON; {LARGEST_RESULT:,} is the most", hint=hint)
    return Outcome(result=json.loads(text) if text[:1] in '[{"' else result)


def failure(error: BaseException) -> Outcome:
    """The outcome of a handler that raised."""
    type_ = error.type if isinstance(error, Failed) else type(error).__name__
    stack = "" if isinstance(error, AppError) else _OUR_FRAMES.sub("", "".join(traceback.format_exception(error)))
    made = RunError(
        type=word_of(str(type_)),
        message=plain_text(words_of(error)[:LONGEST_MESSAGE]) or "no message",
        stack=plain_text(stack[-LONGEST_STACK:]),
    )
    result, note = None, error.result if isinstance(error, Failed) else None
    if note is not None:
        try:
            result = success(note).result
        except Exception as fault:  # noqa: BLE001 - the note's own code may raise anything
            why = fault.message if isinstance(fault, InvalidResult) else words_of(fault)
            made = RunError(type=made.type, message=f"{made.message} ({why})", stack=made.stack)
    return Outcome(error=made, result=result, cause=error)


def _fault(value: Any, path: str, depth: int) -> str:
    """Which part of a value is not JSON, and why; empty if none is found."""
    if value is None or isinstance(value, bool | int | str):
        return ""
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{path} is {value}"
    if depth > 100:
        return f"{path[:40]}… is nested too deeply, or holds itself"
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str | int | float | bool | None):
                return f"{path} has the key {key!r:.40}, which is {_kind(key)}"
            if found := _fault(inner, f"{path}[{key!r}]", depth + 1):
                return found
        return ""
    if isinstance(value, list | tuple):
        return next(filter(None, (_fault(inner, f"{path}[{n}]", depth + 1) for n, inner in enumerate(value))), "")
    return f"{path} is {_kind(value)}"


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"an {name}" if name[:1].lower() in "aeio" else f"a {name}"
