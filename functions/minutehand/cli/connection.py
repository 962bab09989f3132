"""Find the API that a command calls: from the environment, a context, or the local stack's file."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from minutehand.cli.context_option import chosen_context
from minutehand.client import Client, ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

    from minutehand.client import Settings

CONTEXT_VARIABLE = "MINUTEHAND_CONTEXT"
ORIGIN_OF_CONTEXTS = "context "
"""The beginning of `Settings.origin` of an address that a context has."""
ORIGIN_OF_LOGIN = "login"
"""`Settings.origin` of an address and a token that are given to `login`."""
_VARIABLES = ("MINUTEHAND_URL", "MINUTEHAND_TOKEN", "MINUTEHAND_AUTH")


def settings_of(
    environment: Mapping[str, str],
    directory: "Path",
    contexts: "Path",
    *,
    chosen: str | None = None,
    needs_token: bool = True,
) -> "Settings":
    """The address and the token, the first of these that is given: `MINUTEHAND_URL` and `MINUTEHAND_TOKEN`; the context `chosen` by
    `--context`, or by `MINUTEHAND_CONTEXT`; the local stack's file in `directory` or above; the current context.

    A context's token goes to its own address alone, and no other token goes there.

    Raises ConfigurationError when none is given, one cannot be used, or a context is chosen beside one of these variables or
    `MINUTEHAND_AUTH`.
    """
    from minutehand.cli.contexts import read_contexts  # noqa: PLC0415 - only a call needs them
    from minutehand.client.config import find_settings, local_file  # noqa: PLC0415 - as above

    set_here = [name for name in _VARIABLES if environment.get(name, "").strip()]
    name = chosen or environment.get(CONTEXT_VARIABLE, "").strip()
    if name:
        if set_here:
            by = "--context" if chosen else CONTEXT_VARIABLE
            raise ConfigurationError(
                f"{by} chooses context {name}, but {set_here[0]} is set, too",
                hint=f"unset {' and '.join(set_here)}, or remove {by}",
            )
        return _of_context(contexts, name, needs_token=needs_token)
    if not set_here and local_file(directory) is None:
        current = read_contexts(contexts).current
        if current is not None:
            return _of_context(contexts, current, needs_token=needs_token)
    try:
        return find_settings(environment, directory, needs_token=needs_token)
    except ConfigurationError as error:
        raise ConfigurationError(
            error.message, hint=f"{error.hint}; `minutehand login URL` stores both for all folders"
        ) from error


def settings_here(*, needs_token: bool = True) -> "Settings":
    """The address and the token for this process, its folder, and the command line at hand."""
    from pathlib import Path  # noqa: PLC0415 - only a call needs these

    from minutehand.cli.contexts import contexts_file  # noqa: PLC0415 - as above

    return settings_of(os.environ, Path.cwd(), contexts_file(), chosen=chosen_context(), needs_token=needs_token)


def connect(*, needs_token: bool = True) -> Client:
    """A client of the API that the command calls. Raises ConfigurationError as `settings_of`."""
    found = settings_here(needs_token=needs_token)
    return Client(found.url, found.token, origin=found.origin, auth=found.auth)


def token_origin(found: "Settings") -> str:
    """Where the token of these settings was found: a variable, a context or a file; or what signs requests instead."""
    if found.auth == "iam":
        return f"none: requests are signed with AWS IAM ({found.origin})"
    if not found.origin.startswith(ORIGIN_OF_CONTEXTS) and os.environ.get("MINUTEHAND_TOKEN", "").strip():
        return "MINUTEHAND_TOKEN"
    return found.origin


def without_effect(name: str) -> str | None:
    """That commands in this folder do not use the current context `name`, and what they use; None if they do, or nothing can be found."""
    try:
        found = settings_here(needs_token=False)
    except ConfigurationError:
        return None
    if found.origin == f"{ORIGIN_OF_CONTEXTS}{name}":
        return None
    token = token_origin(found)
    whence = (
        f"address and token are from {token}"
        if token == found.origin
        else f"the address is from {found.origin}, the token from {token}"
    )
    return f"here, commands still call {found.url}: {whence}; `--context {name}` chooses the context instead"


def token_hint(origin: str) -> str:
    """What to do about a token that the API does not accept. origin: that of the settings, empty if it is not known."""
    if origin.startswith(ORIGIN_OF_CONTEXTS):
        name = origin.removeprefix(ORIGIN_OF_CONTEXTS)
        return f"address and token are from {origin}: `minutehand login --name {name}` stores another token"
    if origin == ORIGIN_OF_LOGIN:
        return "copy the whole token, or ask an admin of that API for another; check the address, too"
    where = f"the address is from {origin}: " if origin else ""
    return f"{where}check MINUTEHAND_TOKEN, or run `make up` again if this is the local stack"


def _of_context(path: "Path", name: str, *, needs_token: bool) -> "Settings":
    from minutehand.cli.contexts import read_contexts  # noqa: PLC0415 - as in `settings_of`
    from minutehand.client import Settings  # noqa: PLC0415 - as above

    context = read_contexts(path).named(name)
    origin = f"{ORIGIN_OF_CONTEXTS}{name}"
    if context.signs:
        return Settings(url=context.url, token=None, origin=origin, auth="iam")
    return Settings(url=context.url, token=context.secret() if needs_token else None, origin=origin)
