"""The commands `context list`, `use`, `show` and `remove`."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import click

from minutehand.cli.command import Session, command
from minutehand.cli.connection import settings_here, token_origin, without_effect
from minutehand.cli.contexts import Context, Contexts, contexts_file, drop_token, read_contexts, write_contexts
from minutehand.cli.screen.render import Screen


@click.group("context", no_args_is_help=True)
def context_command() -> None:
    """Choose the API that commands call. `minutehand login` makes contexts."""


@command("list", context_command, examples=["context list"], calls_api=False)
def list_command(session: Session, screen: Screen) -> None:  # noqa: ARG001 - a command gets its session
    """List the contexts with their addresses, and where their tokens are. The current one has a star."""
    contexts = read_contexts(contexts_file())
    screen.page(
        {"items": [_document(contexts, each) for each in contexts.known.values()], "next": None},
        ["", "name", "url", "token"],
        lambda each: ["*" if each["current"] else "", each["name"], each["url"], each["token"]],
        empty="there are no contexts; `minutehand login URL` makes one",
    )


@command("use", context_command, examples=["context use prod"], calls_api=False)
@click.argument("name")
def use_command(session: Session, screen: Screen, *, name: str) -> None:  # noqa: ARG001 - as above
    """Make a context the current one."""
    path = contexts_file()
    contexts = replace(read_contexts(path), current=name)
    context = contexts.named(name)
    write_contexts(path, contexts)
    screen.result(_document(contexts, context), lambda _: ["current", name, context.url])
    if note := without_effect(name):
        screen.note(note)


@command("show", context_command, examples=["context show", "context show prod"], calls_api=False)
@click.argument("name", required=False)
def show_command(session: Session, screen: Screen, *, name: str | None) -> None:  # noqa: ARG001 - as above
    """Show a context; without NAME, which address commands call here, and where it and the token were found."""
    contexts = read_contexts(contexts_file())
    if name is not None:
        screen.record(_document(contexts, contexts.named(name)), _fields)
        return
    found = settings_here(needs_token=False)
    screen.record(
        {"url": found.url, "from": found.origin, "token_from": token_origin(found)},
        lambda each: ((name.replace("_", " "), text) for name, text in each.items()),
    )


@command("remove", context_command, examples=["context remove prod"], calls_api=False)
@click.argument("name")
def remove_command(session: Session, screen: Screen, *, name: str) -> None:  # noqa: ARG001 - as above
    """Remove a context with its token."""
    path = contexts_file()
    contexts = read_contexts(path)
    drop_token(contexts.named(name))
    write_contexts(path, contexts.without(name))
    screen.result({"name": name, "result": "removed"}, lambda done: [done["result"], done["name"]])


def _document(contexts: Contexts, context: Context) -> dict[str, Any]:
    return {
        "name": context.name,
        "url": context.url,
        "token": context.place.value,
        "current": context.name == contexts.current,
    }


def _fields(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "name", document["name"]
    yield "url", document["url"]
    yield "token", document["token"]
    yield "current", "yes" if document["current"] else "no"
