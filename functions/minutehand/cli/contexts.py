"""Contexts: the addresses of APIs, each with its token under a name, as `minutehand login` keeps them for this user."""

import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

import click

from minutehand.client import ConfigurationError

FILE = "contexts.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,62}")
_SERVICE = "minutehand"
"""The name under which a keyring lists the tokens."""


class Place(Enum):
    """Where the token of a context is."""

    KEYRING = "keyring"
    """In the keyring of the operating system."""
    FILE = "file"
    """In the file of the contexts, which only this user can read."""
    NOWHERE = "none"
    """Forgotten by `logout`."""
    IAM = "iam"
    """There is no token: requests are signed with AWS IAM."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """An API's address. `token` is set if its `place` is the file; it is not in `repr`."""

    name: str
    url: str
    place: Place = Place.NOWHERE
    token: str | None = field(default=None, repr=False)

    @property
    def signs(self) -> bool:
        """Whether requests are signed with AWS IAM instead of sending a token."""
        return self.place is Place.IAM

    def secret(self) -> str:
        """The token. Raises ConfigurationError if there is none, or the keyring does not have it."""
        found = _keyring_get(self) if self.place is Place.KEYRING else self.token
        if not found:
            lost = f"the keyring has no token of context {self.name} for {self.url}"
            what = lost if self.place is Place.KEYRING else f"context {self.name} has no token"
            raise ConfigurationError(what, hint=f"`minutehand login --name {self.name}` stores one")
        return found


@dataclass(frozen=True, kw_only=True)
class Contexts:
    """All contexts of a user by their names, and the name of the current one."""

    known: Mapping[str, Context] = field(default_factory=dict)
    current: str | None = None

    def named(self, name: str) -> Context:
        """A context. Raises ConfigurationError for an unknown name."""
        if name not in self.known:
            others = ", ".join(self.known) or "none yet; `minutehand login URL` makes one"
            raise ConfigurationError(f"there is no context {name!r}", hint=f"contexts: {others}")
        return self.known[name]

    def having(self, context: Context) -> "Contexts":
        """These contexts with one added or replaced."""
        return replace(self, known={**self.known, context.name: context})

    def without(self, name: str) -> "Contexts":
        """These contexts without one, which is no longer the current one either."""
        left = {each: context for each, context in self.known.items() if each != name}
        return Contexts(known=left, current=None if self.current == name else self.current)


def contexts_file() -> Path:
    """The file of this user's contexts, in the operating system's folder for settings."""
    return Path(click.get_app_dir("minutehand")) / FILE


def check_name(name: str) -> str:
    """The name. Raises ConfigurationError for one that a context cannot have."""
    if not _NAME.fullmatch(name):
        hint = "use 1 to 63 letters, digits, dots, colons, underscores and hyphens, beginning with a letter or a digit"
        raise ConfigurationError(f"{name!r} is not the name of a context", hint=hint)
    return name


def read_contexts(path: Path) -> Contexts:
    """The contexts in a file; none if it does not exist. Raises ConfigurationError for a file that is damaged, or that others can read."""
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Contexts()
    except (OSError, ValueError) as error:
        raise _damaged(path, str(error)) from error
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise ConfigurationError(
            f"other users of this machine may read {path}, which holds tokens",
            hint=f"`chmod 600 {path}`; if others may have read it, replace its tokens",
        )
    try:
        return _parsed(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise _damaged(path, "it does not hold contexts") from error


def write_contexts(path: Path, contexts: Contexts) -> None:
    """Replace the file as a whole; only this user can read it. Raises ConfigurationError when it cannot be written."""
    import tempfile  # noqa: PLC0415 - most commands write no context

    document = {
        "current": contexts.current,
        "contexts": {name: _written(context) for name, context in contexts.known.items()},
    }
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{FILE}.")  # with mode 0600
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=2)
        Path(name).replace(path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from error


def keep_token(context: Context, token: str) -> Context:
    """The context with its token kept: in the operating system's keyring if there is one that works, else for the file."""
    try:
        import keyring  # noqa: PLC0415 - an optional library

        keyring.set_password(_SERVICE, _entry(context), token)
        kept = keyring.get_password(_SERVICE, _entry(context)) == token
    except Exception:  # noqa: BLE001 - each keyring has errors of its own; without one, the file keeps the token
        kept = False
    if kept:
        return replace(context, place=Place.KEYRING, token=None)
    return replace(context, place=Place.FILE, token=token)


def drop_token(context: Context) -> Context:
    """The context without its token, which is removed from the keyring, too. Raises ConfigurationError if the keyring refuses."""
    if context.place is Place.KEYRING and _keyring_get(context):
        import keyring  # noqa: PLC0415 - as above

        try:
            keyring.delete_password(_SERVICE, _entry(context))
        except Exception as error:
            raise ConfigurationError(
                f"the keyring does not remove the token of context {context.name}: {error}"
            ) from error
    return replace(context, place=Place.NOWHERE, token=None)


def _keyring_get(context: Context) -> str | None:
    try:
        import keyring  # noqa: PLC0415 - an optional library

        found: str | None = keyring.get_password(_SERVICE, _entry(context))
    except ImportError as error:
        hint = "install the package's `keyring` extra here, too, or log in again to keep the token in a file"
        raise ConfigurationError(
            f"the token of context {context.name} is in a keyring, and the library is not installed", hint=hint
        ) from error
    except Exception as error:
        hint = f"unlock the keyring, or `minutehand login --name {context.name}`"
        raise ConfigurationError(
            f"the keyring does not give the token of context {context.name}: {error}", hint=hint
        ) from error
    return found


def _entry(context: Context) -> str:
    """The name of a token in the keyring. It has the address, so that a token is found only for the address that it was given for."""
    return f"{context.name} {context.url}"


def _parsed(document: Any) -> Contexts:
    known = {}
    for name, each in document["contexts"].items():
        token, place = each.get("token"), Place(each["kept"])
        if not isinstance(each["url"], str) or not isinstance(token, str | None):
            raise TypeError(name)
        known[name] = Context(name=name, url=each["url"], place=place, token=token)
    current = document["current"]
    return Contexts(known=known, current=current if current in known else None)


def _written(context: Context) -> dict[str, str]:
    token = {} if context.token is None else {"token": context.token}
    return {"url": context.url, "kept": context.place.value, **token}


def _damaged(path: Path, why: str) -> ConfigurationError:
    return ConfigurationError(f"{path} cannot be read: {why}", hint="remove the file, and log in again")
