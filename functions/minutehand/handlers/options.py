"""The options of `@job`: the fields of a job, as Python values."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any

from minutehand.client.calls import duration_text
from minutehand.handlers.errors import AppError, did_you_mean
from minutehand.handlers.job_options import JobOptions

HEARTBEAT = "heartbeat"
"""The option that is a field of the job's target, wherever its handler runs."""
POOL = "pool"
"""The option by which agents run a handler."""
OF_AGENTS = (POOL, "node", "tags", "count", "min_success", "max_parallel", "environment")
"""Options that are fields of the target of a handler that agents run."""
OPTIONS = frozenset(JobOptions.__annotations__)
"""Names of all options: the fields that a job document may have, except its name, and its target, which belongs to where the code runs."""
_ELSEWHERE = {
    "target": "leave it out: `minutehand sync --target` says where the code runs, or the option pool names the agents that run it",
    "name": "write the name as first argument",
    "namespace": 'write it before the name: @job("reports/nightly")',
}


def check_options(where: str, given: Mapping[str, object]) -> dict[str, Any]:
    """The options as JSON values: durations as text such as `1h30m`, instants in RFC 3339.

    Args:
        where: the declaration, for messages.

    Raises:
        AppError: for an option that does not exist, or a value that JSON cannot express.
    """
    made = {}
    for name, value in given.items():
        if name not in OPTIONS:
            hint = _ELSEWHERE.get(name) or f"{did_you_mean(name, OPTIONS)}the options are {', '.join(sorted(OPTIONS))}"
            raise AppError(f"{where} has no option {name!r}", hint=hint)
        try:
            made[name] = _plain(value)
            json.dumps(made[name], allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            hint = "use text, numbers, true or false, lists and dictionaries of these, timedelta or an aware datetime"
            raise AppError(f"{where}: {name} cannot be written as JSON: {error}", hint=hint) from None
    return made


def _plain(value: Any) -> Any:
    match value:
        case timedelta():
            return duration_text(value)
        case datetime():
            if value.tzinfo is None:
                raise ValueError(f"{value.isoformat()} has no time zone")
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case Enum():
            return value.value
        case Mapping():
            return {key: _plain(each) for key, each in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(each) for each in value]
        case _:
            return value
