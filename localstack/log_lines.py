"""Lines of the functions' logs: parsing, filtering and formatting for a terminal."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

HIDDEN = ("START RequestId", "END RequestId", "REPORT RequestId", '{"_aws":')  # Lambda's own lines, and metrics
NOT_EXTRA = {"level", "message", "timestamp", "service", "location", "exception", "exception_name", "stack_trace"}
WIDTH = 12
RESET = "\033[0m"
PALETTE = ("36", "32", "35", "34", "96", "92", "95", "94")  # without yellow and red, the colours of levels
LEVEL_COLOURS = {"WARNING": "33", "ERROR": "31", "CRITICAL": "31"}


@dataclass(frozen=True)
class LogLine:
    """One line of a function's log.

    Attributes:
        at: milliseconds since 1970.
        function: its name in the template, without "Function".
    """

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
        """A structured line as ``LEVEL message key=value …``, with its stack trace below; any other line unchanged."""
        fields = self.fields
        if not fields:
            return self.message
        extras = " ".join(f"{key}={json.dumps(value)}" for key, value in fields.items() if key not in NOT_EXTRA)
        trace = f"\n{fields['exception']}" if fields.get("exception") else ""
        return f"{fields['level']} {fields.get('message')} {extras}".rstrip() + trace


@dataclass(frozen=True, kw_only=True)
class LogFilter:
    """Selects lines by run and job; an empty value selects all.

    Attributes:
        run: the beginning of a run's id.
        job: ``namespace/name``, or a name in the namespace ``default``.
    """

    run: str = ""
    job: str = ""

    @property
    def full_job(self) -> str:
        """The job as ``namespace/name``; empty if every job is selected."""
        return self.job if "/" in self.job or not self.job else f"default/{self.job}"

    def __str__(self) -> str:
        """What is selected, in words."""
        parts = ("of a run " + self.run + "…" if self.run else "", "of job " + self.full_job if self.job else "")
        return " ".join(filter(None, parts)) or "of any job"

    def matches(self, line: LogLine) -> bool:
        """Whether to show this line. With a run or a job given, a line that names none is hidden."""
        if line.message.startswith(HIDDEN):
            return False
        if self.run and not str(line.fields.get("run_id", "")).startswith(self.run):
            return False
        return not self.job or line.fields.get("job") == self.full_job


@dataclass(frozen=True)
class LineFormat:
    """Format of lines: each function has its colour; without ``colours`` there are no escape sequences."""

    functions: Sequence[str]
    colours: bool
    _palette: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        palette = {name: PALETTE[n % len(PALETTE)] for n, name in enumerate(sorted(self.functions))}
        object.__setattr__(self, "_palette", palette)

    def text(self, line: LogLine) -> str:
        """A log line as printed: its time in UTC, its function and its text."""
        time = f"{datetime.fromtimestamp(line.at / 1000, tz=UTC):%H:%M:%SZ}"
        function = self._in_colour(self._palette.get(line.function, "39"), f"{line.function:<{WIDTH}}")
        colour = LEVEL_COLOURS.get(str(line.fields.get("level")), "")
        return f"{time} {function}{self._in_colour(colour, line.text)}"

    def _in_colour(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}{RESET}" if self.colours and code else text
