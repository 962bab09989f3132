"""Reads an agent's configuration, a TOML file with its rules."""

import os
import stat
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from minutehand.agent.accounts import Account, account_named
from minutehand.agent.rules import CommandPattern, Rules, default_rules, with_commands
from minutehand.client.errors import ConfigurationError

KEYS = ("users", "directories", "commands", "handlers", "environment", "shell")
_ROOT = 0
_TRUSTED = (_ROOT,)
"""Users whose files count for every agent."""


def rules_for(path: Path | None, own: Account, *, with_app: bool = False) -> Rules:
    """The rules of an agent that runs as `own`, from its configuration; without one, the default.

    Args:
        with_app: whether the agent has an app, and so something to run without any command.

    Raises:
        ConfigurationError: for a file that cannot be read, is invalid, or may be changed by others; and for root without users.
    """
    if path is None:
        if own.uid == _ROOT:
            raise ConfigurationError(
                "the agent runs as root without a configuration, so whoever may save jobs could do anything on this machine",
                hint="start it as another user, or write a file with `users` and name it with --config",
            )
        return default_rules(own.name)
    return _Reader(path, _document(path, own), with_app=with_app).rules(own)


def _document(path: Path, own: Account) -> Mapping[str, Any]:
    try:
        status = path.stat()
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigurationError(f"the configuration {path} cannot be read: {why}") from error
    if status.st_uid not in (*_TRUSTED, own.uid) or stat.S_IMODE(status.st_mode) & (stat.S_IWGRP | stat.S_IWOTH):
        raise ConfigurationError(
            f"other users of this machine may change {path}, which says what commands may do here",
            hint=f"`chown root {path}` and `chmod go-w {path}`",
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path} is not TOML: {error}", hint='write, for instance: users = ["app"]') from error


class _Reader:
    """Reads the keys of one document. Every method raises ConfigurationError."""

    def __init__(self, path: Path, document: Mapping[str, Any], *, with_app: bool) -> None:
        self._path = path
        self._with_app = with_app
        self._document = document

    def rules(self, own: Account) -> Rules:
        for key in self._document:
            if key not in KEYS:
                import difflib  # noqa: PLC0415 - only an invalid configuration needs it

                near = difflib.get_close_matches(key, KEYS, 1)
                raise self._wrong(
                    key, "no such key", f"did you mean {near[0]}?" if near else f"keys: {', '.join(KEYS)}"
                )
        rules = Rules(
            users=self._users(own),
            directories=self._paths("directories"),
            environment=self._texts("environment"),
            handlers=self._texts("handlers", _any),
            shells=self._shells(),
        )
        if self._with_app and self._document.get("commands") == []:
            return with_commands((), rules)  # handlers alone
        commands = self._texts("commands", _command)
        if commands is not None:
            return with_commands(tuple(map(CommandPattern, commands)), rules)
        return rules

    def _users(self, own: Account) -> tuple[str, ...]:
        found = self._texts("users", _any)
        if found is None:
            if own.uid == _ROOT:
                hint = (
                    'write, for instance: users = ["app"]; as root only if jobs may do anything here: users = ["root"]'
                )
                raise self._wrong("users", "missing, and the agent runs as root", hint)
            return (own.name,)
        for name in found:
            if name != own.name and own.uid != _ROOT:
                raise self._wrong("users", f"only root can run commands as {name}; this agent is {own.name}")
            if name != own.name and account_named(name) is None:
                raise self._wrong("users", f"this machine has no user {name!r}")
        return found

    def _paths(self, key: str) -> tuple[str, ...] | None:
        found = self._texts(key, _absolute)
        return None if found is None else tuple(os.path.realpath(each) for each in found)

    def _shells(self) -> tuple[str, ...] | None:
        value = self._document.get("shell", True)
        if isinstance(value, bool):
            return None if value else ()
        return self._texts("shell", _absolute)

    def _texts(self, key: str, check: Callable[[str], str | None] | None = None) -> tuple[str, ...] | None:
        """The list of a key, None without one; `check` says what is wrong with a text. Without `check`, the list may be empty."""
        if key not in self._document:
            return None
        value = self._document[key]
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            kind = "true, false or a list of texts" if key == "shell" else "a list of texts"
            raise self._wrong(key, f"{value!r:.60} is not {kind}", f'write, for instance: {key} = ["{_EXAMPLES[key]}"]')
        if check is not None and not value:
            raise self._wrong(key, "an empty list allows no run at all", f"leave {key} out, or list what is allowed")
        for each in value:
            if check is not None and (trouble := check(each)):
                raise self._wrong(key, trouble)
        return tuple(value)

    def _wrong(self, key: str, what: str, hint: str | None = None) -> ConfigurationError:
        return ConfigurationError(f"{self._path}: {key}: {what}", hint=hint)


_EXAMPLES: Mapping[str, str] = {
    "users": "app",
    "directories": "/srv/app",
    "commands": "/opt/jobs/report **",
    "handlers": "reports.*",
    "environment": "APP_*",
    "shell": "/bin/bash",
}


def _any(_: str) -> None:
    return None


def _absolute(text: str) -> str | None:
    return None if PurePosixPath(text).is_absolute() else f"{text!r:.60} is not an absolute path"


def _command(text: str) -> str | None:
    if text.strip("* ") == "":
        return f"{text!r:.60} allows every program: leave commands out, if that is what you want"
    return "a line break in a command matches nothing that a job may have" if "\n" in text else None
