"""The task of a Celery entry: its arguments as a payload, its limits."""

from typing import Any

from minutehand.tools.importers.drafts import Draft, LeftOut, duration, http_draft
from minutehand.tools.importers.fields import Fields

_LONGEST_WAIT = 7 * 86_400
_LEAST_WAIT = 10


def set_task(draft: Draft, task: str, args: Any, kwargs: Any, *, added: bool = False) -> None:
    """Set the target, which is to be completed, and the payload: the keyword arguments, and `args` for the others. Raises LeftOut for
    arguments that code computes."""
    draft.task = task
    draft.note("task", case="add_periodic_task" if added else "", detail=task)
    for name, value in (("args", args), ("kwargs", kwargs)):
        if code := _code_in(value):
            raise LeftOut(name, f"code computes it: {code}")
    named: dict[str, Any] = dict(kwargs) if isinstance(kwargs, dict) else {}
    if kwargs and not named:
        draft.unread("kwargs", "it is no object of names and values, so it is left out")
    listed = list(args) if isinstance(args, list) else []
    if args and not listed:
        draft.unread("args", "it is no list, so it is left out")
    payload = named
    if named:
        draft.note("kwargs")
    if listed:
        both = "args" in named
        draft.note("args", case="both" if both else "", detail=str(len(listed)))
        payload = {"args": listed, "kwargs": named} if both else {"args": listed} | named
    draft.document |= http_draft(payload)


def set_expiry(draft: Draft, rule: str, value: Any) -> None:
    """Set `start_within` from the seconds after which a message expires."""
    seconds = value.get("every") if isinstance(value, dict) else value
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        if rule == "options.expires":
            draft.note(rule, case="instant", detail=str(value))
        return
    limit = min(max(seconds, _LEAST_WAIT), _LONGEST_WAIT)
    draft.set(rule, detail=f"{seconds:g} s", start_within=duration(limit))


def set_timeout(draft: Draft, options: Fields) -> None:
    """Set `timeout` from the limits of a task."""
    hard, soft = options.number("time_limit"), options.number("soft_time_limit")
    for name, seconds in (("options.soft_time_limit", soft), ("options.time_limit", hard)):
        if seconds is not None and seconds > 0:
            draft.set(name, detail=f"{seconds} s", timeout=duration(min(seconds, _LONGEST_WAIT)))


def _code_in(value: Any) -> str:
    """The text of the first code inside a value; empty if there is none."""
    todo = [value]
    while todo:
        each = todo.pop()
        if isinstance(each, dict):
            if set(each) == {"code"} and isinstance(each["code"], str):
                return each["code"]
            todo += each.values()
        elif isinstance(each, list):
            todo += each
    return ""
