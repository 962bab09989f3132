"""Follow what every function writes, in one stream."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError, EndpointConnectionError

from localstack.clients import Clients
from localstack.errors import LocalStackError
from localstack.lines import Line, Look, Wanted, chosen
from localstack.place import Record

if TYPE_CHECKING:
    from mypy_boto3_logs import CloudWatchLogsClient

Read = Callable[[str, int], Iterable[tuple[str, int, str]]]
"""A log group's events from an instant (milliseconds) on: stream, instant, message."""


class Follower:
    """Reads log groups again and again, and gives every event once."""

    def __init__(self, groups: Mapping[str, str], since: int, read: Read) -> None:
        """``groups`` gives the function of each log group."""
        self._groups = groups
        self._read = read
        self._since = dict.fromkeys(groups, since)
        self._seen: set[tuple[str, str, int, str]] = set()

    def fresh(self) -> list[Line]:
        """What was written since the last time, in the order of time."""
        found = [
            (at, group, stream, message)
            for group in self._groups
            for stream, at, message in self._read(group, self._since[group])
            if (group, stream, at, message) not in self._seen
        ]
        found.sort(key=lambda event: event[0])
        for at, group, stream, message in found:
            self._seen.add((group, stream, at, message))
            self._since[group] = max(self._since[group], at)
        # only events of the last instant can come again, since each request starts there
        self._seen = {event for event in self._seen if event[2] >= self._since[event[0]]}
        return [Line(at, self._groups[group], message) for at, group, _, message in found]


def follow(
    record: Record, *, back: float, wanted: Wanted, function: str, colours: bool, say: Callable[[str], None]
) -> None:
    """Print what was written in the last ``back`` seconds and then what comes, until the program is interrupted.

    ``function`` is the beginning of a function's name, or empty for all. Raises ``LocalStackError``, also when the stack
    ends meanwhile.
    """
    clients = Clients(record.endpoint_url)
    outputs = {name.removesuffix("Function"): name for name in record.outputs if name.endswith("Function")}
    look = Look(list(outputs), colours)
    try:
        groups = {_log_group(clients, record.outputs[outputs[name]]): name for name in chosen(list(outputs), function)}
        follower = Follower(groups, int((time.time() - back) * 1000), lambda *asked: _events(clients.logs, *asked))
        while True:
            for line in follower.fresh():
                if wanted(line):
                    say(look(line))
            time.sleep(1)
    except EndpointConnectionError as error:
        raise LocalStackError(f"Nothing answers at {record.endpoint_url}; bring the stack up: make up") from error
    except ClientError as error:
        raise LocalStackError(f"The stack at {record.endpoint_url} is another one now: {error}; make up") from error


def _log_group(clients: Clients, function: str) -> str:
    return clients.functions.get_function_configuration(FunctionName=function)["LoggingConfig"]["LogGroup"]


def _events(logs: "CloudWatchLogsClient", group: str, since: int) -> Iterator[tuple[str, int, str]]:
    pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group, startTime=since)
    for page in pages:
        for event in page["events"]:
            yield event.get("logStreamName", ""), event.get("timestamp", 0), event.get("message", "")
