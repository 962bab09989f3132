"""Similar names for one that does not exist: of commands, and of the jobs of a namespace."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minutehand.client import Client

MOST_JOBS = 100
"""Maximum number of jobs among which a similar name is looked for: one page of the list."""
_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "add": ("apply",),
    "create": ("apply",),
    "describe": ("show",),
    "get": ("list", "show"),
    "history": ("runs",),
    "kill": ("cancel",),
    "logs": ("output", "run"),
    "ls": ("list",),
    "remove": ("delete",),
    "replay": ("backfill",),
    "rm": ("delete",),
    "start": ("trigger",),
    "status": ("show", "runs"),
    "stop": ("pause", "cancel"),
    "tail": ("runs",),
    "watch": ("runs",),
}
"""What other programs call our commands."""
_NO_JOB = re.compile(r"there is no job ([^/ ]+)/([^/ ,:]+)")


def similar_commands(name: str, known: Iterable[str]) -> list[str]:
    """The commands that may be meant, the likeliest first."""
    from difflib import get_close_matches  # noqa: PLC0415 - only an error needs it

    names = list(known)
    others = [each for each in _ELSEWHERE.get(name, ()) if each in names]
    return others or get_close_matches(name, names)


def similar_job(message: str, connect: "Callable[[], Client]") -> str | None:
    """The hint for an error that says that there is no such job; None without a similar one, or if the API cannot be asked."""
    from difflib import get_close_matches  # noqa: PLC0415 - only an error needs it

    from minutehand.client import MinutehandError  # noqa: PLC0415 - loaded already where there is such an error
    from minutehand.client.calls import DEFAULT_NAMESPACE  # noqa: PLC0415 - as below

    found = _NO_JOB.match(message)
    if found is None:
        return None
    namespace, name = found.groups()
    with suppress(MinutehandError), connect() as client:
        names = [job["name"] for job in client.jobs_page(namespace, limit=MOST_JOBS)["items"]]
        close = get_close_matches(name, names)
        if close:
            return f"did you mean {' or '.join(f'{namespace}/{each}' for each in close)}?"
        if namespace == DEFAULT_NAMESPACE and client.jobs_page(name, limit=1)["items"]:
            return f"{name} is a namespace: `minutehand list -n {name}` lists its jobs"
    return None
