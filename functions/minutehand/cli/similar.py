"""Similar names for one that does not exist: of commands, of namespaces, and of the jobs of a namespace."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minutehand.client import Client

MOST_JOBS = 100
"""Maximum number of jobs among which a similar name is looked for: one page of the list."""
_MOST_NAMESPACES = 100
"""Maximum number of namespaces, likewise."""
_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "add": ("apply",),
    "create": ("apply",),
    "describe": ("show",),
    "get": ("list", "show"),
    "history": ("runs",),
    "kill": ("cancel",),
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
        names = _jobs(client, namespace)
        close = get_close_matches(name, names)
        if close:
            return _meant([f"{namespace}/{each}" for each in close])
        if namespace == DEFAULT_NAMESPACE and client.jobs_page(name, limit=1)["items"]:
            return f"{name} is a namespace: `minutehand list -n {name}` lists its jobs"
        others = [] if names else _similar_namespaces(client, namespace)
        if others:
            there = [
                f"{other}/{each}" for other in others for each in get_close_matches(name, _jobs(client, other), n=1)
            ]
            return _meant(there) if there else f"namespace {namespace} has no jobs; {_meant(others)}"
    return None


def jobless(client: "Client", namespace: str) -> str | None:
    """The sentence that a namespace has no jobs, and which other may be meant; None if it has some, or if the API does not tell."""
    from minutehand.client import MinutehandError  # noqa: PLC0415 - as above

    with suppress(MinutehandError):
        if not client.jobs_page(namespace, limit=1)["items"]:
            others = _similar_namespaces(client, namespace)
            return f"namespace {namespace} has no jobs{f'; {_meant(others)}' if others else ''}"
    return None


def meant_namespace(client: "Client", namespace: str) -> str:
    """Which namespace may be meant by one without jobs, as the end of a sentence; empty if there is no similar one."""
    return (jobless(client, namespace) or "").partition(" has no jobs")[2]


def _jobs(client: "Client", namespace: str) -> list[str]:
    return [job["name"] for job in client.jobs_page(namespace, limit=MOST_JOBS)["items"]]


def _similar_namespaces(client: "Client", namespace: str) -> list[str]:
    from difflib import get_close_matches  # noqa: PLC0415 - few commands need it

    names = [each["namespace"] for each in client.namespaces_page(limit=_MOST_NAMESPACES)["items"]]
    return get_close_matches(namespace, [name for name in names if name != namespace])


def _meant(names: Iterable[str]) -> str:
    return f"did you mean {' or '.join(names)}?"
