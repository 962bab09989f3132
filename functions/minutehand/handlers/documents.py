"""The job documents of an app, as `minutehand sync` saves them."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from minutehand.handlers.app import App, Ready
from minutehand.handlers.declaration import Handler
from minutehand.handlers.errors import AppError
from minutehand.handlers.options import HEARTBEAT, OF_AGENTS, POOL

LABEL = "sync/app"
"""Label of the jobs that `minutehand sync` made, with the package of their app."""


class AppJob(NamedTuple):
    """A job of an app: where it is declared, its full name, and its document."""

    place: str
    name: str
    document: dict[str, Any]


def jobs_of(app: App, *, namespace: str, target: Mapping[str, Any] | None) -> list[AppJob]:
    """The jobs of all handlers of an app.

    Args:
        namespace: of handlers that name none.
        target: where the code of handlers without a pool runs; a handler's `heartbeat` is added to it.

    Raises:
        AppError: for two handlers of one job, a parent that is no handler, or a handler with neither pool nor target.
    """
    found: dict[str, AppJob] = {}
    for ready in app.handlers.values():
        handler = ready.handler
        name = _full_name(handler.name, namespace)
        if name in found:
            message = f"{name} has two handlers: at {found[name].place} and {handler.place}"
            raise AppError(message, hint="one names its namespace, the other gets it from --namespace: rename one")
        found[name] = AppJob(handler.place, name, _document(app, ready, name, namespace, target))
    return list(found.values())


def _document(app: App, ready: Ready, name: str, namespace: str, target: Mapping[str, Any] | None) -> dict[str, Any]:
    handler = ready.handler
    fields = {**app.defaults, **handler.fields}
    labels = [given.get("labels") or {} for given in (app.defaults, handler.fields)]
    heartbeat = fields.pop(HEARTBEAT, None)
    of_agents = {each: fields.pop(each) for each in OF_AGENTS if each in fields}
    made = _target(handler, of_agents, target)
    if "depends_on" in fields:
        fields["depends_on"] = _parents(app, handler, fields["depends_on"], namespace)
    if handler.description:
        fields.setdefault("description", handler.description[:1000])
    within, _, own = name.partition("/")
    return {
        "namespace": within,
        "name": own,
        **fields,
        "labels": {**labels[0], **labels[1], LABEL: app.package},
        "target": {**made, **({HEARTBEAT: heartbeat} if heartbeat is not None else {})},
    }


def _target(handler: Handler, of_agents: Mapping[str, Any], elsewhere: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The target of a handler: a pool, or where `sync --target` says."""
    if of_agents.get(POOL) is not None:
        return {"type": "command", **of_agents, "handler": handler.name}
    for name in of_agents:
        if name != POOL:
            message = f"{handler.place}: @job({handler.name!r}) has {name}, but no pool"
            raise AppError(message, hint=f"{name} is for handlers that agents run: add pool, such as pool='web'")
    if elsewhere is None:
        message = f"{handler.place}: nothing says where {handler.name} runs"
        raise AppError(message, hint="name the pool of its agents in @job or App, such as pool='web', or give --target")
    return elsewhere


def _parents(app: App, handler: Handler, entries: list[dict[str, Any]], namespace: str) -> list[dict[str, Any]]:
    """The entries of `depends_on`, with the jobs of decorated functions by their full names."""
    return [
        {**entry, "job": _full_name(_name_of(app, handler, handler.parents[place]), namespace)}
        if place in handler.parents
        else entry
        for place, entry in enumerate(entries)
    ]


def _name_of(app: App, child: Handler, function: Callable[..., Any]) -> str:
    names = [name for name, ready in app.handlers.items() if ready.handler.function is function]
    if len(names) != 1:
        label = getattr(function, "__name__", repr(function))
        runs = f"runs the jobs {', '.join(names)}" if names else "is no handler of this app"
        message = f"{child.place}: {child.name} depends on {label}, which {runs}"
        raise AppError(message, hint='write the name of a job, such as depends_on=["reports/extract"]')
    return names[0]


def _full_name(name: str, namespace: str) -> str:
    return name if "/" in name else f"{namespace}/{name}"
