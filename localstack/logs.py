"""Follow what every function writes, in one stream."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from localstack.clients import Clients
from localstack.place import Record

if TYPE_CHECKING:
    from mypy_boto3_logs import CloudWatchLogsClient

UNSHOWN = ("START RequestId", "END RequestId", "REPORT RequestId", '{"_aws":')  # Lambda's own lines, and metrics
SHOWN_OTHERWISE = {"level", "message", "timestamp", "service", "location", "exception", "exception_name", "stack_trace"}


def follow(record: Record, *, back: float, say: Callable[[str], None]) -> None:
    """Print what was written in the last ``back`` seconds and then what comes, until the program is interrupted."""
    clients = Clients(record.endpoint_url)
    groups = {
        _log_group(clients, function): name.removesuffix("Function")
        for name, function in record.outputs.items()
        if name.endswith("Function")
    }
    since = dict.fromkeys(groups, int((time.time() - back) * 1000))
    seen: set[tuple[str, str, int, str]] = set()
    while True:
        fresh = [
            (at, stream, message, group)
            for group in groups
            for stream, at, message in _events(clients.logs, group, since[group])
            if (group, stream, at, message) not in seen
        ]
        for at, stream, message, group in sorted(fresh, key=lambda event: event[0]):
            seen.add((group, stream, at, message))
            since[group] = max(since[group], at)
            if not message.startswith(UNSHOWN):
                say(f"{datetime.fromtimestamp(at / 1000, tz=UTC):%H:%M:%SZ} {groups[group]:<11}{readable(message)}")
        # only lines of the last instant can come again, since each request starts there
        seen = {line for line in seen if line[2] >= since[line[0]]}
        time.sleep(1)


def readable(message: str) -> str:
    """A structured line as ``LEVEL message key=value …``, its stack trace below it; any other line as it is."""
    try:
        line = json.loads(message)
    except ValueError:
        return message
    if not isinstance(line, dict) or "level" not in line:
        return message
    extras = " ".join(f"{key}={json.dumps(value)}" for key, value in line.items() if key not in SHOWN_OTHERWISE)
    trace = f"\n{line['exception']}" if line.get("exception") else ""
    return f"{line['level']} {line.get('message')} {extras}".rstrip() + trace


def _log_group(clients: Clients, function: str) -> str:
    return clients.functions.get_function_configuration(FunctionName=function)["LoggingConfig"]["LogGroup"]


def _events(logs: "CloudWatchLogsClient", group: str, since: int) -> Iterator[tuple[str, int, str]]:
    pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group, startTime=since)
    for page in pages:
        for event in page["events"]:
            yield event.get("logStreamName", ""), event.get("timestamp", 0), event.get("message", "")
