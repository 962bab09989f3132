"""Lines of the functions' logs: which are wanted, and how they look on a terminal."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from localstack.errors import LocalStackError

UNSHOWN = ("START RequestId", "END RequestId", "REPORT RequestId", '{"_aws":')  # Lambda's own lines, and metrics
SHOWN_OTHERWISE = {"level", "message", "timestamp", "service", "location", "exception", "exception_name", "stack_trace"}
WIDTH = 12
PLAIN = "\033[0m"
PALETTE = ("36", "32", "35", "34", "96", "92", "95", "94")  # yellow and red say how bad a line is
LEVELS = {"WARNING": "33", "ERROR": "31", "CRITICAL": "31"}


@dataclass(frozen=True)
class Line:
    """What a function wrote: ``at`` in milliseconds since 1970, ``function`` as in the template, without its "Function"."""

    at: int
    function: str
    message: str

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The fields of a structured line; empty for any other."""
        try:
            read = json.loads(self.message)
        except ValueError:
            return {}
        return read if isinstance(read, dict) and "level" in read else {}

    @property
    def text(self) -> str:
        """A structured line as ``LEVEL message key=value …``, its stack trace below it; any other line as it is."""
        fields = self.fields
        if not fields:
            return self.message
        extras = " ".join(f"{key}={json.dumps(value)}" for key, value in fields.items() if key not in SHOWN_OTHERWISE)
        trace = f"\n{fields['exception']}" if fields.get("exception") else ""
        return f"{fields['level']} {fields.get('message')} {extras}".rstrip() + trace


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which lines are wanted: empty for all. ``run`` is the beginning of a run's id; ``job`` is ``namespace/name``, or a
    name in the namespace ``default``. A line that names neither is about none, and not wanted then.
    """

    run: str = ""
    job: str = ""

    def __call__(self, line: Line) -> bool:
        """Whether this line is."""
        if line.message.startswith(UNSHOWN):
            return False
        if self.run and not str(line.fields.get("run_id", "")).startswith(self.run):
            return False
        job = self.job if "/" in self.job or not self.job else f"default/{self.job}"
        return not job or line.fields.get("job") == job


@dataclass(frozen=True)
class Look:
    """How lines look. Each function keeps its colour; with ``colours`` off there is no escape sequence at all."""

    functions: Sequence[str]
    colours: bool
    _palette: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        palette = {name: PALETTE[n % len(PALETTE)] for n, name in enumerate(sorted(self.functions))}
        object.__setattr__(self, "_palette", palette)

    def __call__(self, line: Line) -> str:
        """Time (UTC), function and text of a line."""
        time = f"{datetime.fromtimestamp(line.at / 1000, tz=UTC):%H:%M:%SZ}"
        function = self._in(self._palette.get(line.function, "39"), f"{line.function:<{WIDTH}}")
        return f"{time} {function}{self._in(LEVELS.get(str(line.fields.get('level')), ''), line.text)}"

    def _in(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}{PLAIN}" if self.colours and code else text


def chosen(functions: Sequence[str], asked: str) -> list[str]:
    """The functions whose name begins as asked, whatever its case and hyphens; all when nothing is asked.

    Raises ``LocalStackError`` when there is none, with those there are.
    """
    found = [name for name in functions if name.lower().startswith(asked.lower().replace("-", "").replace("_", ""))]
    if not found:
        raise LocalStackError(f"There is no function {asked!r}; there are: {', '.join(sorted(functions))}")
    return found
