"""Logs of all functions in one stream."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError, EndpointConnectionError

from localstack.clients import Clients
from localstack.errors import LocalStackError
from localstack.log_lines import LineFormat, LogFilter, LogLine
from localstack.workspace import StackInfo
from minutehand.client import Client, MinutehandError, NotFound

if TYPE_CHECKING:
    from mypy_boto3_logs import CloudWatchLogsClient

DEFAULT_GROUPS = "/aws/lambda/"
ReadEvents = Callable[[str, int], Iterable[tuple[str, int, str]]]
"""Reads a log group from an instant on (milliseconds since 1970): stream, instant and message of each event."""


class LogReader:
    """Polls log groups and returns every event once."""

    def __init__(self, functions: Mapping[str, str], since: int, read: ReadEvents) -> None:
        """Args: functions, the function of each log group; since, the first instant to read; read, which reads a log group."""
        self._functions = functions
        self._read = read
        self._since = dict.fromkeys(functions, since)
        self._seen: set[tuple[str, str, int, str]] = set()

    def new_lines(self) -> list[LogLine]:
        """Lines written since the last call, oldest first."""
        found = [
            (at, group, stream, message)
            for group in self._functions
            for stream, at, message in self._read(group, self._since[group])
            if (group, stream, at, message) not in self._seen
        ]
        found.sort(key=lambda event: event[0])
        for at, group, stream, message in found:
            self._seen.add((group, stream, at, message))
            self._since[group] = max(self._since[group], at)
        # Each request starts at the last instant, so only events of that instant can come again.
        self._seen = {event for event in self._seen if event[2] >= self._since[event[0]]}
        return [LogLine(at, self._functions[group], message) for at, group, _, message in found]


def follow(
    info: StackInfo,
    *,
    back: float,
    log_filter: LogFilter,
    function: str,
    colours: bool,
    write: Callable[[str], None],
    note: Callable[[str], None],
) -> None:
    """Write the lines of the last ``back`` seconds and then new ones, until the program is interrupted.

    Args:
        function: the beginning of a function's name, or empty for all.
        note: gets a sentence if the last ``back`` seconds have no line, with the reason if it is known.

    Raises:
        LocalStackError: if no function matches, or if the stack does not answer (any more).
    """
    clients = Clients(info.endpoint_url)
    outputs = {name.removesuffix("Function"): name for name in info.outputs if name.endswith("Function")}
    line_format = LineFormat(list(outputs), colours)
    try:
        groups = {
            group: name
            for name in match_functions(list(outputs), function)
            for group in _log_groups(clients, info.outputs[outputs[name]])
        }
        reader = LogReader(
            groups, int((time.time() - back) * 1000), lambda group, since: _events(clients.logs, group, since)
        )
        waits = True
        while True:
            for line in filter(log_filter.matches, reader.new_lines()):
                waits = False
                write(line_format.text(line))
            if waits:
                note(_why_quiet(info, log_filter, back))
                waits = False
            time.sleep(1)
    except EndpointConnectionError as error:
        raise LocalStackError(f"Nothing answers at {info.endpoint_url}. Start the stack: make up") from error
    except ClientError as error:
        raise LocalStackError(f"The stack at {info.endpoint_url} is another one now: {error}. Run: make up") from error


def match_functions(functions: Sequence[str], prefix: str) -> list[str]:
    """The functions whose name begins with the prefix, whatever its case and hyphens; all for an empty prefix.

    Raises ``LocalStackError`` with the functions' names if there is none.
    """
    found = [name for name in functions if name.lower().startswith(prefix.lower().replace("-", "").replace("_", ""))]
    if not found:
        raise LocalStackError(f"No function is named {prefix!r}. The functions are: {', '.join(sorted(functions))}")
    return found


def _why_quiet(info: StackInfo, log_filter: LogFilter, back: float) -> str:
    """That the last ``back`` seconds have no selected line, and whether the job exists."""
    quiet = f"no log line {log_filter} in the last {back:g} s; waiting for new ones (BACK=SECONDS looks further back)"
    if not log_filter.job:
        return quiet
    try:
        with Client(info.url, info.token) as client:
            client.get_job(log_filter.full_job)
    except NotFound:
        namespace = log_filter.full_job.partition("/")[0]
        return f"there is no job {log_filter.full_job} (`minutehand list -n {namespace}` lists the jobs); {quiet}"
    except MinutehandError:  # the logs can be read without the API
        pass
    return quiet


def _log_groups(clients: Clients, function: str) -> list[str]:
    """The log groups of a function: its configured one, and Lambda's default one, to which LocalStack writes whatever is configured."""
    configured = clients.functions.get_function_configuration(FunctionName=function).get("LoggingConfig", {})
    return [*filter(None, [configured.get("LogGroup")]), f"{DEFAULT_GROUPS}{function}"]


def _events(logs: "CloudWatchLogsClient", group: str, since: int) -> Iterator[tuple[str, int, str]]:
    pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group, startTime=since)
    try:
        for page in pages:
            for event in page["events"]:
                yield event.get("logStreamName", ""), event.get("timestamp", 0), event.get("message", "")
    except logs.exceptions.ResourceNotFoundException:
        if not group.startswith(DEFAULT_GROUPS):  # a default group exists only once a line was written to it
            raise
