"""Checks of single values of a target of type `command`. Each returns nothing, or raises `Refused` with what would be right."""

from __future__ import annotations

import re
from collections.abc import Sequence

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Refused
from minutehand.domain.spread import EVERY_NODE, MOST_NODES

MOST_ARGUMENTS = 256
LONGEST_COMMAND = 32_768
"""Most characters of a command with all of its arguments. Linux allows 128 KiB for one argument."""
LONGEST_VALUE = 32_768
"""Most characters of the value of a variable as it is written; once they are filled, `orders.py` bounds all together."""
LONGEST_PATH = 4_096
LONGEST_HANDLER = 257
"""Most characters of a handler's name: two names and a slash."""
VARIABLE = r"[A-Za-z_][A-Za-z0-9_]{0,127}"
_VARIABLE = re.compile(VARIABLE, re.ASCII)
_USER = re.compile(r"[A-Za-z_][A-Za-z0-9_.@-]{0,63}\$?", re.ASCII)
_OWN = "MINUTEHAND_"
_NUL = "\0"


def check_pool(text: str) -> None:
    """Refuse any text but the name of a pool."""
    if "/" in text:
        raise Refused(
            f"{text!r:.60} is more than the pool's name: a job uses the pools of its own namespace",
            f"write the name alone, such as {text.rpartition('/')[2] or 'web'!r:.60}",
        )
    checks.name(text)


def check_part(text: str) -> None:
    """Refuse a command, or an argument, that no system can start."""
    _without_nul(text, "leave it out; a program that needs it can read it from standard input")


def check_command(given: str | Sequence[str]) -> None:
    """Refuse a command without a program, and one that is too long."""
    if isinstance(given, str):
        if not given.strip():
            raise Refused("the command is empty", 'write what to run, such as "backup --all"')
    elif not given or not given[0].strip():
        raise Refused("the list names no program", 'write the program first, such as ["backup", "--all"]')
    size = len(given) if isinstance(given, str) else sum(map(len, given))
    if size > LONGEST_COMMAND:
        raise Refused(
            f"this has {size:,} characters in all; {LONGEST_COMMAND:,} is the most",
            "keep the script on the machine, and run it by its path; send data as the payload, which is its standard input",
        )


def check_count(text: str) -> None:
    """Refuse what is neither `all` nor a number of nodes."""
    if text == EVERY_NODE:
        return
    if not (text.isascii() and text.isdecimal()) or text.startswith("0"):
        raise Refused(f"{text!r:.60} is not a number of nodes", f"write {EVERY_NODE}, or a number, such as 3")
    if int(text) > MOST_NODES:
        raise Refused(
            f"{text:.60} is too many; {MOST_NODES} is the most",
            "divide the nodes by tags, and give each part a job of its own",
        )


def check_handler(text: str) -> None:
    """Refuse what cannot be the name of a handler."""
    if not all(checks.NAME.fullmatch(part) for part in text.split("/", 1)):
        hint = f"write it as @job has it, such as reports.nightly: name, or namespace/name, each {checks.NAME_RULE}"
        raise Refused(f"{text!r:.60} is not the name of a handler", hint)


def check_shell(text: str) -> None:
    """Refuse any text but the path of a shell."""
    _check_path(text, "/bin/bash")
    if blank := re.search(r"\s", text):
        hint = "write the path alone; options of a shell go into the command, such as `set -e`"
        raise Refused("this is more than a path", hint, blank.start())


def check_directory(text: str) -> None:
    """Refuse any text but the path of a directory."""
    _check_path(text, "/srv/shop")


def check_user(text: str) -> None:
    """Refuse what cannot be the name of a user."""
    if not _USER.fullmatch(text):
        number = "write the user's name, not the number" if text.isdecimal() else "write the name of a user on the node"
        raise Refused(f"{text!r:.60} is not the name of a user", f"{number}, such as deploy")


def check_variable(name: str) -> None:
    """Refuse what cannot be the name of a variable that a job sets."""
    if name.startswith(_OWN):
        raise Refused(
            f"{name!r:.60}: {_OWN}… is for the run's own values, which the agent sets", "give it another name"
        )
    if not _VARIABLE.fullmatch(name):
        near = re.sub(r"[^A-Za-z0-9_]+", "_", name.strip()).strip("_")[:128]
        likely = f"did you mean {near!r:.60}? " if near != name and _VARIABLE.fullmatch(near) else ""
        rule = "write 1 to 128 letters, digits and _, the first not a digit"
        raise Refused(f"{name!r:.60} is not the name of a variable", f"{likely}{rule}")


def check_value(text: str) -> None:
    """Refuse what cannot be the value of a variable."""
    if len(text) > LONGEST_VALUE:
        raise Refused(
            f"this has {len(text):,} characters; {LONGEST_VALUE:,} is the most",
            "send it as the payload, which is the command's standard input",
        )
    _without_nul(text, "leave it out: it would end the value")


def check_exit_code(code: int) -> None:
    """Refuse any number but an exit code."""
    if not 0 <= code <= 255:
        raise Refused(f"{code} is not an exit code", "give 0 to 255")


def _check_path(text: str, example: str) -> None:
    _without_nul(text, "leave it out")
    if "{{" in text:
        hint = "only the values of target.environment are templates: name a variable there, and use it in the command"
        raise Refused("a path is no template", hint, text.index("{{"))
    if not text.startswith("/"):
        raise Refused(f"{text!r:.60} is not an absolute path", f"write one that begins with /, such as {example}")


def _without_nul(text: str, hint: str) -> None:
    if _NUL in text:
        raise Refused("no program can be given a NUL character", hint, text.index(_NUL))
