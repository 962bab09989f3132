"""What a command of an agent left, for people: its exit code or signal, its output, and what a handler returned."""

import json
import re
from contextlib import suppress
from typing import Any, NamedTuple

from minutehand.client.models import Result

_EXIT = re.compile(r'\{"exit_code":(\d+),')
"""How the body of a command's result begins. In lists the rest may be missing."""
_RETURNED = '{"result":'
"""How that of a handler does."""
_SHORT = 60


class CommandResult(NamedTuple):
    """The result of a command.

    Attributes:
        said: how it ended, its time, and how much it wrote.
        output: the end of what it wrote.
        returned: what a handler returned, as JSON; empty of a command, and of a handler that returned nothing.
    """

    said: str
    output: str
    returned: str


def command_result(result: Result | None) -> CommandResult | None:
    """The result of a command; None if it is of another target, or not there in full."""
    if not result or result.get("type") != "command":
        return None
    try:
        found: dict[str, Any] = json.loads(result.get("body") or "")
        code, signal, output = found["exit_code"], found["signal"], found["output"]
        size, seconds = found["output_bytes"], found["seconds"]
    except (ValueError, TypeError, KeyError):  # cut, or of a run whose command never ran
        return None
    end = f"signal {signal}" if code is None else f"exit code {code}"
    returned = found.get("result")
    shown = "" if returned is None else json.dumps(returned, indent=2, ensure_ascii=False)
    return CommandResult(f"{end}, {size:,} bytes of output in {seconds:g} s", output, shown)


def in_short(result: Result) -> str:
    """The exit code of a command, or what a handler returned, in few words; empty where the result begins with neither."""
    body = result.get("body") or ""
    if found := _EXIT.match(body):
        return f"exit code {found[1]}"
    if not body.startswith(_RETURNED) or body.startswith(f"{_RETURNED}null"):
        return ""
    returned = body.removeprefix(_RETURNED)
    with suppress(ValueError):  # it is cut
        returned = returned[: json.JSONDecoder().raw_decode(returned)[1]]
    return f"returned {returned if len(returned) <= _SHORT else returned[: _SHORT - 1] + '…'}"
