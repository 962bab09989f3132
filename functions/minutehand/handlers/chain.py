"""Middlewares: an ordered chain of calls around handlers."""

import functools
import inspect
import logging
import traceback
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from minutehand.client.late_answer import LONGEST_STACK
from minutehand.handlers.context import Context
from minutehand.handlers.errors import AppError

Proceed = Callable[[], Any]
"""Calls what is inside of a middleware: the next one, and in the end the handler. Returns its result, and raises its error."""
Middleware = Callable[[Context, Proceed], Any]
"""A plain function, also around async handlers. What it returns is the result, and what it raises is the error."""


def chain(middlewares: Sequence[Middleware], context: Context, innermost: Proceed) -> Any:
    """Call a handler inside of its middlewares, the first of which is the outermost."""
    call = innermost
    for middleware in reversed(middlewares):
        call = functools.partial(middleware, context, call)
    return call()


def check_middlewares(where: str, given: Any) -> tuple[Middleware, ...]:
    """The middlewares as a tuple. Raises AppError for what is not a plain function of two arguments."""
    if callable(given) or isinstance(given, str):
        raise AppError(f"{where}: middlewares is not a list", hint="write middlewares=[log_run]")
    for each in given:
        name = getattr(each, "__name__", repr(each))
        if inspect.iscoroutinefunction(each):
            hint = (
                "write def: a middleware is a plain function, also around async handlers, and proceed() waits for them"
            )
            raise AppError(f"{where}: the middleware {name} is async", hint=hint)
        try:
            inspect.signature(each).bind(None, None)
        except (TypeError, ValueError):
            hint = "write def name(context, proceed), which returns proceed(); call one that takes options, such as recover(KeyError)"
            raise AppError(f"{where}: {name} is not a middleware", hint=hint) from None
    return tuple(given)


def log_run(context: Context, proceed: Proceed) -> Any:
    """Log the start of a run, and its end with its duration: with the stack trace, if it fails."""
    context.log.info("%s starts, attempt %d", context.idempotency_key, context.attempt, extra={"action": "start"})
    began = perf_counter()
    try:
        result = proceed()
    except BaseException as error:
        took = _milliseconds(began)
        message = f"{context.idempotency_key} failed after {took} ms"
        _log_error(context, logging.ERROR, message, error, action="fail", duration_ms=took)
        raise
    took = _milliseconds(began)
    about = {"action": "succeed", "duration_ms": took}
    context.log.info("%s returned after %d ms", context.idempotency_key, took, extra=about)
    return result


def recover(*errors: type[Exception], result: Any = None) -> Middleware:
    """Let runs that raise one of these errors succeed, with this result; the error is logged."""
    if not errors or not all(isinstance(each, type) and issubclass(each, Exception) for each in errors):
        raise AppError("recover names no errors", hint="write recover(FileNotFoundError, result=0)")

    def recovering(context: Context, proceed: Proceed) -> Any:
        try:
            return proceed()
        except errors as error:
            _log_error(context, logging.WARNING, f"recovered from {type(error).__name__}", error, action="recover")
            return result

    return recovering


def timed(observe: Callable[[Context, float, BaseException | None], object]) -> Middleware:
    """Pass each run's duration in seconds, and its error if it failed, to a function: for metrics."""

    def timing(context: Context, proceed: Proceed) -> Any:
        began, trouble = perf_counter(), None
        try:
            return proceed()
        except BaseException as error:
            trouble = error
            raise
        finally:
            observe(context, perf_counter() - began, trouble)

    return timing


def skip_if(condition: Callable[[Context], bool], reason: str) -> Middleware:
    """Let runs for which the condition holds succeed without the handler, with the result `{"skipped": reason}`."""

    def skipping(context: Context, proceed: Proceed) -> Any:
        if not condition(context):
            return proceed()
        context.log.info("skipped: %s", reason, extra={"action": "skip"})
        return {"skipped": reason}

    return skipping


def _log_error(context: Context, level: int, message: str, error: BaseException, **about: Any) -> None:
    """Log an error with its stack trace; of a long one, only its beginning and its end."""
    stack = "".join(traceback.format_exception(error))
    if len(stack) <= LONGEST_STACK:
        context.log.log(level, "%s", message, exc_info=error, extra=about)
        return
    half = LONGEST_STACK // 2
    left_out = f"… {len(stack) - 2 * half:,} characters are left out …"
    context.log.log(level, "%s\n%s\n%s\n%s", message, stack[:half], left_out, stack[-half:], extra=about)


def _milliseconds(began: float) -> int:
    return round((perf_counter() - began) * 1000)
