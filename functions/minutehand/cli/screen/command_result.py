"""What a command of an agent left, for people: its exit code or signal, its output, and what a handler returned."""

import json
import re
from typing import Any, NamedTuple

from minutehand.client.models import Result

_EXIT = re.compile(r'\{"exit_code":(\d+),')
"""How the body of a command's result begins. In lists the rest may be missing."""


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


def exit_code(result: Result) -> str:
    """The exit code of a command in two words; empty where the result does not begin with it."""
    found = _EXIT.match(result.get("body") or "")
    return f"exit code {found[1]}" if found else ""
